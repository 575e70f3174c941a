// SPDX-License-Identifier: Apache-2.0
// Curves: nodes split into ranges and along v; thin ones become batches of ribbons, shaded once a vertex of their
// centre lines; a ribbon of many pixels becomes ordinary grids of its own. Called when a node of curves is opened.
#include <algorithm>
#include <cmath>

#include "reyes/render/curve_builder.h"
#include "reyes/render/elements.h"
#include "reyes/render/grid_build.h"
#include "reyes/render/grid_dice.h"
#include "reyes/render/open_node.h"

namespace reyes::render {
namespace {

constexpr int kCurvesAGrid = 64;
constexpr int kVerticesAGrid = 768;
constexpr float kLongPieces = 16;  ///< vertices a curve: shorter ones are never split along v for their number
constexpr int kMaxDepth = 40;
constexpr float kMargin = 0.01f;
constexpr float kShortAtEye = 1.0f / 1024;  ///< pieces at the eye plane: shortest, of what their bound is grown by

const geom::CurveSet& curvesOf(const Node& node) { return *node.prim->geometry().asCurves(); }

/// A piece that no split takes away from the eye plane: so short that only rounding holds it there, or lost.
NodeState lose(const Node& node) {
  const RasterBound& b = node.bound;
  const float part = (node.rect.v1 - node.rect.v0) * static_cast<float>(curvesOf(node).segments(node.begin));
  if (part > 1e-4f && (b.x1 - b.x0 > 1 || b.y1 - b.y0 > 1)) node.prim->eyeLost = true;
  return NodeState::kFailed;
}

/// False where a piece is so short beside its width and its displacement that halves of it stay at the eye plane:
/// around the eye every piece would be split to the last, and there are 2^40 of those.
bool splitLeavesEye(const Node& node) {
  const PrimitiveFrame& prim = *node.prim;
  for (int k = 0; k < prim.keyCount(); ++k) {
    const MotionKey& key = prim.keys()[static_cast<size_t>(k)];
    const Vec3 reach = prim.reach(k);
    for (const int deformation : {key.from, key.to}) {
      const geom::ElementBound e =
          curvesOf(node).elementBound(node.begin, node.end, node.rect.v0, node.rect.v1, deformation);
      const Bound3 box = transformBound(key.cameraFromObject, e.box);
      if (box.empty()) continue;
      const Vec3 size = box.max - box.min;
      const float grown = e.radius * key.stretch + std::max({reach.x, reach.y, reach.z});
      if (std::max({size.x, size.y, size.z}) > kShortAtEye * grown) return true;
    }
  }
  return false;
}

/// Two children, at a value of v or u.
NodeState splitAt(Worker& worker, Node& node, bool alongV, float middle) {
  const StageTimer timer(worker.stats, Stage::kSplit);
  node.takeChildren(std::make_unique<Node[]>(2), 2);
  for (int i = 0; i < 2; ++i) {
    Node& c = node.children[static_cast<size_t>(i)];
    c.prim = node.prim, c.rect = node.rect, c.depth = static_cast<uint8_t>(node.depth + 1), c.across = node.across;
    c.begin = node.begin, c.end = node.end;
    float& side = alongV ? (i ? c.rect.v0 : c.rect.v1) : (i ? c.rect.u0 : c.rect.u1);
    side = middle;
    c.place = elementPlace(c);
    setBoundWithin(worker, node, c, c.prim->elementBound(c.begin, c.end, c.rect.v0, c.rect.v1, kMargin));
  }
  worker.stats.add(Counter::kSplits);
  return NodeState::kSplit;
}

bool canSplitV(const Node& node) {
  const float middle = (node.rect.v0 + node.rect.v1) / 2;
  return node.depth < kMaxDepth && middle > node.rect.v0 && middle < node.rect.v1;
}
NodeState splitV(Worker& worker, Node& node) { return splitAt(worker, node, true, (node.rect.v0 + node.rect.v1) / 2); }

void addTriple(VarBlock& vars, Arena& arena, Name name, Type type, float* to[3]) {
  const Var v = vars.add({name, type, Storage::kVarying, 0}, arena);
  for (int c = 0; c < 3; ++c) to[c] = v.plane(c);
}

}  // namespace

CurveVariables addCurveVariables(GridWork& work) {
  static const Name kP = "P", kDPdu = "dPdu", kDPdv = "dPdv", kNg = "Ng", kU = "u", kV = "v", kS = "s", kT = "t";
  CurveVariables c;
  addTriple(work.vars, work.arena, kP, Type::kPoint, c.p);
  addTriple(work.vars, work.arena, kDPdu, Type::kVector, c.du);
  addTriple(work.vars, work.arena, kDPdv, Type::kVector, c.dv);
  addTriple(work.vars, work.arena, kNg, Type::kNormal, c.ng);
  const auto number = [&](Name name) {
    return work.vars.add({name, Type::kFloat, Storage::kVarying, 0}, work.arena).data;
  };
  c.u = number(kU), c.v = number(kV), c.s = number(kS), c.t = number(kT);
  return c;
}

void addCurvePrimvars(const Node& node, int k, std::span<const geom::CurvePlace> places, GridWork& work) {
  static const Name kS = "s", kT = "t", kSt = "st", kN = "N", kNg = "Ng";
  const geom::CurveSet& set = curvesOf(node);
  const MotionKey& key = node.prim->keys()[static_cast<size_t>(k)];
  const int n = work.vars.points();
  for (const Name name : node.prim->primvars) {
    if (name == kS || name == kT || work.vars.find(name)) continue;
    set.addPrimvar(name, places, work.vars, work.arena);
    if (const Var* v = work.vars.find(name)) primvarToCamera(*v, key);
  }
  for (const auto& [name, from, component] : {std::tuple{kS, kSt, 0}, {kT, kSt, 1}, {kS, kS, 0}, {kT, kT, 0}}) {
    VarBlock own(n);
    set.addPrimvar(from, places, own, work.arena);
    const Var* v = own.find(from);
    if (!v || !v->data || v->spec.width() <= component) continue;
    const float* plane = v->data + static_cast<size_t>(component) * static_cast<size_t>(v->stride);
    float* to = work.vars.find(name)->data;
    for (int i = 0; i < n; ++i) to[i] = plane[v->uniform ? 0 : i];
  }
  if (!work.vars.find(kN)) {
    const Var ng = *work.vars.find(kNg);
    const Var& normal = work.vars.add({kN, Type::kNormal, Storage::kVarying, 0}, work.arena);
    std::copy_n(ng.data, 3 * static_cast<size_t>(ng.stride), normal.data);
  }
}

namespace {

/// Normals that ribbons were given, in camera space; null without.
void givenNormals(const Node& node, int k, std::span<const geom::CurvePlace> places, Arena& arena, const float* n[3]) {
  static const Name kN = "N";
  n[0] = n[1] = n[2] = nullptr;
  const geom::CurveSet& set = curvesOf(node);
  if (!set.hasNormals()) return;
  const MotionKey& key = node.prim->keys()[static_cast<size_t>(k)];
  const int count = static_cast<int>(places.size());
  VarBlock own(count);
  set.addNormals(key.from, places, own, arena);
  const Var* v = own.find(kN);
  if (!v) return;
  // One curve alone may have a uniform one.
  VarBlock spread(count);
  const Var& all = spread.add({kN, v->spec.type, Storage::kVarying, 0}, arena);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < count; ++i) all.plane(c)[i] = v->plane(c)[v->uniform ? 0 : i];
  if (key.fraction > 0) {
    VarBlock later(count);
    set.addNormals(key.to, places, later, arena);
    const Var* to = later.find(kN);
    for (int c = 0; to && c < 3; ++c)
      for (int i = 0; i < count; ++i)
        all.plane(c)[i] = lerp(all.plane(c)[i], to->plane(c)[to->uniform ? 0 : i], key.fraction);
  }
  primvarToCamera(all, key);
  for (int c = 0; c < 3; ++c) n[c] = all.plane(c);
}

}  // namespace

