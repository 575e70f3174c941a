// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/face_sides.h"

#include "reyes/base/hash.h"

namespace reyes::render {
namespace {

using geom::Side;

/// A corner of a face and the two sides that meet there: which end (0 start, 1 end) of each.
struct Corner {
  Side first;
  int firstEnd;
  Side second;
  int secondEnd;
};
constexpr Corner kCorners[4] = {{Side::kV0, 0, Side::kU0, 0},
                                {Side::kV0, 1, Side::kU1, 0},
                                {Side::kV1, 0, Side::kU0, 1},
                                {Side::kV1, 1, Side::kU1, 1}};

bool inside(float t) { return t > 0 && t < 1; }
float sideEnd(const geom::FaceEdge& e, int end) { return end == 0 ? e.t0 : e.t1; }

SideRef edgeRef(LinePtr line, const geom::FaceEdge& e) {
  SideRef s;
  s.a = e.t0, s.b = e.t1;
  s.ia = line->nearest(e.t0), s.ib = line->nearest(e.t1);
  s.line = std::move(line);
  return s;
}

/// The line of an edge, which the next face along it finds again. Long ones are rare, and large.
LinePtr sharedEdge(Worker& worker, const PrimitiveFrame& prim, int face, Side side, const geom::FaceEdge& e) {
  constexpr int kMostPoints = 64;
  if (const LinePtr* known = worker.edges.find(prim, e.id)) return *known;
  LinePtr line = Line::makeEdge(prim, face, side, {}, {});
  if (line->count() <= kMostPoints && prim.geometry().faceCount() > 1) worker.edges.keep(prim, e.id, line);
  return line;
}

/// The stretch of a side below or above its middle.
SideRef half(const SideRef& s, bool upper) {
  SideRef r = s;
  const float mid = (s.a + s.b) / 2;
  const int at = s.line->nearest(mid);
  if (upper)
    r.a = mid, r.ia = at;
  else
    r.b = mid, r.ib = at;
  return r;
}

}  // namespace

uint64_t hashPlace(int face, const geom::UvRect& r) {
  const auto bits = [](float f) { return static_cast<uint64_t>(f * 16777216.0f); };
  return hashCombine(static_cast<uint64_t>(face), (bits(r.u0) << 32) | bits(r.v0), (bits(r.u1) << 32) | bits(r.v1));
}

void makeFaceSides(Worker& worker, Node& node) {
  const PrimitiveFrame& prim = *node.prim;
  const int face = node.begin;
  geom::FaceEdge edges[4];
  bool partial[4];
  for (int s = 0; s < 4; ++s) {
    edges[s] = prim.geometry().edge(face, static_cast<Side>(s));
    partial[s] = inside(edges[s].t0) || inside(edges[s].t1);
  }
  // 1. Sides that are parts of longer edges: their corners inside the edge are points of that edge.
  for (size_t s = 0; s < 4; ++s)
    if (partial[s]) node.sides[s] = edgeRef(sharedEdge(worker, prim, face, static_cast<Side>(s), edges[s]), edges[s]);
  // 2. The others; where one ends inside such an edge, it ends on a point of it.
  for (size_t s = 0; s < 4; ++s) {
    if (partial[s]) continue;
    Anchor ends[2];
    for (const Corner& c : kCorners) {
      const bool isFirst = static_cast<size_t>(c.first) == s, isSecond = static_cast<size_t>(c.second) == s;
      if (!isFirst && !isSecond) continue;
      const auto other = static_cast<size_t>(isFirst ? c.second : c.first);
      const int otherEnd = isFirst ? c.secondEnd : c.firstEnd, thisEnd = isFirst ? c.firstEnd : c.secondEnd;
      if (!partial[other] || !inside(sideEnd(edges[other], otherEnd))) continue;
      const SideRef& o = node.sides[other];
      ends[sideEnd(edges[s], thisEnd) == 0 ? 0 : 1] = {o.line, otherEnd == 0 ? o.ia : o.ib};
    }
    node.sides[s] =
        edgeRef(ends[0].line || ends[1].line
                    ? Line::makeEdge(prim, face, static_cast<Side>(s), std::move(ends[0]), std::move(ends[1]))
                    : sharedEdge(worker, prim, face, static_cast<Side>(s), edges[s]),
                edges[s]);
  }
  node.hasSides = true;
}

bool canSplit(const Node& node, Axis axis) {
  const float lo = axis == Axis::kU ? node.rect.u0 : node.rect.v0, hi = axis == Axis::kU ? node.rect.u1 : node.rect.v1;
  return hi - lo > 0x1p-22f;
}

void splitPiece(const Node& parent, Axis axis, Node& low, Node& high) {
  const geom::UvRect& r = parent.rect;
  const bool u = axis == Axis::kU;
  const float mid = u ? (r.u0 + r.u1) / 2 : (r.v0 + r.v1) / 2;
  for (Node* n : {&low, &high}) {
    n->prim = parent.prim;
    n->begin = parent.begin, n->end = parent.end;
    n->depth = static_cast<uint8_t>(parent.depth + 1);
    n->rect = r;
    n->hasSides = true;
  }
  // The sides that the cut meets, the sides that stay whole, and the cut between their middles.
  const auto at = [](Side s) { return static_cast<size_t>(s); };
  const size_t metLow = at(u ? Side::kV0 : Side::kU0), metHigh = at(u ? Side::kV1 : Side::kU1);
  const size_t outerLow = at(u ? Side::kU0 : Side::kV0), outerHigh = at(u ? Side::kU1 : Side::kV1);
  (u ? low.rect.u1 : low.rect.v1) = mid;
  (u ? high.rect.u0 : high.rect.v0) = mid;
  for (const size_t s : {metLow, metHigh})
    low.sides[s] = half(parent.sides[s], false), high.sides[s] = half(parent.sides[s], true);
  low.sides[outerLow] = parent.sides[outerLow];
  high.sides[outerHigh] = parent.sides[outerHigh];
  SideRef cut;
  cut.a = u ? r.v0 : r.u0, cut.b = u ? r.v1 : r.u1;
  cut.line =
      Line::makeCut(*parent.prim, parent.begin, axis, mid, cut.a, cut.b, {low.sides[metLow].line, low.sides[metLow].ib},
                    {low.sides[metHigh].line, low.sides[metHigh].ib});
  cut.ia = 0, cut.ib = cut.line->count() - 1;
  low.sides[outerHigh] = cut;
  high.sides[outerLow] = std::move(cut);
  low.place = hashPlace(low.begin, low.rect), high.place = hashPlace(high.begin, high.rect);
}

std::span<const std::vector<Vec3>> sidePoints(const Node& node, std::vector<std::vector<Vec3>>& room) {
  room.resize(static_cast<size_t>(node.prim->keyCount()));
  for (size_t k = 0; k < room.size(); ++k) {
    room[k].clear();
    for (const SideRef& s : node.sides)
      for (int i = std::min(s.ia, s.ib); i <= std::max(s.ia, s.ib); ++i)
        room[k].push_back(s.line->point(i, static_cast<int>(k)));
  }
  return room;
}

}  // namespace reyes::render
