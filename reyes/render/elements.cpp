// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/elements.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/hash.h"
#include "reyes/geom/elements.h"
#include "reyes/render/grid_build.h"
#include "reyes/render/object_id.h"
#include "reyes/render/open_node.h"
#include "reyes/render/velocity.h"
#include "reyes/vm/program.h"

namespace reyes::render {
namespace {

constexpr int kRangeParts = 4;
constexpr int kPointsAGrid = 256;
constexpr float kMargin = 0.01f;  ///< pixels: the hider rounds positions

bool allFinite(const Var& p, int n) {
  for (int c = 0; c < 3; ++c)
    if (!std::all_of(p.plane(c), p.plane(c) + n, [](float f) { return std::isfinite(f); })) return false;
  return true;
}

}  // namespace

uint64_t elementPlace(const Node& node) {
  const uint64_t range = hashCombine(static_cast<uint64_t>(node.begin), static_cast<uint64_t>(node.end));
  const auto part = [](float a, float b) {
    return hashCombine(static_cast<uint64_t>(a * 0x1p30f), static_cast<uint64_t>(b * 0x1p30f));
  };
  return hashCombine(range, part(node.rect.v0, node.rect.v1), part(node.rect.u0, node.rect.u1));
}

NodeState openElements(Worker& worker, Node& node) {
  if (node.prim->geometry().asCurves()) return openCurves(worker, node);
  if (node.end - node.begin > kPointsAGrid) return splitElements(worker, node);
  return buildPoints(worker, node) ? NodeState::kDisplaced : NodeState::kFailed;
}

bool curvesApart(const scene::Primitive& p) { return p.geometry->asCurves() && takesUniform(p); }

bool takesUniform(const scene::Primitive& p) {
  const scene::Attributes& a = *p.attributes;
  for (const VarSpec& v : p.geometry->primvars()) {
    if (v.type == Type::kString && v.storage != Storage::kConstant) return true;
    if (v.storage != Storage::kUniform) continue;
    for (const scene::ShaderPtr& s : {a.surface, a.displacement, a.atmosphere})
      if (const vm::Symbol* symbol = s ? s->program->find(v.name) : nullptr; symbol && !symbol->varying) return true;
  }
  return false;
}

NodeState splitElements(Worker& worker, Node& node) {
  const StageTimer timer(worker.stats, Stage::kSplit);
  const int count = node.end - node.begin, block = count > geom::ElementTree::kBlock ? geom::ElementTree::kBlock : 1;
  const int share = block > 1 ? (count + kRangeParts - 1) / kRangeParts : (count + 1) / 2;
  const int step = (share + block - 1) / block * block, parts = (count + step - 1) / step;
  node.takeChildren(std::make_unique<Node[]>(static_cast<size_t>(parts)), parts);
  for (int i = 0; i < parts; ++i) {
    Node& c = node.children[static_cast<size_t>(i)];
    c.prim = node.prim, c.rect = node.rect, c.depth = node.depth, c.across = node.across;
    c.begin = node.begin + i * step, c.end = std::min(c.begin + step, node.end);
    c.place = elementPlace(c);
    setBoundWithin(worker, node, c, node.prim->elementBound(c.begin, c.end, c.rect.v0, c.rect.v1, kMargin));
  }
  return NodeState::kSplit;
}

void startShadeGrid(const Node& node, int k, GridWork& work) {
  const PrimitiveFrame& prim = *node.prim;
  const MotionKey& key = prim.keys()[static_cast<size_t>(k)];
  shade::ShadeGrid& g = work.grid;
  g = shade::ShadeGrid{};
  g.nu = work.vars.points() - 1, g.nv = 0;
  g.vars = &work.vars, g.arena = &work.arena;
  g.elements = true;
  work.runs.clear();
  if (node.grid)
    for (const hider::RibbonRun& run : node.grid->parts().runs) work.runs.push_back(run.first);
  if (!work.runs.empty()) work.runs.push_back(work.vars.points());
  g.runs = work.runs;
  g.primitive = &prim.source();
  g.cameraFromObject = key.cameraFromObject;
  g.time = key.time;
  g.seed = hashCombine(prim.source().path, node.place);
}

void displaceElements(Worker& worker, const Node& node, int k, GridWork& work) {
  const PrimitiveFrame& prim = *node.prim;
  const StageTimer timer(worker.stats, Stage::kDisplace);
  const int n = work.vars.points();
  std::vector<float> before(static_cast<size_t>(n) * 3);
  const Var p = *work.vars.find("P");
  for (int c = 0; c < 3; ++c) std::copy_n(p.plane(c), n, before.begin() + c * n);
  worker.shader->displace(work.grid);
  if (!allFinite(p, n)) prim.notFinite = true;
  Vec3 most;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < n; ++i) {
      const float d = std::fabs(p.plane(c)[i] - before[static_cast<size_t>(c * n + i)]);
      if (d > most[c]) most[c] = d;
    }
  prim.noteDisplacement(most, k);
}

