// SPDX-License-Identifier: Apache-2.0
// Runs light shaders for a surface: each light once a grid and set of points, then reused by ambient(), diffuse(),
// specular() and every illuminance loop.
#include <algorithm>
#include <cstring>

#include "reyes/base/hash.h"
#include "reyes/shade/grid_services.h"

namespace reyes::shade {
namespace {
/// Words that every light run needs, made once.
struct Words {
  Name P = "P", N = "N", Ps = "Ps", Ns = "Ns", Ng = "Ng", L = "L", Cl = "Cl", Ol = "Ol", E = "E", time = "time",
       ncomps = "ncomps";
  Name nondiffuse = "__nondiffuse", nonspecular = "__nonspecular", category = "__category";
};
const Words& words() {
  static const Words w;
  return w;
}

uint64_t seedOf(const ShadeGrid& grid, int light, int sample) {
  const uint64_t seed = hashCombine(grid.seed, 0x11687, static_cast<uint64_t>(light));
  return sample ? hashCombine(seed, static_cast<uint64_t>(sample)) : seed;
}

float* newPlane(Arena& arena, int lanes) { return arena.make<float>(static_cast<size_t>(lanes)).data(); }

/// Three planes that follow each other, zero in the padding.
float* copyPoints(Arena& arena, const float* const p[3], int points, int lanes) {
  float* to = static_cast<float*>(arena.allocate(sizeof(float) * static_cast<size_t>(lanes) * 3));
  for (int c = 0; c < 3; ++c) {
    std::copy_n(p[c], points, to + c * lanes);
    std::fill(to + c * lanes + points, to + (c + 1) * lanes, 0.0f);
  }
  return to;
}

bool samePoints(const float* const a[3], const float* const b[3], int points) {
  const size_t bytes = sizeof(float) * static_cast<size_t>(points);
  return a[0] && std::memcmp(a[0], b[0], bytes) == 0 && std::memcmp(a[1], b[1], bytes) == 0 &&
         std::memcmp(a[2], b[2], bytes) == 0;
}

/// A float output as a plane over all lanes; null where there is none or it is zero everywhere.
const float* asPlane(const Outputs& outputs, Name name, int lanes, Arena& arena) {
  vm::Value v;
  if (!findOutput(outputs, name, vm::RegType::kFloat, 0, v)) return nullptr;
  if (!v.uniform) return v.plane(0);
  if (v.plane(0)[0] == 0) return nullptr;
  float* p = newPlane(arena, lanes);
  std::fill(p, p + lanes, v.plane(0)[0]);
  return p;
}
}  // namespace

Outputs copyOutputs(const vm::Program& program, const vm::Machine& machine, Arena& arena) {
  Outputs out;
  for (const vm::Symbol& s : program.symbols) {
    if (s.kind != vm::SymbolKind::kParameter || (!s.output && s.name.str().rfind("__", 0) != 0)) continue;
    vm::Value v = machine.value(s.name);
    if (!v) continue;
    if (v.data) {
      const size_t floats = static_cast<size_t>(v.elements() * vm::planeCount(v.type)) * static_cast<size_t>(v.stride);
      float* copy = arena.make<float>(floats).data();
      std::memcpy(copy, v.data, floats * sizeof(float));
      v.data = copy;
    }
    out.emplace_back(s.name, std::move(v));
  }
  return out;
}

bool findOutput(const Outputs& outputs, Name name, vm::RegType type, int arrayLength, vm::Value& out) {
  for (const auto& [n, v] : outputs)
    if (n == name && v.type == type && v.arrayLength == arrayLength) {
      out = v;
      return true;
    }
  return false;
}

int GridServices::lightCount() { return lightServices_ ? static_cast<int>(slots_.size()) : 0; }

const vm::Instance& GridServices::lightInstance(const scene::Light& light) {
  lightServices_->startShader(*light.shader);
  return lightServices_->instances().get(*light.shader, lightServices_->spaces(), *lightServices_);
}

std::string_view GridServices::lightCategory(int index) {
  const vm::Value v = lightInstance(*slots_[static_cast<size_t>(index)].light).parameter(words().category);
  return v.strings.empty() ? std::string_view() : v.strings[0];
}

bool GridServices::light(int index, const vm::Lanes& lanes, const float* const P[3], vm::LightSample& out) {
  const LightSlot& slot = slots_[static_cast<size_t>(index)];
  if (!slot.on) return false;
  LightResult& result = lights_[static_cast<size_t>(index)];
  const bool sent = !sends_.empty() && sentTo(lightInstance(*slot.light).program());
  if (sent || !result.valid || !samePoints(result.P, P, lanes.points)) runLight(slot, P, result);
  if (sent) result.valid = false;  // of this loop alone
  out = result.sample;
  return true;
}

/// True where a value sent to the lights is for a parameter of this one.
bool GridServices::sentTo(const vm::Program& program) const {
  return std::any_of(sends_.begin(), sends_.end(), [&](const vm::TokenValue& sent) {
    const vm::Symbol* s = program.find(Name(sent.token));
    return s && s->kind == vm::SymbolKind::kParameter;
  });
}

/// Parameters of that name and type take what was sent; a uniform one takes no value that varies.
void GridServices::bindSends(const vm::Program& program) {
  for (const vm::TokenValue& sent : sends_) {
    const vm::Symbol* s = program.find(Name(sent.token));
    if (!s || s->kind != vm::SymbolKind::kParameter) continue;
    const vm::Value& v = sent.value;
    if (!v.uniform && v.data && vm::regTypeOf(s->type) == v.type) {
      // The light may change it: a copy.
      const size_t lanes = static_cast<size_t>(grid_->vars->stride());
      const size_t planes = static_cast<size_t>(v.elements() * vm::planeCount(v.type));
      float* copy = arena_.make<float>(planes * lanes).data();
      for (size_t p = 0; p < planes; ++p)
        std::copy_n(v.data + static_cast<ptrdiff_t>(p) * v.stride,
                    std::min<size_t>(lanes, static_cast<size_t>(v.stride)), copy + p * lanes);
      lightMachine_->bindPlanes(s->name, copy, static_cast<int>(lanes));
      continue;
    }
    std::vector<Name> texts(v.strings.begin(), v.strings.end());
    Var var{{s->name, s->type, Storage::kUniform, v.arrayLength}, true, 1, const_cast<float*>(v.data), texts};
    if (vm::regTypeOf(s->type) == v.type) lightMachine_->bind(s->name, var);
  }
}

void GridServices::runLight(const LightSlot& slot, const float* const P[3], LightResult& result) {
  const int points = grid_->vars->points(), lanes = grid_->vars->stride();
  const vm::Instance& instance = lightInstance(*slot.light);
  const Words& w = words();
  result = {};
  lightMachine_->begin(instance, {points,
                                  grid_->nu + 1,
                                  grid_->nv + 1,
                                  grid_->du,
                                  grid_->dv,
                                  seedOf(*grid_, slot.light->index, slot.sample),
                                  false,
                                  1 << 22,
                                  false,
                                  {},
                                  grid_->cells});
  float* ps = copyPoints(arena_, P, points, lanes);
  for (int c = 0; c < 3; ++c) result.P[c] = ps + c * lanes;
  // A light that moves its points moves a copy.
  if (instance.program().writes(w.Ps)) ps = copyPoints(arena_, P, points, lanes);
  float *l[3], *cl[3], *ol[3];
  float* block = arena_.make<float>(static_cast<size_t>(lanes) * 9).data();
  for (int c = 0; c < 3; ++c) {
    l[c] = block + c * lanes;
    cl[c] = block + (3 + c) * lanes;
    ol[c] = block + (6 + c) * lanes;
  }
  lightMachine_->bindPlanes(w.Ps, ps, lanes);
  if (instance.program().reads(w.Ns)) {
    // The normal of the surface; one that the surface shader has changed is its own.
    const Var* n = grid_->vars->find(w.N) ? grid_->vars->find(w.N) : grid_->vars->find(w.Ng);
    if (n && !n->uniform) {
      const float* planes[3] = {n->plane(0), n->plane(1), n->plane(2)};
      lightMachine_->bindPlanes(w.Ns, copyPoints(arena_, planes, points, lanes), lanes);
    }
  }
  lightMachine_->bindPlanes(w.L, l[0], lanes);
  lightMachine_->bindPlanes(w.Cl, cl[0], lanes);
  lightMachine_->bindPlanes(w.Ol, ol[0], lanes);
  placeLight(slot, instance.program(), P);
  lightMachine_->bindTriple(w.E, {0, 0, 0});
  lightMachine_->bindFloat(w.time, grid_->time);
  lightMachine_->bindFloat(w.ncomps, 3);
  if (!sends_.empty()) bindSends(instance.program());
  lightServices_->current_ = slot;
  lightMachine_->run(*lightServices_);
  if (slot.light->ownMap.empty() && !slot.light->sampleMaps.empty()) castOwnShadow(slot, result.P, cl);
  keepLight(instance.program(), l, cl, ol, slot.light->area ? 1.0f / static_cast<float>(slot.light->samples) : 1.0f,
            result);
  result.valid = true;
}

void GridServices::keepLight(const vm::Program& program, float* const l[3], float* const cl[3], float* const ol[3],
                             float weight, LightResult& result) {
  const int points = grid_->vars->points(), lanes = grid_->vars->stride();
  vm::LightSample& s = result.sample;
  s.ambient = lightMachine_->isAmbientLight();
  if (!s.ambient) {
    // Lights look from themselves to the surface, surfaces the other way; nothing shines outside the cone.
    auto lit = arena_.make<uint8_t>(static_cast<size_t>(lanes));
    const auto reached = lightMachine_->lit();
    std::copy(reached.begin(), reached.begin() + std::min<ptrdiff_t>(lanes, std::ssize(reached)), lit.begin());
    const bool all = std::find(lit.begin(), lit.begin() + points, uint8_t{0}) == lit.begin() + points;
    for (int c = 0; c < 3; ++c) {
      for (int i = 0; i < points; ++i) l[c][i] = -l[c][i];
      for (int i = 0; i < points && !all; ++i)
        if (!lit[static_cast<size_t>(i)]) cl[c][i] = 0;
    }
    s.lit = lit.data();
  }
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < points && weight != 1; ++i) cl[c][i] *= weight, ol[c][i] *= weight;
    s.L[c] = l[c];
    s.Cl[c] = cl[c];
    s.Ol[c] = ol[c];
  }
  result.outputs = copyOutputs(program, *lightMachine_, arena_);
  s.nondiffuse = asPlane(result.outputs, words().nondiffuse, lanes, arena_);
  s.nonspecular = asPlane(result.outputs, words().nonspecular, lanes, arena_);
}

}  // namespace reyes::shade
