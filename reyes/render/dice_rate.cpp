// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/dice_rate.h"

#include <algorithm>
#include <cmath>

namespace reyes::render {
namespace {

constexpr int kLattice = 5;  ///< lines in each direction that are measured

/// Longest of the lattice's lines along one direction (stride between neighbours `along`, between lines `across`).
struct Lengths {
  float raster = 0, camera = 0;
};
Lengths longestLine(const Projector& view, const Vec3* p, int along, int across) {
  Lengths most;
  for (int line = 0; line < kLattice; ++line) {
    float sum = 0, longest = 0, camera = 0;
    for (int i = 0; i + 1 < kLattice; ++i) {
      const Vec3 a = p[line * across + i * along], b = p[line * across + (i + 1) * along];
      const float l = view.rasterLength(a, b);
      sum += l, longest = std::max(longest, l), camera += length(b - a);
    }
    most.raster = std::max(most.raster, (sum + longest * (kLattice - 1)) / 2);
    most.camera = std::max(most.camera, camera);
  }
  return most;
}

int toCount(float pixels, float edge) {
  const float n = std::ceil(pixels / edge - 1e-3f);
  return n > 1 ? static_cast<int>(std::min(n, 1e6f)) : 1;
}

int toPowerOfTwo(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

}  // namespace

DiceRate diceRate(const Node& node) {
  const PrimitiveFrame& prim = *node.prim;
  const Projector& view = prim.projector();
  // 1. A lattice of points at fixed parameters.
  constexpr int kPoints = kLattice * kLattice;
  Vec2 uv[kPoints];
  for (int i = 0; i < kPoints; ++i)
    uv[i] = {lerp(node.rect.u0, node.rect.u1, static_cast<float>(i % kLattice) / (kLattice - 1)),
             lerp(node.rect.v0, node.rect.v1, static_cast<float>(i / kLattice) / (kLattice - 1))};
  // 2. Its longest lines at any motion key.
  Vec3 first[kPoints], p[kPoints];
  Lengths u, v;
  float blur = 0;
  DiceRate rate;
  for (int k = 0; k < prim.keyCount(); ++k) {
    prim.points(node.begin, uv, k, k == 0 ? first : p);
    const Vec3* points = k == 0 ? first : p;
    const Lengths lu = longestLine(view, points, 1, kLattice), lv = longestLine(view, points, kLattice, 1);
    u = {std::max(u.raster, lu.raster), std::max(u.camera, lu.camera)};
    v = {std::max(v.raster, lv.raster), std::max(v.camera, lv.camera)};
    for (int i = 0; i < kPoints; ++i) {
      rate.finite = rate.finite && isFinite(points[i]);
      if (k > 0) blur = std::max(blur, view.rasterLength(first[i], p[i]));
    }
  }
  const float edge = prim.edgePixels(blur);
  rate.nu = toCount(u.raster, edge), rate.nv = toCount(v.raster, edge);
  rate.uWider = u.camera >= v.camera;
  // 3. At least as fine as the points that the sides own.
  rate.nu = std::max({rate.nu, node.sides[0].segments(), node.sides[2].segments()});
  rate.nv = std::max({rate.nv, node.sides[1].segments(), node.sides[3].segments()});
  if (prim.attributes().binaryDice) rate.nu = toPowerOfTwo(rate.nu), rate.nv = toPowerOfTwo(rate.nv);
  return rate;
}

bool mustSplit(const DiceRate& rate, int gridSize) {
  const int64_t area = static_cast<int64_t>(rate.nu) * rate.nv;
  const int longer = std::max(rate.nu, rate.nv), shorter = std::min(rate.nu, rate.nv);
  if (area > gridSize) return true;
  return longer > 4 * shorter && static_cast<int64_t>(longer) * longer > 4 * static_cast<int64_t>(gridSize);
}

}  // namespace reyes::render
