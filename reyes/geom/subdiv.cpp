// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/subdiv.h"

#include <algorithm>
#include <cmath>

namespace reyes::geom {
namespace {

/// Corners of a quad of the control mesh, around it, as corners of a face (u fastest), and places of these.
constexpr int kCornerOfLoop[4] = {0, 1, 3, 2};
constexpr Vec2 kPlace[4] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};

}  // namespace

void SubdivTopology::findOwners() {
  firstFace.assign(mesh.sourceFace.size(), -1);
  edges.assign(static_cast<size_t>(mesh.edgeCount), Edge());
  vertexOwner.assign(static_cast<size_t>(mesh.vertexCount), {-1, 0});
  middleOwner.assign(static_cast<size_t>(mesh.edgeCount), -1);
  for (int f = 0; f < static_cast<int>(faces.size()); ++f) {
    const auto [control, corner] = faces[static_cast<size_t>(f)];
    if (firstFace[static_cast<size_t>(control)] < 0) firstFace[static_cast<size_t>(control)] = f;
    const bool quad = corner < 0;
    // Edges, and vertices of the control mesh: the first face with them, quads before others on edges.
    for (int k = quad ? 0 : corner; k <= (quad ? 3 : corner); ++k) {
      std::array<int, 2>& owner = vertexOwner[static_cast<size_t>(mesh.vertex(control, k))];
      if (owner[0] < 0) owner = {f, quad ? kCornerOfLoop[k] : 0};
    }
    const int count = mesh.size(control);
    for (int k = 0; k < count && (quad || corner == 0); ++k) {
      Edge& e = edges[static_cast<size_t>(mesh.edge(control, k))];
      if (e.face < 0 || (quad && !e.whole)) e = {f, k, quad};
    }
    if (quad) continue;
    for (const int side : {corner, corner + count - 1}) {
      int& owner = middleOwner[static_cast<size_t>(mesh.edge(control, side))];
      if (owner < 0) owner = f * 4 + (side == corner ? 1 : 2);
    }
  }
}

SubdivGeometry::SubdivGeometry(SubdivData data, const float st[8])
    : data_(std::move(data)), topology_(*data_.topology) {
  setTextureCoordinates(st);
  setPrimvars(std::move(data_.primvars));
  ranges_.resize(data_.positions.size());
  for (size_t key = 0; key < ranges_.size(); ++key) {
    patchBoxes_.push_back(topology_.sets[0].boxes(data_.positions[key].data()));
    ranges_[key].build(faceCount(), [&](int f) { return bound(f, UvRect(), static_cast<int>(key)); });
  }
}

bool SubdivGeometry::forward(int face, int corner) const {
  return topology_.mesh.vertex(face, corner) < topology_.mesh.vertex(face, corner + 1);
}

SubdivGeometry::Line SubdivGeometry::line(int face, Side side) const {
  const auto [control, corner] = topology_.faces[static_cast<size_t>(face)];
  const ControlMesh& mesh = topology_.mesh;
  // Along the loop: v=0 and u=1 run with it, v=1 and u=0 against it.
  if (corner < 0) {
    const int k = static_cast<int>(side);
    const bool with = (k < 2) == forward(control, k);
    return {Line::kControl, mesh.edge(control, k), control, with ? 0.0f : 1.0f, with ? 1.0f : 0.0f};
  }
  const int previous = corner + mesh.size(control) - 1;
  if (side == Side::kV0) {
    const bool with = forward(control, corner);
    return {Line::kControl, mesh.edge(control, corner), control, with ? 0.0f : 1.0f, 0.5f};
  }
  if (side == Side::kU0) {
    const bool with = forward(control, previous);
    return {Line::kControl, mesh.edge(control, previous), control, with ? 1.0f : 0.0f, 0.5f};
  }
  return {Line::kInner, mesh.corner(control, side == Side::kU1 ? corner : previous), control, 0, 1};
}

FaceEdge SubdivGeometry::edge(int face, Side side) const {
  const Line l = line(face, side);
  const ControlMesh& mesh = topology_.mesh;
  FaceEdge e;
  if (l.kind == Line::kInner) {
    e.id = 2 * static_cast<uint64_t>(mesh.edgeCount) + static_cast<uint64_t>(l.index);
    // Side u=1 of the corner's own face; the next corner's face, on its v=1, may come before it.
    const int k = l.index - mesh.firstCorner[static_cast<size_t>(l.face)], count = mesh.size(l.face);
    const int first = topology_.firstFace[static_cast<size_t>(l.face)];
    const bool wraps = k == count - 1;
    e.ownerFace = wraps ? first : first + k;
    e.ownerSide = wraps ? Side::kV1 : Side::kU1;
    return e;
  }
  const SubdivTopology::Edge& own = topology_.edges[static_cast<size_t>(l.index)];
  const int control = topology_.faces[static_cast<size_t>(own.face)][0];
  const bool with = forward(control, own.corner);
  if (own.whole) {
    e.id = 2 * static_cast<uint64_t>(l.index);
    e.t0 = l.from, e.t1 = l.to;
    e.ownerFace = own.face;
    e.ownerSide = static_cast<Side>(own.corner);
    const bool back = (own.corner < 2) != with;
    e.ownerT0 = back ? 1.0f : 0.0f, e.ownerT1 = back ? 0.0f : 1.0f;
    return e;
  }
  // Halves: the first one runs from the lower vertex to the middle, the second one on to the higher vertex.
  const bool high = std::max(l.from, l.to) > 0.5f;
  e.id = 2 * static_cast<uint64_t>(l.index) + (high ? 1 : 0);
  e.t0 = high ? l.from * 2 - 1 : l.from * 2, e.t1 = high ? l.to * 2 - 1 : l.to * 2;
  // The owner's corner at that end: the edge's start in its loop (side v=0), or the next corner (side u=0).
  const bool start = with != high;
  e.ownerFace =
      topology_.firstFace[static_cast<size_t>(control)] + (start ? own.corner : (own.corner + 1) % mesh.size(control));
  e.ownerSide = start ? Side::kV0 : Side::kU0;
  e.ownerT0 = high ? 1.0f : 0.0f, e.ownerT1 = high ? 0.0f : 1.0f;
  return e;
}

