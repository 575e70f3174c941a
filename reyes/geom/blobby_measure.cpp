// SPDX-License-Identifier: Apache-2.0
// What a Blobby knows of its faces before any is diced: the field near each, where rays jump, how far each bends,
// boxes.
#include <algorithm>
#include <cmath>

#include "reyes/geom/blobby.h"

namespace reyes::geom {

/// Faces that follow each other are near each other: runs of them share a field without the leaves out of reach.
void BlobbyGeometry::makeFields(size_t key) {
  const BlobbyKey& k = keys_[key];
  std::vector<Bound3> boxes(quads_.size());
  for (size_t f = 0; f < boxes.size(); ++f)
    for (const int v : quads_[f]) boxes[f].add(k.points[static_cast<size_t>(v)]);
  fieldOfFace_[key].resize(quads_.size());
  k.field.overRuns(boxes, 2 * reach_, [&](const BlobbyField& part, size_t first, size_t last) {
    for (size_t f = first; f < last; ++f) fieldOfFace_[key][f] = static_cast<int>(fields_[key].size());
    fields_[key].push_back(std::make_unique<BlobbyField>(part));
  });
}

/// Where a ray of a face meets the surface, nearly, and whether it leaves steeply.
BlobbyGeometry::Probe BlobbyGeometry::probe(int face, size_t key, double u, double v) const {
  constexpr double kLeastSteep = 0.3, kNearly = 1e-5;
  const BlobbyKey& k = keys_[key];
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  const Double3 way = QuadPlace(k.directions, quad, u, v).p;
  const Hit hit = meet(fieldOf(face, static_cast<int>(key)), QuadPlace(k.points, quad, u, v).p, way, Nearly{kNearly});
  const double slope = dot(hit.gradient, way);
  const bool steep =
      slope < 0 && slope * slope > kLeastSteep * kLeastSteep * dot(hit.gradient, hit.gradient) * dot(way, way);
  return {hit.p, hit.found, steep};
}

/// Three by three places of a face: what others have found of its corners and sides is not looked for again.
void BlobbyGeometry::probeNine(int face, size_t key, Probes& shared, Probe nine[9]) const {
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  static constexpr int kCorner[4] = {0, 2, 6, 8}, kMiddle[4] = {1, 5, 7, 3};
  static constexpr double kU[4] = {0.5, 1, 0.5, 0}, kV[4] = {0, 0.5, 1, 0.5};
  shared.corners.resize(keys_[key].points.size()), shared.known.resize(keys_[key].points.size());
  for (size_t c = 0; c < 4; ++c) {
    const size_t vertex = static_cast<size_t>(quad[c]);
    if (!shared.known[vertex])
      shared.corners[vertex] = probe(face, key, static_cast<double>(c & 1), static_cast<double>(c >> 1));
    shared.known[vertex] = true;
    nine[kCorner[c]] = shared.corners[vertex];
  }
  for (const Side side : {Side::kV0, Side::kU1, Side::kV1, Side::kU0}) {
    const FaceEdge e = edges_.edge(face, side);
    const size_t s = static_cast<size_t>(side), at = static_cast<size_t>(e.id);
    if (at >= shared.middles.size()) shared.middles.resize(std::max(at + 1, shared.middles.size() * 2));
    if (e.ownerFace == face && e.ownerSide == side) shared.middles[at] = probe(face, key, kU[s], kV[s]);
    nine[kMiddle[s]] = shared.middles[at];
  }
  nine[4] = probe(face, key, 0.5, 0.5);
}

/// Whether the points of n + 1 by n + 1 probes are farther from each other than the quad's size lets them.
bool BlobbyGeometry::jumps(int face, size_t key, std::span<const Probe> probes, int n) const {
  constexpr double kMostStep = 2.5;
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  const auto corner = [&](size_t c) { return keys_[key].points[static_cast<size_t>(quad[c])]; };
  const double size = std::max(length(corner(0) - corner(3)), length(corner(1) - corner(2)));
  double step2 = 0;
  const size_t row = static_cast<size_t>(n) + 1;
  for (size_t at = 0; at < row * row; ++at) {
    const auto step = [&](size_t other) {
      const Double3 d = probes[at].p - probes[other].p;
      step2 = std::max(step2, dot(d, d));
    };
    if (at % row > 0) step(at - 1);
    if (at >= row) step(at - row);
  }
  return !(std::sqrt(step2) * n <= kMostStep * size);
}

/// Torn is a face where rays that start near each other meet the surface far apart, or not at all: at creases, and
/// where blobs just touch. Whoever wants short edges would cut such a face for ever.
bool BlobbyGeometry::torn(int face, size_t key, Probes& shared, Vec3* points) const {
  // Where three by three rays leave steeply the face is whole; else a closer look.
  Probe nine[9];
  probeNine(face, key, shared, nine);
  std::transform(nine, nine + 9, points, [](const Probe& p) { return toFloat(p.p); });
  if (std::any_of(nine, nine + 9, [](const Probe& p) { return !p.found; })) return true;
  if (std::all_of(nine, nine + 9, [](const Probe& p) { return p.steep; }) && !jumps(face, key, nine, 2)) return false;
  constexpr int kFine = 8;
  std::array<Probe, (kFine + 1) * (kFine + 1)> many;
  for (int i = 0; i < static_cast<int>(many.size()); ++i) {
    Probe& p = many[static_cast<size_t>(i)];
    p = probe(face, key, static_cast<double>(i % (kFine + 1)) / kFine, static_cast<double>(i / (kFine + 1)) / kFine);
    if (!p.found) return true;
  }
  return jumps(face, key, many, kFine);
}

void BlobbyGeometry::measureAll() {
  const size_t faces = quads_.size();
  std::vector<uint8_t> firm(keys_[0].points.size(), 1);
  Vec3 nine[9];
  bool any = false;
  for (size_t key = 0; key < keys_.size(); ++key) {
    Probes shared;
    bend_[key].resize(faces), bounds_[key].resize(faces);
    for (int face = 0; face < faceCount(); ++face) {
      if (!torn(face, key, shared, nine)) {
        measure(face, key, nine);
        continue;
      }
      any = true;
      for (const int v : quads_[static_cast<size_t>(face)]) firm[static_cast<size_t>(v)] = 0;
    }
  }
  if (!any) return;
  // Torn faces and those beside them are not what they were.
  firm_ = std::move(firm);
  Vec2 uv[9];
  for (int k = 0; k < 9; ++k) uv[k] = {static_cast<float>(k % 3) / 2, static_cast<float>(k / 3) / 2};
  for (int face = 0; face < faceCount(); ++face) {
    const std::array<int, 4>& q = quads_[static_cast<size_t>(face)];
    if (std::all_of(q.begin(), q.end(), [&](int v) { return firm_[static_cast<size_t>(v)] != 0; })) continue;
    for (size_t key = 0; key < keys_.size(); ++key) {
      pointsAt(face, uv, static_cast<int>(key), nine);
      measure(face, key, nine);
    }
  }
}

/// How far the surface leaves the quad between its own points, from the middles of sides and face; its box.
void BlobbyGeometry::measure(int face, size_t key, const Vec3* nine) {
  float most = 0;
  for (int k = 0; k < 3; ++k) {
    most = std::max(most, length(nine[3 * k + 1] - (nine[3 * k] + nine[3 * k + 2]) * 0.5f));
    most = std::max(most, length(nine[3 + k] - (nine[k] + nine[6 + k]) * 0.5f));
  }
  const size_t at = static_cast<size_t>(face);
  bend_[key][at] = most;
  const Vec3 corners[4] = {nine[0], nine[2], nine[6], nine[8]};
  bounds_[key][at] = around(face, static_cast<int>(key), corners, 1);
}

Bound3 BlobbyGeometry::bound(int begin, int end, int key) const {
  return ranges_[static_cast<size_t>(key)].query(
      begin, end, [&](int f) { return bounds_[static_cast<size_t>(key)][static_cast<size_t>(f)]; });
}

Bound3 BlobbyGeometry::bound(int face, const UvRect& rect, int key) const {
  if (rect.u0 == 0 && rect.v0 == 0 && rect.u1 == 1 && rect.v1 == 1)
    return bounds_[static_cast<size_t>(key)][static_cast<size_t>(face)];
  const Vec2 uv[4] = {{rect.u0, rect.v0}, {rect.u1, rect.v0}, {rect.u0, rect.v1}, {rect.u1, rect.v1}};
  Vec3 p[4];
  pointsAt(face, uv, key, p);
  return around(face, key, p, std::max(rect.u1 - rect.u0, rect.v1 - rect.v0));
}

/// The surface between the corners leaves their quad by no more than it bends, and by less over a part of it.
Bound3 BlobbyGeometry::around(int face, int key, const Vec3 corners[4], float part) const {
  Bound3 b;
  for (int k = 0; k < 4; ++k) b.add(corners[k]);
  const float size = std::max({std::abs(b.min.x), std::abs(b.min.y), std::abs(b.min.z), std::abs(b.max.x),
                               std::abs(b.max.y), std::abs(b.max.z)});
  b.grow(3 * bend_[static_cast<size_t>(key)][static_cast<size_t>(face)] * part +
         static_cast<float>(reach_) * 1e-3f * part + size * 1e-6f);
  return b;
}

}  // namespace reyes::geom
