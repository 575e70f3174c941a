// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/grid_build.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reyes/base/hash.h"
#include "reyes/render/grid_names.h"
#include "reyes/render/object_id.h"
#include "reyes/render/parked_grid.h"
#include "reyes/render/strip.h"
#include "reyes/render/trim_grid.h"
#include "reyes/render/velocity.h"

namespace reyes::render {
namespace {

constexpr float kNowhere = std::numeric_limits<float>::quiet_NaN();  ///< the hider drops what touches such a vertex

/// The planes of one motion key.
KeyPlanes planesOf(Grid& g, int points, int keys, int k) {
  const auto n = static_cast<size_t>(points), all = n * static_cast<size_t>(keys);
  float* base = g.positions.get() + n * static_cast<size_t>(k);
  return {base, base + all, base + 2 * all};
}

/// Vertices of a grid along one side, from the side's start.
struct SideVertices {
  int first, step, count;  ///< count micropolygons
};
SideVertices verticesOf(int side, int nu, int nv) {
  switch (side) {
    case 0:
      return {0, 1, nu};
    case 1:
      return {nu, nu + 1, nv};
    case 2:
      return {nv * (nu + 1), 1, nu};
    default:
      return {0, nu + 1, nv};
  }
}

/// Moves the border to the points that the lines own: camera space, one motion key.
void stitch(Worker& worker, const Node& node, int nu, int nv, int k, float* const p[3]) {
  std::vector<int>& index = worker.sideIndex;
  std::vector<Vec3>& moved = worker.sidePoints;
  for (int s = 0; s < 4; ++s) {
    const SideRef& side = node.sides[s];
    const SideVertices v = verticesOf(s, nu, nv);
    index.resize(static_cast<size_t>(v.count) + 1);
    snapSide(side, v.count, index.data());
    const int lo = std::min(side.ia, side.ib), hi = std::max(side.ia, side.ib);
    if (node.prim->displaces()) {
      moved.resize(static_cast<size_t>(hi - lo) + 1);
      movedPoints(worker, *side.line, lo, hi, k, moved.data());
    }
    for (int j = 0; j <= v.count; ++j) {
      const int i = index[static_cast<size_t>(j)];
      const Vec3 q = node.prim->displaces() ? moved[static_cast<size_t>(i - lo)] : side.line->point(i, k);
      const int at = v.first + j * v.step;
      p[0][at] = q.x, p[1][at] = q.y, p[2][at] = q.z;
    }
  }
}

/// +1 where growing u then v turns towards the side that Ng points to, -1 where it turns away.
float windingOf(const VarBlock& vars, int nu, int nv) {
  const Var *p = vars.find(gridNames().P), *n = vars.find(gridNames().Ng);
  if (!p || !n) return 1;
  const auto at = [](const Var* v, int i) { return Vec3{v->plane(0)[i], v->plane(1)[i], v->plane(2)[i]}; };
  double sum = 0;
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i) {
      const int a = j * (nu + 1) + i;
      const Vec3 o = at(p, a), c = cross(at(p, a + 1) - o, at(p, a + nu + 1) - o);
      const double d = dot(c, at(n, a));
      if (std::isfinite(d)) sum += d;
    }
  return sum < 0 ? -1.0f : 1.0f;
}

/// Dices and displaces at one motion key into `work`.
void makeKey(Worker& worker, const Node& node, int nu, int nv, int k, GridWork& work) {
  const PrimitiveFrame& prim = *node.prim;
  {
    const StageTimer timer(worker.stats, Stage::kDice);
    DicePlan plan = planOf(node, nu, nv, k);
    plan.positionsOnly = k > 0 && !prim.displaces();
    diceInto(prim, plan, work);
  }
  if (!prim.displaces()) return;
  const StageTimer timer(worker.stats, Stage::kDisplace);
  const int n = work.vars.points();
  std::vector<float>& before = worker.before;
  before.resize(static_cast<size_t>(n) * 3);
  {
    const Var* p = work.vars.find(gridNames().P);
    for (int c = 0; c < 3; ++c) std::copy_n(p->plane(c), n, before.begin() + c * n);
  }
  worker.shader->displace(work.grid);
  // How far it went, by axis.
  const Var* p = work.vars.find(gridNames().P);
  Vec3 most;
  bool finite = true;
  for (int c = 0; c < 3; ++c) most[c] = gridKernels().largestMove(n, before.data() + c * n, p->plane(c), finite);
  if (!finite) prim.notFinite = true;
  prim.noteDisplacement(most, k);
}

/// True where every micropolygon faces away at every key.
bool allFaceAway(const hider::MicroGrid& m) {
  const int row = m.nu + 1;
  for (int k = 0; k < m.keys; ++k) {
    const float *x = &m.x[static_cast<size_t>(k * m.points())], *y = &m.y[static_cast<size_t>(k * m.points())];
    for (int j = 0; j < m.nv; ++j)
      for (int i = 0; i < m.nu; ++i) {
        const int v[4] = {j * row + i, j * row + i + 1, (j + 1) * row + i + 1, (j + 1) * row + i};
        for (int t = 0; t < 2; ++t) {
          const int a = v[0], b = v[1 + t], c = v[2 + t];
          const float area = (x[b] - x[a]) * (y[c] - y[a]) - (y[b] - y[a]) * (x[c] - x[a]);
          if (m.cullFacing > 0 ? !(area > 0) : !(area < 0)) return false;
        }
      }
  }
  return true;
}

/// Micropolygons with vertices on both sides of the eye, of which the front could be seen larger than a pixel.
bool losesAtEye(const PrimitiveFrame& prim, const hider::MicroGrid& m) {
  const RasterBound& w = prim.projector().window();
  const int row = m.nu + 1;
  for (int j = 0; j < m.nv; ++j)
    for (int i = 0; i < m.nu; ++i) {
      const int v[4] = {j * row + i, j * row + i + 1, (j + 1) * row + i + 1, (j + 1) * row + i};
      RasterBound seen;
      int gone = 0;
      for (const int a : v) {
        const auto s = static_cast<size_t>(a);
        if (std::isfinite(m.x[s]))
          seen.add(m.x[s], m.y[s], m.z[s]);
        else if (m.z[s] < prim.projector().eyeDepth())
          ++gone;
      }
      const bool inside = !seen.empty() && seen.x1 > w.x0 && seen.x0 < w.x1 && seen.y1 > w.y0 && seen.y0 < w.y1;
      if (gone > 0 && inside && (seen.x1 - seen.x0 > 1 || seen.y1 - seen.y0 > 1)) return true;
    }
  return false;
}

/// Facts that the hider wants: facing, matte, smooth, and the clip where the grid leaves its node's bound. Returns how
/// many vertices are there, over all keys.
int describe(Node& node, const VarBlock& vars, int nu, int nv) {
  const PrimitiveFrame& prim = *node.prim;
  const scene::Attributes& a = prim.attributes();
  hider::MicroGrid& m = node.grid->micro;
  m.order = node.order();
  m.tag = prim.tag;
  m.smooth = a.smoothShading;
  m.matte = a.matte;
  m.shareFrom = prim.source().shareFrom, m.shareTo = prim.source().shareTo;
  // Seen from the side that Ng points to, a grid that turns with Ng turns clockwise in the raster.
  if (a.sides == 1) m.cullFacing = windingOf(vars, nu, nv) > 0 ? -1 : 1;
  RasterBound box;
  const int there = gridKernels().box(static_cast<int>(m.x.size()), m.x.data(), m.y.data(), m.z.data(), box);
  placeGrid(node, box, true);
  return there;
}

}  // namespace

