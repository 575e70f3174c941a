// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/grid_dice.h"

#include <algorithm>

#include "reyes/render/grid_names.h"

namespace reyes::render {
namespace {

/// Applies `f` to each triple of a variable: every point, every element; the padding too.
template <class F>
void eachTriple(const Var& v, F f) {
  const int n = v.uniform ? 1 : v.stride;
  for (int e = 0; e < v.spec.elements(); ++e) {
    float *x = v.plane(0, e), *y = v.plane(1, e), *z = v.plane(2, e);
    for (int i = 0; i < n; ++i) {
      const Vec3 r = f(Vec3{x[i], y[i], z[i]});
      x[i] = r.x, y[i] = r.y, z[i] = r.z;
    }
  }
}

void hpointToCamera(const Var& v, const Matrix4& m) {
  const int n = v.uniform ? 1 : v.stride;
  for (int e = 0; e < v.spec.elements(); ++e)
    for (int i = 0; i < n; ++i) {
      const Vec4 r = transformHomogeneous(m, {v.plane(0, e)[i], v.plane(1, e)[i], v.plane(2, e)[i], v.plane(3, e)[i]});
      v.plane(0, e)[i] = r.x, v.plane(1, e)[i] = r.y, v.plane(2, e)[i] = r.z, v.plane(3, e)[i] = r.w;
    }
}

/// All variables of a grid from object to camera space. Ng keeps to the outside, or is turned by ReverseOrientation;
/// normals that the scene file gives are taken as they are.
void toCamera(VarBlock& vars, const MotionKey& key, bool reverse) {
  for (const Var& v : vars.all()) {
    primvarToCamera(v, key);
    if (reverse && v.spec.type == Type::kNormal && v.spec.name == gridNames().Ng)
      eachTriple(v, [](Vec3 n) { return n * -1.0f; });
  }
}

/// Moves the varying numbers of `vars` towards those of `next`.
void blend(VarBlock& vars, const VarBlock& next, float f) {
  for (const Var& v : vars.all()) {
    const Var* n = next.find(v.spec.name);
    if (!n || !v.data || !n->data || v.uniform) continue;
    const size_t count = static_cast<size_t>(v.spec.width()) * v.stride;
    for (size_t i = 0; i < count; ++i) v.data[i] = lerp(v.data[i], n->data[i], f);
  }
}

/// Change of a parameter from one grid line to the next; the face's own step where the primitive has none.
float step(const Var* v, int last, int n, float fallback) {
  if (n == 0) return 1;
  const float d = v && !v->uniform ? (v->data[last] - v->data[0]) / static_cast<float>(n) : 0.0f;
  return d != 0 ? d : fallback / static_cast<float>(n);
}

}  // namespace

void primvarToCamera(const Var& v, const MotionKey& key) {
  const Matrix4 &m = key.cameraFromObject, &inverse = key.objectFromCamera;
  switch (v.spec.type) {
    case Type::kPoint:
      eachTriple(v, [&](Vec3 p) { return transformPoint(m, p); });
      break;
    case Type::kVector:
      eachTriple(v, [&](Vec3 p) { return transformVector(m, p); });
      break;
    case Type::kNormal:
      eachTriple(v, [&](Vec3 p) { return transformNormal(inverse, p); });
      break;
    case Type::kHPoint:
      hpointToCamera(v, m);
      break;
    default:
      break;
  }
}

void diceInto(const PrimitiveFrame& prim, const DicePlan& plan, GridWork& work) {
  const MotionKey& key = prim.keys()[static_cast<size_t>(plan.key)];
  const int points = plan.points();
  // 1. The surface at the key's time.
  work.arena.reset();
  const VarBlock none(points);
  work.vars = none;  // copied: the room that the last grid's list of variables took stays
  geom::DiceRequest request;
  request.face = plan.face, request.rect = plan.rect;
  request.nu = plan.nu, request.nv = plan.nv;
  request.key = key.from;
  request.primvars = prim.primvars;
  request.positionsOnly = plan.positionsOnly;
  request.cells = plan.cells;
  prim.geometry().dice(request, work.vars, work.arena);
  if (key.fraction > 0) {
    VarBlock next(points);
    request.key = key.to;
    prim.geometry().dice(request, next, work.arena);
    blend(work.vars, next, key.fraction);
  }
  // 2. Into camera space.
  toCamera(work.vars, key, prim.attributes().reverseOrientation);
  if (plan.positionsOnly) return;
  if (const Var* ng = work.vars.find(gridNames().Ng); ng && !work.vars.find(gridNames().N)) {
    const Var source = *ng;
    const Var& n = work.vars.add({gridNames().N, Type::kNormal, Storage::kVarying, 0}, work.arena);
    std::copy_n(source.data, 3 * static_cast<size_t>(source.stride), n.data);
  }
  // 3. What shaders want to know of the grid.
  shade::ShadeGrid& g = work.grid;
  g = shade::ShadeGrid{};
  if (plan.cells.empty()) {
    g.nu = plan.nu, g.nv = plan.nv;
    g.du = step(work.vars.find(gridNames().u), plan.nu, plan.nu, plan.rect.u1 - plan.rect.u0);
    g.dv = step(work.vars.find(gridNames().v), plan.nv * (plan.nu + 1), plan.nv, plan.rect.v1 - plan.rect.v0);
  } else {
    const int n = static_cast<int>(plan.cells.size());
    g.nu = n - 1, g.nv = 3, g.cells = true;
    g.du = step(work.vars.find(gridNames().u), n, 1, 1), g.dv = step(work.vars.find(gridNames().v), 2 * n, 1, 1);
  }
  g.vars = &work.vars, g.arena = &work.arena;
  g.primitive = &prim.source();
  g.cameraFromObject = key.cameraFromObject;
  g.time = key.time;
  g.seed = plan.seed;
}

}  // namespace reyes::render
