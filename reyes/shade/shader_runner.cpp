// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/shader_runner.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/shade/derivatives.h"
#include "reyes/shade/grid_services.h"
#include "reyes/shade/light_groups.h"
#include "reyes/vm/pointwise.h"

namespace reyes::shade {
namespace {
/// Words that every grid needs, made once.
struct Words {
  Name P = "P", N = "N", Ng = "Ng", I = "I", E = "E", Cs = "Cs", Os = "Os", Ci = "Ci", Oi = "Oi", du = "du", dv = "dv";
  Name time = "time", dtime = "dtime", ncomps = "ncomps", alpha = "alpha";
};
const Words& words() {
  static const Words w;
  return w;
}

constexpr const char* kDisplacementPrefix = "displacement:";  // vars that carry a displacement's outputs to the surface

Var& ensure(VarBlock& vars, const VarSpec& spec, Arena& arena) {
  for (Var& v : vars.all())
    if (v.spec.name == spec.name) return v;
  return vars.add(spec, arena);
}

VarSpec varying(Name name, Type type) { return {name, type, Storage::kVarying, 0}; }

void fillTriple(Var& v, int lanes, Vec3 value) {
  for (int c = 0; c < 3; ++c) std::fill(v.plane(c), v.plane(c) + (v.uniform ? 1 : lanes), value[c]);
}

Type varType(vm::RegType t, Type wanted) {
  switch (t) {
    case vm::RegType::kTriple:
      return isTriple(wanted) ? wanted : Type::kColor;
    case vm::RegType::kMatrix:
      return Type::kMatrix;
    case vm::RegType::kString:
      return Type::kString;
    case vm::RegType::kFloat:
      break;
  }
  return Type::kFloat;
}

/// Copies a shader value into a varying variable of the grid.
void store(const vm::Value& value, Var& var, int lanes) {
  const int planes = std::min(componentCount(var.spec.type), vm::planeCount(value.type));
  for (int e = 0; e < std::min(var.spec.elements(), value.elements()); ++e)
    for (int c = 0; c < planes; ++c) {
      const float* from = value.plane(c, e);
      if (value.uniform)
        std::fill(var.plane(c, e), var.plane(c, e) + lanes, from[0]);
      else
        std::memcpy(var.plane(c, e), from, sizeof(float) * static_cast<size_t>(lanes));
    }
}
}  // namespace

/// An output parameter of a displacement shader, and the variable of the grid that carries it to the surface.
struct KeptOutput {
  const vm::Symbol* symbol;
  Name carrier;
};

struct ShadeContext::Impl {
  explicit Impl(const FrameServices& f) : frame(f), services(f), machine(f.isa), second(f.isa) {}

  void bindGlobals(vm::Machine& m, ShadeGrid& grid) const;
  void prepare(ShadeGrid& grid) const;
  const vm::Instance* runDisplacement(ShadeGrid& grid);
  void followPoints(ShadeGrid& grid) const;
  void runSurface(ShadeGrid& grid, const scene::ShaderInstance& shader);
  void runAtmosphere(ShadeGrid& grid, const scene::ShaderInstance& shader);
  void collect(ShadeGrid& grid, std::span<const scene::OutputVariable> wanted, const vm::Program& surface) const;
  const std::vector<KeptOutput>& keptOutputs(const vm::Program& program);
  void keepDisplacementOutputs(ShadeGrid& grid, const vm::Program& program);
  Outputs displacementOutputs(const ShadeGrid& grid);
  vm::GridInfo gridInfo(const ShadeGrid& grid, uint64_t salt) const {
    const bool flip = grid.primitive->attributes->reverseOrientation != mirrors(grid.cameraFromObject);
    vm::GridInfo info = {
        grid.vars->points(), grid.nu + 1, grid.nv + 1, grid.du, grid.dv, hashCombine(grid.seed, salt), flip, 1 << 22,
        grid.elements,       grid.runs,   grid.cells};
    const Var* ng = grid.elements ? grid.vars->find(words().Ng) : nullptr;
    for (int c = 0; c < 3 && ng && !ng->uniform; ++c) info.facing[c] = ng->plane(c);
    return info;
  }