std::vector<HalfSpace> clippingPlanes(const scene::View& view, float time) {
  std::vector<HalfSpace> r;
  const Matrix4 camera = view.cameraFromWorld.at(time);
  for (const auto& [point, normal] : view.clippingPlanes) {
    const Vec3 n = transformNormal(inverse(camera), normal);
    r.push_back({n, dot(n, transformPoint(camera, point))});
  }
  return r;
}

void placeGrid(Node& node, const RasterBound& box, bool clip) {
  const RasterBound& most = node.bound;
  if (clip && !(box.x0 >= most.x0 && box.x1 <= most.x1 && box.y0 >= most.y0 && box.y1 <= most.y1 && box.z0 >= most.z0 &&
                box.z1 <= most.z1)) {
    GridParts& parts = node.grid->parts();
    parts.shown.clip = most, parts.shown.hasClip = true;
  }
  constexpr float kRounding = 0.01f;  // pixels: the hider rounds positions
  const Projector& view = node.prim->projector();
  const float x = std::max(view.lensX(box.z0), view.lensX(box.z1)) + kRounding;
  const float y = std::max(view.lensY(box.z0), view.lensY(box.z1)) + kRounding;
  node.grid->box = {std::max(box.x0 - x, most.x0), std::max(box.y0 - y, most.y0), std::min(box.x1 + x, most.x1),
                    std::min(box.y1 + y, most.y1), std::max(box.z0, most.z0),     std::min(box.z1, most.z1)};
}

