// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/points.h"

#include <algorithm>

namespace reyes::geom {

PointSet::PointSet(PointData data) : data_(std::move(data)) {
  for (const PrimvarData& d : data_.variables ? data_.variables->data : data_.primvars) specs_.push_back(d.spec);
  trees_.resize(data_.positions.size());
  for (int k = 0; k < keyCount(); ++k)
    trees_[static_cast<size_t>(k)].build(faceCount(), [&](int i) {
      ElementBound b;
      b.box.add(positions(k)[static_cast<size_t>(i)]);
      b.radius = width(i, k) / 2;
      return b;
    });
}

void PointSet::addPrimvar(Name name, int begin, VarBlock& grid, Arena& arena) const {
  for (const PrimvarData& data : data_.primvars) {
    if (!(data.spec.name == name)) continue;
    Var& var = grid.add(data.spec, arena);
    if (var.uniform) return fillUniform(data, 0, var);
    const size_t width = static_cast<size_t>(data.spec.width()), stride = static_cast<size_t>(var.stride);
    for (int i = 0; i < grid.points(); ++i) {
      const float* from = &data.values[original(begin + i) * width];
      for (size_t c = 0; c < width; ++c) var.data[c * stride + static_cast<size_t>(i)] = from[c];
    }
    return;
  }
}

Bound3 PointSet::bound(int begin, int end, int key) const {
  ElementBound b = elementBound(begin, end, key);
  b.box.grow(b.radius);
  return b.box;
}
Bound3 PointSet::bound(int face, const UvRect&, int key) const {
  Bound3 b;
  b.add(positions(key)[static_cast<size_t>(face)]);
  b.grow(width(face, key) / 2);
  return b;
}
void PointSet::pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const {
  std::fill_n(out, uv.size(), positions(key)[static_cast<size_t>(face)]);
}
void PointSet::edgePoints(int face, Side, std::span<const float> t, int key, Vec3* out) const {
  std::fill_n(out, t.size(), positions(key)[static_cast<size_t>(face)]);
}
FaceEdge PointSet::edge(int face, Side side) const {
  FaceEdge e;
  e.id = static_cast<uint64_t>(face) * 4 + static_cast<uint64_t>(side);
  e.ownerFace = face, e.ownerSide = side, e.point = true;
  return e;
}
FaceVertex PointSet::vertex(int face, int corner) const {
  return {static_cast<uint64_t>(face) * 4 + static_cast<uint64_t>(corner), face, corner};
}

void PointSet::dice(const DiceRequest& request, VarBlock& grid, Arena& arena) const {
  // A face without size: every vertex is the point.
  const auto add = [&](const char* name, Type type, Vec3 value) {
    Var& v = grid.add({name, type, Storage::kVarying, 0}, arena);
    for (int c = 0; c < componentCount(type); ++c) std::fill_n(v.plane(c), grid.points(), value[c]);
  };
  add("P", Type::kPoint, positions(request.key)[static_cast<size_t>(request.face)]);
  if (request.positionsOnly) return;
  const float w = width(request.face, request.key);
  add("dPdu", Type::kVector, {w, 0, 0}), add("dPdv", Type::kVector, {0, w, 0}), add("Ng", Type::kNormal, {0, 0, 1});
  for (const char* name : {"u", "v", "s", "t"}) add(name, Type::kFloat, {});
  for (const Name name : request.primvars) {
    if (grid.find(name)) continue;
    for (const PrimvarData& data : data_.primvars) {
      if (!(data.spec.name == name)) continue;
      Var& var = grid.add(data.spec, arena);
      const size_t item = var.uniform ? 0 : original(request.face);
      if (var.uniform) {
        fillUniform(data, item, var);
        continue;
      }
      for (size_t c = 0; c < static_cast<size_t>(data.spec.width()); ++c)
        std::fill_n(var.data + c * static_cast<size_t>(var.stride), grid.points(),
                    data.values[item * static_cast<size_t>(data.spec.width()) + c]);
    }
  }
}

}  // namespace reyes::geom