Vec3 crossSectionNormal(Vec3 side, Vec3 along, bool flip) {
  const Vec3 n = cross(side, along) * (flip ? -1.0f : 1.0f);
  const float l = length(n);
  return l > 0 ? n / l : Vec3{0, 0, -1};
}

bool curveTurned(const Node& node, int k) {
  return node.prim->attributes().reverseOrientation !=
         mirrors(node.prim->keys()[static_cast<size_t>(k)].cameraFromObject);
}

void CurveBuilder::makeLine(int k, GridWork& work) {
  placeCurves(node, plan, k, line);
  face(k, work.arena);
}

void CurveBuilder::face(int k, Arena& arena) {
  const float* normals[3];
  givenNormals(node, k, places, arena, normals);
  faceCurves(node, plan, k, normals, line);
}

void CurveBuilder::fillVariables(int k, GridWork& work) {
  const geom::CurveSet& set = curvesOf(node);
  const bool flip = curveTurned(node, k);
  const CurveVariables vars = addCurveVariables(work);
  for (int i = 0; i < line.count; ++i) {
    const Vec3 side = at(line, &CurveLine::side, i), along = at(line, &CurveLine::d, i);
    const Vec3 ng = crossSectionNormal(side, along, flip);
    for (int c = 0; c < 3; ++c)
      vars.p[c][i] = line.p(c)[i], vars.du[c][i] = side[c], vars.dv[c][i] = along[c], vars.ng[c][i] = ng[c];
    const geom::CurvePlace& p = places[static_cast<size_t>(i)];
    vars.u[i] = 0.5f;
    vars.v[i] = (static_cast<float>(p.segment) + p.t) / static_cast<float>(set.segments(p.element));
    vars.s[i] = set.texture(0, 0.5f, vars.v[i]), vars.t[i] = set.texture(1, 0.5f, vars.v[i]);
  }
  addCurvePrimvars(node, k, places, work);
}