void project(const PrimitiveFrame& prim, std::span<const HalfSpace> planes, int n, const float* const p[3],
             const KeyPlanes& out) {
  const Projector& view = prim.projector();
  gridKernels().project(view.numbers(view.perspective() && !prim.moving()), n, p, out.x, out.y, out.z);
  for (const HalfSpace& h : planes)
    for (int i = 0; i < n; ++i)
      if (!(dot(Vec3{p[0][i], p[1][i], p[2][i]}, h.normal) >= h.offset)) out.x[i] = kNowhere;
}

DicePlan planOf(const Node& node, int nu, int nv, int key) {
  DicePlan plan;
  plan.face = node.begin, plan.rect = node.rect, plan.nu = nu, plan.nv = nv, plan.key = key;
  plan.seed = hashCombine(node.prim->source().path, node.place);
  if (node.grid && node.grid->micro.kind == hider::GridKind::kCells) plan.cells = node.grid->parts().elements;
  return plan;
}

bool buildGrid(Worker& worker, Node& node, const DiceRate& rate) {
  const PrimitiveFrame& prim = *node.prim;
  const int nu = rate.nu, nv = rate.nv, points = (nu + 1) * (nv + 1), keys = prim.keyCount();
  // 1. Room for the positions of all keys.
  auto grid = std::make_unique<Grid>();
  const size_t all = static_cast<size_t>(points) * static_cast<size_t>(keys);
  grid->positionFloats = static_cast<uint32_t>(3 * all);
  grid->positions = worker.blocks.take(3 * all);
  grid->bytes = static_cast<int64_t>(sizeof(Grid) + 3 * all * sizeof(float));
  hider::MicroGrid& m = grid->micro;
  m.nu = nu, m.nv = nv, m.keys = keys, m.times = prim.shutterTimes();
  m.x = {grid->positions.get(), all}, m.y = {m.x.data() + all, all}, m.z = {m.y.data() + all, all};
  // 2. The first key stays for shading; of the others only positions are kept.
  node.work = worker.works.take();
  std::vector<float>& camera = worker.camera;
  camera.resize(static_cast<size_t>(points) * 3);
  float* const p[3] = {camera.data(), camera.data() + points, camera.data() + 2 * points};
  for (int k = 0; k < keys; ++k) {
    GridWork& work = k == 0 ? *node.work : worker.scratch;
    makeKey(worker, node, nu, nv, k, work);
    const Var* var = work.vars.find(gridNames().P);
    for (int c = 0; c < 3; ++c) std::copy_n(var->plane(c), points, p[c]);
    stitch(worker, node, nu, nv, k, p);
    const auto planes = clippingPlanes(*worker.frame->view, prim.keys()[static_cast<size_t>(k)].time);
    project(prim, planes, points, p, planesOf(*grid, points, keys, k));
  }
  worker.stats.add(Counter::kGridsDiced);
  if (prim.displaces()) worker.stats.add(Counter::kGridsDisplaced);
  // 3. What the hider wants to know, and whether there is anything to see.
  node.grid = std::move(grid);
  const int there = describe(node, node.work->vars, nu, nv);
  const Outline* outline = prim.geometry().outline();
  const bool cut = outline && !trimGrid(*outline, node.work->vars, node);
  for (SideRef& s : node.sides) s.line.reset();
  node.grid->whole = there == static_cast<int>(all);
  if (!node.grid->whole && prim.displaces() && !prim.moving() && losesAtEye(prim, m)) prim.eyeLost = true;
  const bool away = m.cullFacing != 0 && prim.attributes().cullBackfacing && !prim.moving() && allFaceAway(m);
  if (away) worker.stats.add(Counter::kCulledBackfacing);
  if (away || cut || there == 0) {
    node.grid.reset();
    worker.works.give(std::move(node.work));
    return false;
  }
  worker.addGridBytes(node.grid->bytes);
  return true;
}