bool finishElements(Worker& worker, Node& node, RasterBound box) {
  const PrimitiveFrame& prim = *node.prim;
  hider::MicroGrid& m = node.grid->micro;
  const scene::Attributes& a = prim.attributes();
  m.order = node.order();
  m.tag = prim.tag;
  m.smooth = a.smoothShading;
  m.matte = a.matte;
  m.shareFrom = prim.source().shareFrom, m.shareTo = prim.source().shareTo;
  m.finiteValues = true;
  GridParts& parts = node.grid->parts();
  parts.shown.elements = parts.elements, parts.shown.runs = parts.runs;
  worker.stats.add(Counter::kGridsDiced);
  if (prim.displaces()) worker.stats.add(Counter::kGridsDisplaced);
  if (box.empty()) {
    node.grid.reset();
    worker.works.give(std::move(node.work));
    return false;
  }
  placeGrid(node, box, prim.displaces());
  node.grid->bytes +=
      static_cast<int64_t>(parts.elements.size() * sizeof(uint32_t) + parts.runs.size() * sizeof(hider::RibbonRun));
  worker.addGridBytes(node.grid->bytes);
  return true;
}

void shadeElements(Worker& worker, Node& node) {
  const OutputPlan& outputs = *worker.frame->outputs;
  Grid& grid = *node.grid;
  hider::MicroGrid& m = grid.micro;
  const VarBlock& vars = node.work->vars;
  const int shaded = vars.points();
  // 1. Surface, lights, atmosphere.
  {
    const StageTimer timer(worker.stats, Stage::kShade);
    worker.shader->shade(node.work->grid, outputs.wanted);
  }
  countShaded(worker.stats, m, shaded);
  // 2. Keep colours, opacity unless it is full, and output variables; of ribbons for both borders.
  const bool opaque = node.prim->shadedLate || allOnes(vars.find("Oi"), shaded);
  const auto n = static_cast<size_t>(m.points()), copies = n / static_cast<size_t>(shaded);
  const size_t floats = n * (3 + (opaque ? 0 : 3) + static_cast<size_t>(outputs.carriedFloats));
  grid.colours = std::make_unique_for_overwrite<float[]>(floats);
  float* at = grid.colours.get();
  const auto keep = [&](const Var* v, int width, float* to) {
    if (copies == 1) return copyPlanes(worker, *node.prim, v, width, shaded, to);
    std::vector<float>& once = worker.elementValues;
    once.resize(static_cast<size_t>(shaded) * static_cast<size_t>(width));
    copyPlanes(worker, *node.prim, v, width, shaded, once.data());
    for (int c = 0; c < width; ++c)
      for (size_t k = 0; k < copies; ++k)
        std::copy_n(once.data() + c * shaded, shaded,
                    to + static_cast<size_t>(c) * n + k * static_cast<size_t>(shaded));
  };
  keep(vars.find("Ci"), 3, at);
  m.ci = {at, 3 * n}, at += 3 * n;
  if (!opaque) {
    keep(vars.find("Oi"), 3, at);
    m.oi = {at, 3 * n}, at += 3 * n;
  }
  m.aov = {at, n * static_cast<size_t>(outputs.carriedFloats)};
  for (const CarriedVariable& c : outputs.carried) {
    float* const to = at + static_cast<size_t>(c.plane) * n;
    if (isVelocity(c.variable))
      fillVelocity(*node.prim, m, to);
    else if (isObjectId(c.variable))
      fillObjectId(node.prim->objectId, vars.find(c.variable.name), shaded, m.points(), to);
    else
      keep(vars.find(c.variable.name), c.width, to);
  }
  dropVelocityKeys(*node.prim, m);
  grid.bytes += static_cast<int64_t>(floats * sizeof(float));
  worker.addGridBytes(static_cast<int64_t>(floats * sizeof(float)));
  // 3. The rest goes.
  worker.works.give(std::move(node.work));
}

}  // namespace reyes::render