/// Both borders into the raster, and the box of each run.
void CurveBuilder::projectRibbons(int k, RasterBound& box) {
  Grid& grid = *node.grid;
  const hider::MicroGrid& m = grid.micro;
  const int n = plan.vertices;
  const size_t points = static_cast<size_t>(m.points()), all = points * static_cast<size_t>(m.keys);
  float* base = grid.positions.get() + points * static_cast<size_t>(k);
  const auto clips = clippingPlanes(*worker.frame->view, node.prim->keys()[static_cast<size_t>(k)].time);
  std::vector<float>& border = worker.elementValues;
  border.resize(static_cast<size_t>(3 * n));
  for (const float half : {-0.5f, 0.5f}) {
    float* const p[3] = {border.data(), border.data() + n, border.data() + 2 * n};
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < n; ++i) p[c][i] = line.p(c)[i] + line.side(c)[i] * half;
    project(*node.prim, clips, n, p, {base, base + all, base + 2 * all});
    for (hider::RibbonRun& run : grid.parts().runs)
      for (int i = run.first; i < run.first + run.count; ++i) {
        const float x = base[i], y = base[all + static_cast<size_t>(i)], z = base[2 * all + static_cast<size_t>(i)];
        if (std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) run.box.add(x, y, z);
      }
    base += n;
  }
  for (const hider::RibbonRun& run : grid.parts().runs) box.add(run.box);
}

bool CurveBuilder::ribbons() {
  const PrimitiveFrame& prim = *node.prim;
  const int n = plan.vertices, keys = prim.keyCount();
  if (n < 2) return false;
  node.grid = std::make_unique<Grid>();
  Grid& grid = *node.grid;
  const size_t all = 2 * static_cast<size_t>(n) * static_cast<size_t>(keys);
  grid.positions = std::make_unique_for_overwrite<float[]>(3 * all);
  grid.bytes = static_cast<int64_t>(sizeof(Grid) + 3 * all * sizeof(float));
  hider::MicroGrid& m = grid.micro;
  m.kind = hider::GridKind::kRibbons;
  m.nu = n - 1, m.nv = 1, m.keys = keys, m.times = prim.shutterTimes();
  m.x = {grid.positions.get(), all}, m.y = {m.x.data() + all, all}, m.z = {m.y.data() + all, all};
  // 1. Runs: the curves, but for those whose segments do not join.
  int first = 0, vertex = 0;
  for (const CurveStretch& c : plan.stretches) {
    if (c.begins) first = vertex;
    vertex += c.n + (c.ends ? 1 : 0);
    if (!c.ends) continue;
    grid.parts().runs.push_back({first, vertex - first, {}});
    grid.parts().elements.push_back(curvesOf(node).original(c.element));
  }
  // 2. Every key; the variables of the first are kept for the shaders.
  node.work = worker.works.take();
  curvePlaces(plan, places);
  RasterBound box;
  for (int k = 0; k < keys; ++k) {
    GridWork& work = k == 0 ? *node.work : worker.scratch;
    work.arena.reset();
    work.vars = VarBlock(n);
    {
      const StageTimer timer(worker.stats, Stage::kDice);
      makeLine(k, work);
      if (k == 0 || prim.displaces()) fillVariables(k, work);
    }
    startShadeGrid(node, k, work);
    if (prim.displaces()) {
      displaceElements(worker, node, k, work);
      const Var* p = work.vars.find("P");
      for (int c = 0; c < 3; ++c) std::copy_n(p->plane(c), n, line.p(c));
      followPoints(node, plan, line);
      face(k, work.arena);
    }
    projectRibbons(k, box);
  }
  return finishElements(worker, node, box);
}