void copyPlanes(Worker& worker, const PrimitiveFrame& prim, const Var* v, int width, int points, float* out) {
  int64_t repaired = 0;
  for (int c = 0; c < width; ++c, out += points) {
    if (!v || !v->data || c >= v->spec.width()) {
      std::fill_n(out, points, 0.0f);
      continue;
    }
    const float* from = v->data + static_cast<size_t>(c) * v->stride;
    for (int i = 0; i < points; ++i) {
      const float f = v->uniform ? from[0] : from[i];
      out[i] = std::isfinite(f) ? f : 0.0f;
      repaired += std::isfinite(f) ? 0 : 1;
    }
  }
  if (!repaired) return;
  worker.stats.add(Counter::kNanRepaired, repaired);
  prim.repaired += repaired;
}

bool allOnes(const Var* v, int points) {
  if (!v || !v->data) return true;
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < (v->uniform ? 1 : points); ++i)
      if (v->plane(c)[i] != 1.0f) return false;
  return true;
}

void countShaded(Stats& stats, const hider::MicroGrid& grid, int points) {
  int64_t micropolygons = int64_t{grid.nu} * grid.nv;
  if (grid.kind == hider::GridKind::kRibbons) {
    micropolygons = 0;
    for (const hider::RibbonRun& run : grid.extras->runs) micropolygons += std::max(0, run.count - 1);
  }
  stats.add(Counter::kGridsShaded);
  stats.add(Counter::kPointsShaded, points);
  stats.add(Counter::kMicropolygons, micropolygons);
}

void shadeGrid(Worker& worker, Node& node) {
  const OutputPlan& outputs = *worker.frame->outputs;
  Grid& grid = *node.grid;
  hider::MicroGrid& m = grid.micro;
  const int points = m.points();
  if (!node.work) unpark(worker, node);
  // 1. Surface, lights, atmosphere.
  {
    const StageTimer timer(worker.stats, Stage::kShade);
    worker.shader->shade(node.work->grid, outputs.wanted);
  }
  countShaded(worker.stats, m, points);
  // 2. Keep colours, opacity unless it is full, and output variables.
  const VarBlock& vars = node.work->vars;
  const bool opaque = node.prim->shadedLate || allOnes(vars.find(gridNames().Oi), points);
  const auto n = static_cast<size_t>(points);
  const size_t floats = n * (3 + (opaque ? 0 : 3) + static_cast<size_t>(outputs.carriedFloats));
  grid.colourFloats = static_cast<uint32_t>(floats);
  grid.colours = worker.blocks.take(floats);
  float* at = grid.colours.get();
  copyPlanes(worker, *node.prim, vars.find(gridNames().Ci), 3, points, at);
  m.ci = {at, 3 * n}, at += 3 * n;
  if (!opaque) {
    copyPlanes(worker, *node.prim, vars.find(gridNames().Oi), 3, points, at);
    m.oi = {at, 3 * n}, at += 3 * n;
  }
  m.aov = {at, n * static_cast<size_t>(outputs.carriedFloats)};
  for (const CarriedVariable& c : outputs.carried) {
    float* const to = at + static_cast<size_t>(c.plane) * n;
    if (isVelocity(c.variable))
      fillVelocity(*node.prim, m, to);
    else if (isObjectId(c.variable))
      fillObjectId(node.prim->objectId, vars.find(c.variable.name), points, points, to);
    else
      copyPlanes(worker, *node.prim, vars.find(c.variable.name), c.width, points, to);
  }
  dropVelocityKeys(*node.prim, m);
  grid.bytes += static_cast<int64_t>(floats * sizeof(float));
  worker.addGridBytes(static_cast<int64_t>(floats * sizeof(float)));
  // 3. The rest goes.
  worker.works.give(std::move(node.work));
}

}  // namespace reyes::render