FaceVertex SubdivGeometry::vertex(int face, int k) const {
  const auto [control, corner] = topology_.faces[static_cast<size_t>(face)];
  const ControlMesh& mesh = topology_.mesh;
  const auto ofVertex = [&](int v) {
    const std::array<int, 2>& owner = topology_.vertexOwner[static_cast<size_t>(v)];
    return FaceVertex{static_cast<uint64_t>(v), owner[0], owner[1]};
  };
  if (corner < 0) return ofVertex(mesh.vertex(control, kCornerOfLoop[k]));
  if (k == 0) return ofVertex(mesh.vertex(control, corner));
  const uint64_t vertices = static_cast<uint64_t>(mesh.vertexCount), edges = static_cast<uint64_t>(mesh.edgeCount);
  if (k == 3)
    return {vertices + edges + static_cast<uint64_t>(control), topology_.firstFace[static_cast<size_t>(control)], 3};
  const int e = mesh.edge(control, k == 1 ? corner : corner + mesh.size(control) - 1);
  const int owner = topology_.middleOwner[static_cast<size_t>(e)];
  return {vertices + static_cast<uint64_t>(e), owner / 4, owner % 4};
}

SubdivGeometry::Place SubdivGeometry::vertexPlace(int v) const {
  const std::array<int, 2>& owner = topology_.vertexOwner[static_cast<size_t>(v)];
  return {owner[0], kPlace[owner[1]]};
}

/// t from the lower to the higher vertex.
SubdivGeometry::Place SubdivGeometry::controlEdgePlace(int index, float t) const {
  const SubdivTopology::Edge& e = topology_.edges[static_cast<size_t>(index)];
  const int control = topology_.faces[static_cast<size_t>(e.face)][0];
  const bool with = forward(control, e.corner);
  if (t == 0 || t == 1) return vertexPlace(topology_.mesh.vertex(control, e.corner + ((t == 1) == with ? 1 : 0)));
  const float x = with ? t : 1 - t;  // along the owner's loop
  if (e.whole) {
    const Vec2 uv[4] = {{x, 0}, {1, x}, {1 - x, 1}, {0, 1 - x}};
    return {e.face, uv[e.corner]};
  }
  const int first = topology_.firstFace[static_cast<size_t>(control)];
  if (x <= 0.5f) return {first + e.corner, {2 * x, 0}};
  return {first + (e.corner + 1) % topology_.mesh.size(control), {0, 2 * (1 - x)}};
}

SubdivGeometry::Place SubdivGeometry::innerLinePlace(const Line& l, float t) const {
  const int first = topology_.firstFace[static_cast<size_t>(l.face)];
  if (t == 0) return controlEdgePlace(topology_.mesh.edges[static_cast<size_t>(l.index)], 0.5f);
  if (t == 1) return {first, {1, 1}};
  return {first + l.index - topology_.mesh.firstCorner[static_cast<size_t>(l.face)], {1, t}};
}

void SubdivGeometry::edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const {
  const Line l = line(face, side);
  const bool halves = l.kind == Line::kControl && !topology_.edges[static_cast<size_t>(l.index)].whole;
  const float base = halves && std::max(l.from, l.to) > 0.5f ? 0.5f : 0.0f, scale = halves ? 0.5f : 1.0f;
  const float* values = data_.positions[static_cast<size_t>(key)].data();
  HeldPatch held;
  for (size_t i = 0; i < t.size(); ++i) {
    const Place place =
        l.kind == Line::kInner ? innerLinePlace(l, t[i]) : controlEdgePlace(l.index, base + scale * t[i]);
    out[i] = topology_.sets[0].point(place.face, place.uv, values, held);
  }
}

void SubdivGeometry::pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const {
  HeldPatch held;
  for (size_t i = 0; i < uv.size(); ++i)
    out[i] = topology_.sets[0].point(face, uv[i], data_.positions[static_cast<size_t>(key)].data(), held);
}

void SubdivGeometry::derivativesAt(int face, float u, float v, int key, Vec3& du, Vec3& dv) const {
  Vec3 p;
  topology_.sets[0].evaluate(face, {u, v}, data_.positions[static_cast<size_t>(key)].data(), 3, 3, &p.x, &du.x, &dv.x);
}

Bound3 SubdivGeometry::bound(int begin, int end, int key) const {
  return ranges_[static_cast<size_t>(key)].query(begin, end, [&](int f) { return bound(f, UvRect(), key); });
}

Bound3 SubdivGeometry::bound(int face, const UvRect& rect, int key) const {
  const size_t k = static_cast<size_t>(key);
  return topology_.sets[0].bound(face, rect, data_.positions[k].data(), patchBoxes_[k]);
}

}  // namespace reyes::geom
