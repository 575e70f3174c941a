// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/blobby_mesh.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace reyes::geom {
namespace {

/// Cells on a lattice of at most this many along a side, and at most this many of them crossed.
constexpr int kMostCells = 1 << 20;
constexpr size_t kMostCrossed = 3000000;
/// Instructions carried out for all of it.
constexpr size_t kMostWork = 200000000;
/// Halved so often where quads turn too much, while there are no more than so many.
constexpr int kMostFiner = 2;
constexpr size_t kFewCrossed = 10000;
/// A block of cells is sampled at once.
constexpr int kBlock = 4;

struct Mesher {
  Double3 origin;
  double cell = 0;
  size_t crossed = 0, work = 0;
  std::vector<std::array<int, 3>> cells;  ///< of each vertex
  std::unordered_map<uint64_t, int> vertexOf;
  std::unordered_map<uint64_t, uint8_t>
      signs;  ///< of a crossed cell: inside at corner 0, and at its neighbours along x, y, z
  BlobbyMesh mesh;

  static uint64_t key(int i, int j, int k) {
    return static_cast<uint64_t>(i) | static_cast<uint64_t>(j) << 21 | static_cast<uint64_t>(k) << 42;
  }
  Double3 place(double i, double j, double k) const { return origin + Double3{i, j, k} * cell; }
  Bound3 box(int i, int j, int k, int size) const {
    Bound3 b;
    b.add(toFloat(place(i, j, k)));
    b.add(toFloat(place(i + size, j + size, k + size)));
    const float most = std::max({std::abs(b.min.x), std::abs(b.min.y), std::abs(b.min.z), std::abs(b.max.x),
                                 std::abs(b.max.y), std::abs(b.max.z)});
    b.grow(static_cast<float>(cell * 1e-3) + most * 5e-7f);
    return b;
  }

  /// Halves a box of `size` cells until it is a block; false when there are too many cells.
  bool descend(const BlobbyField& part, int i, int j, int k, int size) {
    const Bound3 b = box(i, j, k, size);
    if ((work += 8 + part.cost()) > kMostWork) return false;
    const FieldRange range = part.range(b);
    if (range.low > kBlobbyThreshold || range.high < kBlobbyThreshold) return true;
    if (size <= kBlock) {
      // Vertices may lie a little outside of their cells.
      Bound3 wide = b;
      wide.grow(static_cast<float>(cell * 0.25));
      return sampleBlock(part.within(wide), i, j, k);
    }
    Bound3 wide = b;
    wide.grow(static_cast<float>(cell * 0.5));
    const BlobbyField inside = part.within(wide);
    const int h = size / 2;
    for (int c = 0; c < 8; ++c)
      if (!descend(inside, i + (c & 1 ? h : 0), j + (c & 2 ? h : 0), k + (c & 4 ? h : 0), h)) return false;
    return true;
  }

  bool sampleBlock(const BlobbyField& part, int i0, int j0, int k0) {
    constexpr int kSide = kBlock + 1;
    work += kSide * kSide * kSide * part.cost();
    double f[kSide][kSide][kSide];
    for (int k = 0; k < kSide; ++k)
      for (int j = 0; j < kSide; ++j)
        for (int i = 0; i < kSide; ++i) f[k][j][i] = part.value(place(i0 + i, j0 + j, k0 + k)) - kBlobbyThreshold;
    for (int k = 0; k < kBlock; ++k)
      for (int j = 0; j < kBlock; ++j)
        for (int i = 0; i < kBlock; ++i) {
          double corner[8];
          int in = 0;
          for (int c = 0; c < 8; ++c) {
            corner[c] = f[k + (c >> 2)][j + (c >> 1 & 1)][i + (c & 1)];
            in |= (corner[c] > 0) << c;
          }
          if (in == 0 || in == 255) continue;
          if (++crossed > kMostCrossed) return false;
          addVertex(part, {i0 + i, j0 + j, k0 + k}, corner, in);
        }
    return true;
  }

  /// The mean of where the surface crosses the cell's edges, brought onto it; or, where that leads out of the cell (at
  /// sharp edges), the crossing that is nearest to the mean. So quads do not fold.
  void addVertex(const BlobbyField& part, std::array<int, 3> at, const double corner[8], int in) {
    Double3 sum, crossing[12];
    int edges = 0;
    for (int axis = 0; axis < 3; ++axis)
      for (int c = 0; c < 8; ++c) {
        const int d = c | 1 << axis;
        if (d == c || (in >> c & 1) == (in >> d & 1)) continue;
        const double t = corner[c] / (corner[c] - corner[d]);
        const double p[3] = {static_cast<double>(c & 1), static_cast<double>(c >> 1 & 1), static_cast<double>(c >> 2)};
        crossing[edges] = {p[0] + (axis == 0 ? t : 0), p[1] + (axis == 1 ? t : 0), p[2] + (axis == 2 ? t : 0)};
        sum = sum + crossing[edges++];
      }
    const Double3 mean = sum * (1.0 / edges), low = place(at[0], at[1], at[2]);
    Double3 p = ontoSurface(part, low + mean * cell, cell);
    const auto outside = [&](Double3 q) {
      const Double3 r = (q - low) * (1 / cell);
      return std::max({-r.x, -r.y, -r.z, r.x - 1, r.y - 1, r.z - 1});
    };
    if (outside(p) > 0.05) {
      const auto far = [&](Double3 q) { return dot(q - mean, q - mean); };
      const Double3 near =
          *std::min_element(crossing, crossing + edges, [&](Double3 a, Double3 b) { return far(a) < far(b); });
      p = ontoSurface(part, low + near * cell, cell * 0.05);
    }
    vertexOf.emplace(key(at[0], at[1], at[2]), static_cast<int>(mesh.points.size()));
    signs.emplace(key(at[0], at[1], at[2]),
                  static_cast<uint8_t>((in & 1) | (in >> 1 & 1) << 1 | (in >> 2 & 1) << 2 | (in >> 4 & 1) << 3));
    mesh.points.push_back(toFloat(p));
    mesh.normals.push_back(outwards(part, toDouble(mesh.points.back())));
    cells.push_back(at);
  }