  FrameServices frame;
  GridServices services;
  vm::Machine machine;  // displacement, surface, imager
  vm::Machine second;   // atmosphere, which may ask the surface
  std::unordered_map<const vm::Program*, std::vector<KeptOutput>> keptByProgram;
};

ShadeContext::ShadeContext(const FrameServices& frame) : impl_(std::make_unique<Impl>(frame)) {}
ShadeContext::~ShadeContext() = default;

/// Adds the variables that every shader may read and no geometry gives.
void ShadeContext::Impl::prepare(ShadeGrid& grid) const {
  VarBlock& vars = *grid.vars;
  const scene::Attributes& a = *grid.primitive->attributes;
  const int n = vars.points(), lanes = vars.stride();
  const Words& w = words();
  for (const auto& [name, value] : {std::pair<Name, Vec3>{w.Cs, a.color}, {w.Os, a.opacity}})
    if (!vars.find(name)) fillTriple(vars.add(varying(name, Type::kColor), *grid.arena), lanes, value);
  if (!vars.find(w.N) && vars.find(w.Ng)) {
    const Var ng = *vars.find(w.Ng);  // a copy: adding moves the variables
    Var& normal = vars.add(varying(w.N, Type::kNormal), *grid.arena);
    for (int c = 0; c < 3; ++c) std::copy(ng.plane(c), ng.plane(c) + lanes, normal.plane(c));
  }
  // I: from the eye for a perspective, along z for a parallel projection.
  const bool parallel = frame.view && !frame.view->perspective();
  Var& incident = ensure(vars, varying(w.I, Type::kVector), *grid.arena);
  const Var* p = vars.find(w.P);
  for (int c = 0; c < 3; ++c) {
    if (parallel)
      std::fill_n(incident.plane(c), n, c == 2 ? 1.0f : 0.0f);
    else
      std::copy_n(p->plane(c), n, incident.plane(c));
  }
}

void ShadeContext::Impl::bindGlobals(vm::Machine& m, ShadeGrid& grid) const {
  m.bind(*grid.vars);
  const Words& w = words();
  m.bindTriple(w.E, {0, 0, 0});
  m.bindFloat(w.du, grid.du);
  m.bindFloat(w.dv, grid.dv);
  m.bindFloat(w.time, grid.time);
  m.bindFloat(w.dtime, frame.view ? frame.view->shutterClose - frame.view->shutterOpen : 0.0f);
  m.bindFloat(w.ncomps, 3);
}

/// Null where there is no displacement shader.
const vm::Instance* ShadeContext::Impl::runDisplacement(ShadeGrid& grid) {
  const scene::ShaderPtr& shader = grid.primitive->attributes->displacement;
  if (!shader) return nullptr;
  prepare(grid);
  services.startGrid(grid);
  services.startShader(*shader);
  const vm::Instance& instance = services.instances().get(*shader, services.spaces(), services);
  machine.begin(instance, gridInfo(grid, 1));
  bindGlobals(machine, grid);
  machine.run(services);
  return &instance;
}

/// Derivatives and Ng of points that displacement moved.
void ShadeContext::Impl::followPoints(ShadeGrid& grid) const {
  const scene::ShaderPtr& shader = grid.primitive->attributes->displacement;
  if (!shader || !shader->program->writes(words().P)) return;
  // The elements' own directions stay.
  if (grid.elements) return;
  rederive(*grid.vars, grid.nu, grid.nv, grid.du, grid.dv, gridInfo(grid, 1).flipNormals);
}

void ShadeContext::displace(ShadeGrid& grid) {
  Impl& d = *impl_;
  const vm::Instance* instance = d.runDisplacement(grid);
  if (!instance) return;
  d.keepDisplacementOutputs(grid, instance->program());
  d.followPoints(grid);
}

void ShadeContext::displaced(ShadeGrid& grid) {
  impl_->prepare(grid);
  impl_->followPoints(grid);
}

void ShadeContext::displacePoints(ShadeGrid& grid) { impl_->runDisplacement(grid); }

/// Output parameters of a displacement shader, and the names of the variables that carry them to the surface.
const std::vector<KeptOutput>& ShadeContext::Impl::keptOutputs(const vm::Program& program) {
  const auto known = keptByProgram.find(&program);
  if (known != keptByProgram.end()) return known->second;
  std::vector<KeptOutput> outputs;
  for (const vm::Symbol& s : program.symbols)
    if (s.kind == vm::SymbolKind::kParameter && s.output)
      outputs.push_back({&s, Name(kDisplacementPrefix + s.name.str())});
  return keptByProgram.emplace(&program, std::move(outputs)).first->second;
}

void ShadeContext::Impl::keepDisplacementOutputs(ShadeGrid& grid, const vm::Program& program) {
  for (const auto& [symbol, carrier] : keptOutputs(program)) {
    const vm::Value v = machine.value(symbol->name);
    if (!v.data) continue;
    Var& to = ensure(*grid.vars, {carrier, symbol->type, Storage::kVarying, symbol->arrayLength}, *grid.arena);
    store(v, to, grid.vars->stride());
  }
}

Outputs ShadeContext::Impl::displacementOutputs(const ShadeGrid& grid) {
  Outputs out;
  const scene::ShaderPtr& shader = grid.primitive->attributes->displacement;
  if (!shader) return out;
  for (const auto& [symbol, carrier] : keptOutputs(*shader->program)) {
    const Var* v = grid.vars->find(carrier);
    if (!v) continue;
    vm::Value value;
    value.type = vm::regTypeOf(v->spec.type);
    value.arrayLength = v->spec.arraySize;
    value.uniform = v->uniform;
    value.stride = v->stride;
    value.data = v->data;
    out.emplace_back(symbol->name, value);
  }
  return out;
}

void ShadeContext::Impl::runSurface(ShadeGrid& grid, const scene::ShaderInstance& shader) {
  services.setDisplacement(displacementOutputs(grid));
  services.setSurface(&machine);
  services.startShader(shader);
  const vm::Instance& instance = services.instances().get(shader, services.spaces(), services);
  machine.begin(instance, gridInfo(grid, 2));
  bindGlobals(machine, grid);
  if (!shader.program->writes(words().P)) return machine.run(services);
  // Micropolygons are placed before surfaces run: a surface moves a copy.
  const Var* p = grid.vars->find(words().P);
  const int lanes = grid.vars->stride();
  float* copy = grid.arena->make<float>(static_cast<size_t>(lanes) * 3).data();
  std::memcpy(copy, p->data, sizeof(float) * static_cast<size_t>(lanes) * 3);
  machine.bindPlanes(words().P, copy, lanes);
  machine.run(services);
  // Many shaders can displace and bump, and set P to itself where they only bump: nothing is lost then.
  const auto moved = [&](int c) {
    return std::memcmp(copy + c * lanes, p->plane(c), sizeof(float) * static_cast<size_t>(grid.vars->points())) != 0;
  };
  if (frame.diag && (moved(0) || moved(1) || moved(2)))
    frame.diag->error("surface-moves-points", shader.loc,
                      format("surface shader \"{}\" moves points: Displacement shaders alone do that, they stay where "
                             "they are here",
                             shader.name.str()));
}

void ShadeContext::Impl::runAtmosphere(ShadeGrid& grid, const scene::ShaderInstance& shader) {
  services.startShader(shader);
  const vm::Instance& instance = services.instances().get(shader, services.spaces(), services);
  second.begin(instance, gridInfo(grid, 3));
  bindGlobals(second, grid);
  second.run(services);
}

void ShadeContext::Impl::collect(ShadeGrid& grid, std::span<const scene::OutputVariable> wanted,
                                 const vm::Program& surface) const {
  VarBlock& vars = *grid.vars;
  for (const scene::OutputVariable& o : wanted) {
    if (vars.find(o.name)) continue;  // P, N, Cs, primvars, ...: there already
    const vm::Value v = surface.find(o.name) ? machine.value(o.name) : vm::Value{};
    if (v.data) {
      store(v, vars.add(varying(o.name, varType(v.type, o.type)), *grid.arena), vars.stride());
    } else if (const Var* kept = vars.find(Name(kDisplacementPrefix + o.name.str()))) {
      Var copy = *kept;
      Var& added = vars.add(varying(o.name, copy.spec.type), *grid.arena);
      std::memcpy(added.data, copy.data,
                  sizeof(float) * static_cast<size_t>(componentCount(copy.spec.type) * vars.stride()));
    } else {
      vars.add(varying(o.name, o.type == Type::kString ? Type::kFloat : o.type), *grid.arena);
    }
  }
}

void ShadeContext::shade(ShadeGrid& grid, std::span<const scene::OutputVariable> wanted) {
  Impl& d = *impl_;
  const scene::Attributes& a = *grid.primitive->attributes;
  d.prepare(grid);
  for (const Name name : {words().Ci, words().Oi}) ensure(*grid.vars, varying(name, Type::kColor), *grid.arena);
  d.services.startGrid(grid);
  const auto run = [&] {
    d.runSurface(grid, *a.surface);
    if (a.atmosphere) d.runAtmosphere(grid, *a.atmosphere);
  };
  const scene::ShaderPtr* const shaders[] = {&a.surface, &a.atmosphere};
  LightGroups groups(grid, wanted, shaders);
  run();
  d.collect(grid, wanted, *a.surface->program);
  if (!groups.empty()) groups.shade(d.services, run);
}

void ShadeContext::image(const scene::ShaderInstance& imager, int n, const float* x, const float* y, float* const ci[3],
                         float* const oi[3], float* alpha) {
  Impl& d = *impl_;
  Arena arena(size_t{64} * 1024);
  VarBlock vars(n);
  const size_t bytes = sizeof(float) * static_cast<size_t>(n);
  vars.add(varying("P", Type::kPoint), arena);
  vars.add(varying("Ci", Type::kColor), arena);
  vars.add(varying("Oi", Type::kColor), arena);
  vars.add(varying("alpha", Type::kFloat), arena);
  const Var p = *vars.find("P"), c = *vars.find("Ci"), o = *vars.find("Oi"), al = *vars.find("alpha");
  std::memcpy(p.plane(0), x, bytes);
  std::memcpy(p.plane(1), y, bytes);
  std::memcpy(al.plane(0), alpha, bytes);
  for (int k = 0; k < 3; ++k) {
    std::memcpy(c.plane(k), ci[k], bytes);
    std::memcpy(o.plane(k), oi[k], bytes);
  }

  // Where the pixels lie in the whole picture, 0 to 1.
  for (const char* name : {"u", "v", "s", "t"}) {
    const bool across = name[0] == 'u' || name[0] == 's';
    const float size = static_cast<float>(!d.frame.view ? 1
                                          : across      ? d.frame.view->xResolution
                                                        : d.frame.view->yResolution);
    float* to = vars.add(varying(name, Type::kFloat), arena).plane(0);
    for (int i = 0; i < n; ++i) to[i] = (across ? x : y)[i] / size;
  }

  scene::Primitive none;
  none.attributes = std::make_shared<scene::Attributes>();
  ShadeGrid grid{n - 1, 0, 1, 1, &vars, &arena, &none, {}, d.frame.view ? d.frame.view->shutterOpen : 0.0f, 0};
  d.services.startGrid(grid);
  d.services.startShader(imager);
  const vm::Instance& instance = d.services.instances().get(imager, d.services.spaces(), d.services);
  const uint64_t seed = hashCombine(static_cast<uint64_t>(static_cast<int64_t>(y[0] * 2)),
                                    static_cast<uint64_t>(static_cast<int64_t>(x[0] * 2)), 4);
  d.machine.begin(instance, {n, n, 1, 1, 1, seed, false, 1 << 22});
  d.bindGlobals(d.machine, grid);
  d.machine.run(d.services);

  std::memcpy(alpha, al.plane(0), bytes);
  for (int k = 0; k < 3; ++k) {
    std::memcpy(ci[k], c.plane(k), bytes);
    std::memcpy(oi[k], o.plane(k), bytes);
  }
}

std::vector<Name> ShadeContext::wantedPrimvars(const scene::Attributes& a,
                                               std::span<const scene::OutputVariable> outputs) const {
  std::vector<Name> names{"N", "Cs", "Os"};
  for (const scene::ShaderPtr& s : {a.surface, a.displacement, a.atmosphere}) {
    if (!s) continue;
    for (const vm::Symbol& symbol : s->program->symbols)
      if (symbol.kind == vm::SymbolKind::kParameter) names.push_back(symbol.name);
  }
  for (const scene::OutputVariable& o : outputs) names.push_back(o.name);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool ShadeContext::displaces(const scene::Attributes& attributes) { return attributes.displacement != nullptr; }

bool ShadeContext::displacementKeeps(const scene::Attributes& attributes, Name variable) {
  if (!attributes.displacement) return false;
  const vm::Program& program = *attributes.displacement->program;
  if (program.writes(variable)) return true;
  for (const KeptOutput& k : impl_->keptOutputs(program))
    if (k.carrier == variable) return true;
  return false;
}

namespace {
/// True where a parameter of a shader is exactly 1, as long as no variable replaces it.
bool isOne(const scene::ShaderInstance& shader, const vm::Symbol& s) {
  if (s.kind != vm::SymbolKind::kParameter || s.arrayLength > 0) return false;
  if (s.type != Type::kFloat && s.type != Type::kColor) return false;
  const vm::Program& p = *shader.program;
  if (p.registers[s.reg].varying) return false;
  const auto ones = [&](const float* values) {
    return std::all_of(values, values + p.registers[s.reg].planes(), [](float f) { return f == 1; });
  };
  if (const Param* given = shader.params.find(s.name))
    return given->floats.size() >= static_cast<size_t>(p.registers[s.reg].planes()) && ones(given->floats.data());
  return s.defaultBegin == s.defaultEnd && ones(&p.uniforms[p.uniformOffset[s.reg]]);
}
}  // namespace

bool ShadeContext::mayBeOpaque(const scene::Attributes& a, std::vector<Name>& constants) {
  const Words& w = words();
  if (!(a.opacity.x == 1 && a.opacity.y == 1 && a.opacity.z == 1)) return false;
  if (a.displacement && a.displacement->program->writes(w.Os)) return false;
  if (a.atmosphere && a.atmosphere->program->writes(w.Oi)) return false;
  constants.push_back(w.Os);
  for (const vm::Symbol& s : a.surface->program->symbols)
    if (isOne(*a.surface, s)) constants.push_back(s.name);
  return true;
}

bool ShadeContext::displacesPointwise(const scene::Attributes& attributes) {
  return !attributes.displacement || vm::isPointwise(*attributes.displacement->program, words().P);
}

}  // namespace reyes::shade
