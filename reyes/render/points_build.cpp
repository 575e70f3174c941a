// SPDX-License-Identifier: Apache-2.0
// Points become a grid of discs: centres and radii in the raster at every motion key, variables of the first key for
// the shaders. Called when a node of points is opened.
#include <algorithm>
#include <cmath>

#include "reyes/geom/points.h"
#include "reyes/render/elements.h"
#include "reyes/render/grid_build.h"
#include "reyes/render/grid_dice.h"

namespace reyes::render {
namespace {

Vec3 pointAt(const geom::PointSet& set, const MotionKey& key, int point) {
  const size_t i = static_cast<size_t>(point);
  Vec3 v = set.positions(key.from)[i];
  if (key.fraction > 0) v = lerp(v, set.positions(key.to)[i], key.fraction);
  return transformPoint(key.cameraFromObject, v);
}

/// Positions in camera space at motion key k.
void placePoints(const Node& node, int k, float* const p[3]) {
  const geom::PointSet& set = *node.prim->geometry().asPoints();
  const MotionKey& key = node.prim->keys()[static_cast<size_t>(k)];
  if (!(key.fraction > 0) && !key.projective) {
    const Vec3* from = set.positions(key.from).data() + node.begin;
    const Matrix4 m = key.cameraFromObject;
    for (int c = 0; c < 3; ++c)
      for (int n = 0; n < node.end - node.begin; ++n)
        p[c][n] = from[n].x * m.m[0][c] + from[n].y * m.m[1][c] + from[n].z * m.m[2][c] + m.m[3][c];
    return;
  }
  for (int i = node.begin, n = 0; i < node.end; ++i, ++n) {
    const Vec3 v = pointAt(set, key, i);
    p[0][n] = v.x, p[1][n] = v.y, p[2][n] = v.z;
  }
}

/// Widths of the node's points in camera space at motion key k.
void placeWidths(const Node& node, int k, std::vector<float>& widths) {
  const geom::PointSet& set = *node.prim->geometry().asPoints();
  const MotionKey& key = node.prim->keys()[static_cast<size_t>(k)];
  widths.resize(static_cast<size_t>(node.end - node.begin));
  for (int i = node.begin; i < node.end; ++i) {
    const float a = set.width(i, key.from);
    const float width = key.fraction > 0 ? lerp(a, set.width(i, key.to), key.fraction) : a;
    widths[static_cast<size_t>(i - node.begin)] =
        width * (key.projective ? key.scaleAt(pointAt(set, key, i)) : key.scale);
  }
}

/// Everything that shaders may ask of points: flat, in the plane of the picture, facing the eye.
void addVariables(const Node& node, int k, std::span<const float> widths, GridWork& work) {
  static const Name kP = "P", kDPdu = "dPdu", kDPdv = "dPdv", kNg = "Ng", kN = "N";
  static const Name kParameters[] = {"u", "v", "s", "t"};
  const PrimitiveFrame& prim = *node.prim;
  const geom::PointSet& set = *prim.geometry().asPoints();
  const MotionKey& key = prim.keys()[static_cast<size_t>(k)];
  VarBlock& vars = work.vars;
  const int n = vars.points();
  vars.add({kP, Type::kPoint, Storage::kVarying, 0}, work.arena);
  const Var du = vars.add({kDPdu, Type::kVector, Storage::kVarying, 0}, work.arena);
  const Var dv = vars.add({kDPdv, Type::kVector, Storage::kVarying, 0}, work.arena);
  const Var ng = vars.add({kNg, Type::kNormal, Storage::kVarying, 0}, work.arena);
  // Ng is dPdu x dPdv, the other way round where the surface is turned: towards the eye either way.
  const bool flip = prim.attributes().reverseOrientation != mirrors(key.cameraFromObject);
  for (int i = 0; i < n; ++i) {
    const float w = widths[static_cast<size_t>(i)];
    du.plane(0)[i] = flip ? -w : w, dv.plane(1)[i] = -w;
    ng.plane(2)[i] = -1;
  }
  for (const Name name : kParameters) vars.add({name, Type::kFloat, Storage::kVarying, 0}, work.arena);
  for (const Name name : prim.primvars) {
    const bool texture = name == kParameters[2] || name == kParameters[3];
    if (!texture && vars.find(name)) continue;
    if (texture) {
      // Its own s or t takes the place of the zero one.
      VarBlock own(n);
      set.addPrimvar(name, node.begin, own, work.arena);
      const Var *from = own.find(name), *to = vars.find(name);
      if (!from || from->spec.type != Type::kFloat) continue;
      for (int i = 0; i < n; ++i) to->data[i] = from->uniform ? from->data[0] : from->data[i];
      continue;
    }
    set.addPrimvar(name, node.begin, vars, work.arena);
    if (const Var* v = vars.find(name)) primvarToCamera(*v, key);
  }
  if (!vars.find(kN)) {
    const Var& normal = vars.add({kN, Type::kNormal, Storage::kVarying, 0}, work.arena);
    std::fill_n(normal.plane(2), n, -1.0f);
  }
}

}  // namespace

bool buildPoints(Worker& worker, Node& node) {
  const PrimitiveFrame& prim = *node.prim;
  const Projector& view = prim.projector();
  const geom::PointSet& set = *prim.geometry().asPoints();
  const int n = node.end - node.begin, keys = prim.keyCount();
  const size_t count = static_cast<size_t>(n), all = count * static_cast<size_t>(keys);
  // 1. Room for centres and radii at all keys.
  node.grid = std::make_unique<Grid>();
  Grid& grid = *node.grid;
  grid.positions = std::make_unique_for_overwrite<float[]>(4 * all);
  grid.bytes = static_cast<int64_t>(sizeof(Grid) + 4 * all * sizeof(float));
  hider::MicroGrid& m = grid.micro;
  m.kind = hider::GridKind::kDiscs;
  m.nu = n, m.nv = 1, m.keys = keys, m.times = prim.shutterTimes();
  float* const base = grid.positions.get();
  m.x = {base, all}, m.y = {base + all, all}, m.z = {base + 2 * all, all};
  GridParts& parts = grid.parts();
  parts.shown.radius = {base + 3 * all, all}, parts.shown.radiusAspect = view.pixelAspect();
  parts.elements.resize(count);
  for (size_t i = 0; i < count; ++i) parts.elements[i] = set.original(node.begin + static_cast<int>(i));
  // 2. Each key: displaced where it is, projected.
  node.work = worker.works.take();
  std::vector<float>& widths = worker.elementValues;
  RasterBound box;
  for (int k = 0; k < keys; ++k) {
    GridWork& work = k == 0 ? *node.work : worker.scratch;
    work.arena.reset();
    work.vars = VarBlock(n);
    placeWidths(node, k, widths);
    if (k == 0 || prim.displaces())
      addVariables(node, k, widths, work);
    else
      work.vars.add({"P", Type::kPoint, Storage::kVarying, 0}, work.arena);
    const Var p = *work.vars.find("P");
    float* const planes[3] = {p.plane(0), p.plane(1), p.plane(2)};
    {
      const StageTimer timer(worker.stats, Stage::kDice);
      placePoints(node, k, planes);
    }
    startShadeGrid(node, k, work);
    if (prim.displaces()) displaceElements(worker, node, k, work);
    const size_t at = count * static_cast<size_t>(k);
    const KeyPlanes raster{base + at, base + all + at, base + 2 * all + at};
    const auto clips = clippingPlanes(*worker.frame->view, prim.keys()[static_cast<size_t>(k)].time);
    project(prim, clips, n, planes, raster);
    for (int i = 0; i < n; ++i) {
      const float r = widths[static_cast<size_t>(i)] * 0.5f * view.pixelsAt(raster.z[i]);
      base[3 * all + at + static_cast<size_t>(i)] = r;
      if (!(std::isfinite(raster.x[i]) && std::isfinite(raster.y[i]) && std::isfinite(raster.z[i]))) continue;
      box.add(raster.x[i] - r, raster.y[i] - r * parts.shown.radiusAspect, raster.z[i]);
      box.add(raster.x[i] + r, raster.y[i] + r * parts.shown.radiusAspect, raster.z[i]);
    }
  }
  return finishElements(worker, node, box);
}

}  // namespace reyes::render