namespace {

/// A curve, or part of it, that is diced across.
NodeState openBroad(Worker& worker, Node& node, CurvePlan& plan) {
  const int segments = curvesOf(node).segments(node.begin);
  const geom::CurvePlace first = geom::curvePlace(node.begin, segments, node.rect.v0, false);
  const geom::CurvePlace last = geom::curvePlace(node.begin, segments, node.rect.v1, true);
  if (first.segment < last.segment) {
    const int middle = (first.segment + last.segment + 1) / 2;
    return splitAt(worker, node, true, static_cast<float>(middle) / static_cast<float>(segments));
  }
  planCurves(node, false, plan);
  if (plan.stretches.empty()) return NodeState::kFailed;
  const int nv = plan.stretches[0].n, gridSize = worker.frame->view->gridSize;
  const int nu = std::max(1, static_cast<int>(static_cast<float>(node.across) * (node.rect.u1 - node.rect.u0)));
  if (static_cast<int64_t>(nu) * nv > gridSize) {
    if (nv >= nu && canSplitV(node)) return splitV(worker, node);
    if (nu > 1) return splitAt(worker, node, false, (node.rect.u0 + node.rect.u1) / 2);
  }
  CurveBuilder builder{worker, node, plan};
  return builder.surface(nu) ? NodeState::kDisplaced : NodeState::kFailed;
}

}  // namespace

NodeState openCurves(Worker& worker, Node& node) {
  const int count = node.end - node.begin;
  // 1. Ranges, until few curves are left, none of them through the eye plane.
  if (count > kCurvesAGrid || (count > 1 && (node.straddles || node.prim->apart))) return splitElements(worker, node);
  if (node.straddles) return canSplitV(node) && splitLeavesEye(node) ? splitV(worker, node) : lose(node);
  // 2. Broad ribbons go their own way.
  CurvePlan plan;
  if (count == 1 && node.across == 0) node.across = static_cast<uint16_t>(micropolygonsAcross(*node.prim, node.begin));
  if (node.across > 1) return openBroad(worker, node, plan);
  planCurves(node, node.across == 0, plan);
  if (plan.wide) return splitElements(worker, node);
  node.across = 1;
  // 3. As many vertices as a grid should have. Displaced curves stay in one piece as long as they can.
  const bool whole = node.prim->displaces();
  if (plan.vertices > (whole && count == 1 ? 8 * kVerticesAGrid : kVerticesAGrid)) {
    // Along v where curves are long beside the space between them.
    const float size = std::max(node.bound.x1 - node.bound.x0, node.bound.y1 - node.bound.y0);
    const float along = static_cast<float>(plan.vertices) / static_cast<float>(count);
    const bool split = canSplitV(node) && (count == 1 || (!whole && along > kLongPieces && along > 0.5f * size));
    if (split) return splitV(worker, node);
    if (count > 1) return splitElements(worker, node);
  }
  CurveBuilder builder{worker, node, plan};
  return builder.ribbons() ? NodeState::kDisplaced : NodeState::kFailed;
}

}  // namespace reyes::render