  /// True where the surface turns by much more than a right angle's half within a quad.
  bool rough() const {
    for (const std::array<int, 4>& q : mesh.quads)
      for (size_t k = 1; k < 4; ++k)
        if (dot(mesh.normals[static_cast<size_t>(q[0])], mesh.normals[static_cast<size_t>(q[k])]) < 0.3) return true;
    return false;
  }

  /// The four cells around each crossed edge that starts at a cell's first corner.
  void addQuads() {
    static constexpr int kU[3][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, kV[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    for (const std::array<int, 3>& at : cells) {
      const uint8_t in = signs.at(key(at[0], at[1], at[2]));
      for (int axis = 0; axis < 3; ++axis) {
        const bool here = in & 1, there = in >> (axis + 1) & 1;
        if (here == there) continue;
        std::array<int, 4> quad;
        bool whole = true;
        for (int c = 0; c < 4 && whole; ++c) {
          const int u = c & 1 ? 0 : 1, v = c & 2 ? 0 : 1;
          int q[3];
          for (size_t n = 0; n < 3; ++n) q[n] = at[n] - u * kU[axis][n] - v * kV[axis][n];
          const auto found = vertexOf.find(key(q[0], q[1], q[2]));
          whole = q[0] >= 0 && q[1] >= 0 && q[2] >= 0 && found != vertexOf.end();
          if (whole) quad[static_cast<size_t>(c)] = found->second;
        }
        if (!whole) continue;
        if (!here) std::swap(quad[1], quad[2]);
        mesh.quads.push_back(quad);
      }
    }
  }
};

}  // namespace

Double3 outwards(const BlobbyField& field, Double3 p) {
  const Double3 g = field.at(p).g;
  const double l = std::sqrt(dot(g, g));
  return l > 0 ? g * (-1 / l) : Double3();
}

Double3 ontoSurface(const BlobbyField& field, Double3 p, double most) {
  const Double3 start = p;
  for (int step = 0; step < 12; ++step) {
    const FieldValue v = field.at(p);
    const double g2 = dot(v.g, v.g), f = v.f - kBlobbyThreshold;
    if (!(g2 > 0)) break;
    const double length = std::min(std::abs(f) / std::sqrt(g2), most * 0.25);
    const Double3 next = p + v.g * ((f > 0 ? -1 : 1) * length / std::sqrt(g2));
    const Double3 way = next - start;
    if (!(dot(way, way) <= most * most)) break;
    p = next;
    if (length < most * 1e-9) break;
  }
  return p;
}

BlobbyMesh meshBlobby(const BlobbyField& field) {
  const Bound3 support = field.support();
  BlobbyMesh none;
  if (support.empty()) return none;
  double smallest = 1e300;
  for (const BlobbyLeaf& leaf : field.leaves)
    if (!leaf.constant) smallest = std::min(smallest, leaf.isoRadius);
  const double extent =
      std::max({support.max.x - support.min.x, support.max.y - support.min.y, support.max.z - support.min.z});
  // Six cells or so through the smallest blob; larger ones where that would be too many.
  const double wanted = std::max(smallest * 0.35, extent / kMostCells * 4);
  int finer = 0;
  for (double cell = wanted;; cell *= 2) {
    Mesher m{{}, cell, 0, 0, {}, {}, {}, {}};
    int size = kBlock;
    while (size * cell < extent + 4 * cell) size *= 2;
    // Off the round numbers on which surfaces like to lie.
    m.origin = toDouble(support.min) - Double3{1, 1, 1} * (1.37 * cell);
    m.mesh.cell = cell;
    m.mesh.coarse = cell > wanted * 1.5;
    if (!m.descend(field, 0, 0, 0, size)) continue;
    m.addQuads();
    // Thin or sharp places want smaller cells; those that stay sharp stop after a few times.
    if (finer < kMostFiner && m.crossed < kFewCrossed && m.rough()) {
      ++finer;
      cell *= 0.25;
      continue;
    }
    return std::move(m.mesh);
  }
}

}  // namespace reyes::geom
