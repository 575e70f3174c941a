// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/strip.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/hash.h"
#include "reyes/render/grid_dice.h"
#include "reyes/render/grid_names.h"

namespace reyes::render {
namespace {

using geom::Side;

/// Step of a strip's rows away from the line, in the face's parameter: about a micropolygon, but never outside.
float inwardStep(const PrimitiveFrame& prim, int face, Vec2 on, Vec2 inward) {
  constexpr float kProbe = 1.0f / 8;
  const Vec2 uv[2] = {on, on + inward * kProbe};
  Vec3 p[2];
  prim.points(face, uv, 0, p);
  const float pixels = prim.projector().rasterLength(p[0], p[1]) / kProbe;
  const float step = pixels > 0 ? prim.edgePixels(0) / pixels : 1.0f / 16;
  return std::clamp(step, 1.0f / 4096, 1.0f / 8);
}

/// Dices a small grid at every motion key and displaces it; calls take(key, vars) each time.
template <class F>
void displaceSmallGrid(Worker& worker, const PrimitiveFrame& prim, DicePlan plan, F take) {
  plan.seed = hashCombine(prim.source().path, plan.seed);
  for (int k = 0; k < prim.keyCount(); ++k) {
    plan.key = k;
    diceInto(prim, plan, worker.scratch);
    worker.shader->displacePoints(worker.scratch.grid);
    take(k, worker.scratch.vars);
  }
}

Vec3 pointOf(const VarBlock& vars, int i) {
  const Var* p = vars.find(gridNames().P);
  return {p->plane(0)[i], p->plane(1)[i], p->plane(2)[i]};
}

/// Along which face and where a leaf's strip is diced.
struct StripPlace {
  int face = 0;
  bool alongU = true;    ///< the line runs along u
  float x0 = 0, x1 = 1;  ///< parameters of the leaf's ends; x0 > x1 where the line runs against them
  float at = 0;          ///< the other parameter, on the line
  float inward = 1;      ///< +1: rows at larger parameters, -1: at smaller
};

StripPlace placeOf(const Line& line, const LineLeaf& leaf) {
  const Line::Course& c = line.course();
  StripPlace s;
  if (!c.isEdge) {
    s.face = c.face, s.alongU = c.axis == Axis::kV;
    s.x0 = leaf.t0, s.x1 = leaf.t1;
    s.at = c.at, s.inward = c.at < 0.5f ? 1.0f : -1.0f;
    return s;
  }
  const geom::FaceEdge e = line.primitive().geometry().edge(c.face, c.side);
  const float span = e.ownerT1 - e.ownerT0;
  s.face = e.ownerFace;
  s.alongU = e.ownerSide == Side::kV0 || e.ownerSide == Side::kV1;
  s.x0 = std::clamp((leaf.t0 - e.ownerT0) / span, 0.0f, 1.0f);
  s.x1 = std::clamp((leaf.t1 - e.ownerT0) / span, 0.0f, 1.0f);
  const bool far = e.ownerSide == Side::kU1 || e.ownerSide == Side::kV1;
  s.at = far ? 1.0f : 0.0f, s.inward = far ? -1.0f : 1.0f;
  return s;
}

/// The strip of a leaf: three rows, the line and two inwards, or the line alone where neighbours do not matter. `row`
/// is the line's.
DicePlan stripOf(const Line& line, const LineLeaf& leaf, const StripPlace& s, bool lineAlone, int& row) {
  DicePlan plan;
  plan.face = s.face;
  const float xl = std::min(s.x0, s.x1), xh = std::max(s.x0, s.x1);
  float yl = s.at, yh = s.at;
  if (!lineAlone) {
    const float mid = (s.x0 + s.x1) / 2;
    const Vec2 on = s.alongU ? Vec2{mid, s.at} : Vec2{s.at, mid};
    const float step = inwardStep(line.primitive(), s.face, on, s.alongU ? Vec2{0, s.inward} : Vec2{s.inward, 0});
    (s.inward > 0 ? yh : yl) = s.at + s.inward * 2 * step;
  }
  plan.rect = s.alongU ? geom::UvRect{xl, xh, yl, yh} : geom::UvRect{yl, yh, xl, xh};
  const int across = lineAlone ? 0 : 2;
  plan.nu = s.alongU ? leaf.count : across, plan.nv = s.alongU ? across : leaf.count;
  plan.seed = hashCombine(static_cast<uint64_t>(s.face), static_cast<uint64_t>(xl * 16777216.0f),
                          static_cast<uint64_t>(s.at * 16777216.0f) * 2 + s.alongU);
  row = s.inward > 0 ? 0 : across;
  return plan;
}

/// Displaces the strip of one leaf and stores `owned` points after its first, which belongs to what is before it.
void moveLeaf(Worker& worker, const Line& line, const LineLeaf& leaf, int owned, std::vector<Vec3>& points) {
  const StripPlace s = placeOf(line, leaf);
  const bool lineAlone = worker.shader->displacesPointwise(line.primitive().attributes());
  int row = 0;
  const DicePlan plan = stripOf(line, leaf, s, lineAlone, row);
  const bool reversed = s.x0 > s.x1;
  const int width = plan.nu + 1;
  displaceSmallGrid(worker, line.primitive(), plan, [&](int k, const VarBlock& vars) {
    Vec3* to = &points[static_cast<size_t>(k) * static_cast<size_t>(line.count()) + static_cast<size_t>(leaf.first)];
    for (int i = 1; i <= owned; ++i) {
      const int along = reversed ? leaf.count - i : i;
      to[i] = pointOf(vars, s.alongU ? row * width + along : along * width + row);
    }
  });
}

/// A vertex of the primitive: the corner of a grid of 2 x 2 in the corner of the face that owns it, or a grid of its
/// own.
void moveVertex(Worker& worker, const PrimitiveFrame& prim, const geom::FaceVertex& v, std::vector<Vec3>& perKey) {
  if (const std::vector<Vec3>* known = worker.vertices.find(prim, v.id)) {
    perKey = *known;
    return;
  }
  const bool right = v.ownerCorner & 1, top = v.ownerCorner & 2;
  const Vec2 on{right ? 1.0f : 0.0f, top ? 1.0f : 0.0f};
  const bool alone = worker.shader->displacesPointwise(prim.attributes());
  const float du = alone ? 0 : inwardStep(prim, v.ownerFace, on, {right ? -1.0f : 1.0f, 0});
  const float dv = alone ? 0 : inwardStep(prim, v.ownerFace, on, {0, top ? -1.0f : 1.0f});
  DicePlan plan;
  plan.face = v.ownerFace;
  plan.rect = {right ? 1 - 2 * du : 0, right ? 1 : 2 * du, top ? 1 - 2 * dv : 0, top ? 1 : 2 * dv};
  plan.nu = plan.nv = alone ? 0 : 2;
  plan.seed = hashCombine(static_cast<uint64_t>(v.ownerFace), static_cast<uint64_t>(v.ownerCorner) + 7);
  perKey.resize(static_cast<size_t>(prim.keyCount()));
  displaceSmallGrid(worker, prim, plan, [&](int k, const VarBlock& vars) {
    perKey[static_cast<size_t>(k)] = pointOf(vars, alone ? 0 : (top ? 6 : 0) + (right ? 2 : 0));
  });
  worker.vertices.keep(prim, v.id, perKey);
}

/// The corner of an edge's owner at the edge's start (end 0) or end (1).
int ownerCornerAt(const geom::FaceEdge& e, int end) {
  const bool high = (e.ownerT0 < e.ownerT1) == (end == 1);  // the side's own end
  switch (e.ownerSide) {
    case Side::kV0:
      return high ? 1 : 0;
    case Side::kU1:
      return high ? 3 : 1;
    case Side::kV1:
      return high ? 3 : 2;
    case Side::kU0:
      break;
  }
  return high ? 2 : 0;
}

/// The displaced end of a line at every key: a point of the line that it ends on, or a vertex.
void moveEnd(Worker& worker, const Line& line, int end, std::vector<Vec3>& perKey) {
  const PrimitiveFrame& prim = line.primitive();
  const Anchor& a = line.anchor(end);
  if (a.line) {
    perKey.resize(static_cast<size_t>(prim.keyCount()));
    for (int k = 0; k < prim.keyCount(); ++k)
      movedPoints(worker, *a.line, a.index, a.index, k, &perKey[static_cast<size_t>(k)]);
    return;
  }
  const Line::Course& c = line.course();
  const geom::FaceEdge e = prim.geometry().edge(c.face, c.side);
  moveVertex(worker, prim, prim.geometry().vertex(e.ownerFace, ownerCornerAt(e, end)), perKey);
}

/// Makes sure that points first..last have been moved. Caller holds the line's mutex.
void makeMoved(Worker& worker, const Line& line, int first, int last) {
  Line::Moved& m = line.moved();
  const std::vector<LineLeaf>& leaves = line.leaves();
  const auto count = static_cast<size_t>(line.count());
  if (m.points.empty()) {
    m.points.resize(count * static_cast<size_t>(line.primitive().keyCount()));
    m.leafDone.assign(leaves.size() + 2, 0);  // and the two ends
  }
  // 1. Leaves: each owns its points after the first, the last one without the line's end.
  for (size_t l = 0; l < leaves.size(); ++l) {
    const LineLeaf& leaf = leaves[l];
    const int owned = leaf.count - (l + 1 == leaves.size() ? 1 : 0);
    if (m.leafDone[l] || owned == 0 || leaf.first + 1 > last || leaf.first + owned < first) continue;
    moveLeaf(worker, line, leaf, owned, m.points);
    m.leafDone[l] = 1;
  }
  // 2. Ends belong to older lines or to vertices.
  for (int end = 0; end < 2; ++end) {
    const size_t at = end == 0 ? 0 : count - 1;
    uint8_t& done = m.leafDone[leaves.size() + static_cast<size_t>(end)];
    if (done || at < static_cast<size_t>(first) || at > static_cast<size_t>(last)) continue;
    std::vector<Vec3> perKey;
    moveEnd(worker, line, end, perKey);
    for (size_t k = 0; k < perKey.size(); ++k) m.points[k * count + at] = perKey[k];
    done = 1;
  }
}

}  // namespace

void movedPoints(Worker& worker, const Line& line, int first, int last, int k, Vec3* out) {
  Line::Moved& m = line.moved();
  const std::lock_guard lock(m.mutex);
  makeMoved(worker, line, first, last);
  const Vec3* from = &m.points[static_cast<size_t>(k) * static_cast<size_t>(line.count())];
  std::copy(from + first, from + last + 1, out);
}

}  // namespace reyes::render
