// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/dice_rate.h"

#include <algorithm>
#include <cmath>

#include "reyes/render/plain_view.h"

namespace reyes::render {
namespace {

constexpr int kLattice = 5;  ///< lines in each direction that are measured
constexpr int kPoints = kLattice * kLattice;

/// Longest of the lattice's lines along one direction (stride between neighbours `along`, between lines `across`).
struct Lengths {
  float raster = 0, whole = 0, camera = 0;  ///< `whole`: with what is outside the window
  int least = 1;                            ///< steps, for lines that turn
  void add(const Lengths& l) {
    least = std::max(least, l.least);
    raster = std::max(raster, l.raster), whole = std::max(whole, l.whole), camera = std::max(camera, l.camera);
  }
};
Lengths longestLine(const PrimitiveFrame& prim, int k, const Vec3* p, int along, int across) {
  Lengths most;
  for (int line = 0; line < kLattice; ++line) {
    float sum = 0, longest = 0, wholeSum = 0, wholeLongest = 0, camera = 0;
    for (int i = 0; i + 1 < kLattice; ++i) {
      const Vec3 a = p[line * across + i * along], b = p[line * across + (i + 1) * along];
      float all = 0;
      const float l = prim.diceLength(a, b, k, &all);
      sum += l, longest = std::max(longest, l), camera += length(b - a);
      wholeSum += all, wholeLongest = std::max(wholeLongest, all);
    }
    const float ends = prim.diceLength(p[line * across], p[line * across + (kLattice - 1) * along], k);
    most.add({(sum + longest * (kLattice - 1)) / 2, (wholeSum + wholeLongest * (kLattice - 1)) / 2, camera,
              leastSteps(sum, ends)});
  }
  return most;
}

/// The same where all points lie in plain view, without lengths in camera space.
Lengths longestPlainLine(const float* x, const float* y, int along, int across) {
  Lengths most;
  for (int line = 0; line < kLattice; ++line) {
    float sum = 0, longest = 0;
    for (int i = 0; i + 1 < kLattice; ++i) {
      const int a = line * across + i * along, b = a + along;
      const float l = plainLength(x[a], y[a], x[b], y[b]);
      sum += l, longest = std::max(longest, l);
    }
    most.raster = std::max(most.raster, (sum + longest * (kLattice - 1)) / 2);
    const int a = line * across, b = a + (kLattice - 1) * along;
    most.least = std::max(most.least, leastSteps(sum, plainLength(x[a], y[a], x[b], y[b])));
  }
  most.whole = most.raster;
  return most;
}

/// Lengths at one motion key, with those in camera space only where they are asked for.
void addLengths(const PrimitiveFrame& prim, int k, const Vec3* points, bool camera, Lengths& u, Lengths& v) {
  float x[kPoints], y[kPoints];
  if (!camera && prim.dicedByRaster() && projectPlain(prim.projector(), points, kPoints, x, y)) {
    u.add(longestPlainLine(x, y, 1, kLattice));
    v.add(longestPlainLine(x, y, kLattice, 1));
    return;
  }
  u.add(longestLine(prim, k, points, 1, kLattice));
  v.add(longestLine(prim, k, points, kLattice, 1));
}

}  // namespace

int stepCount(float pixels, float edge) {
  const float n = std::ceil(pixels / edge - 1e-3f);
  return n > 1 ? static_cast<int>(std::min(n, 1e6f)) : 1;
}

int stepCount(const PrimitiveFrame& prim, float pixels, float blur, float lens, int least) {
  const int sharp = stepCount(pixels, prim.edgePixels(blur));
  if (lens <= 0) return sharp;
  return std::max(stepCount(pixels, prim.edgePixels(blur, lens)), std::min(sharp, 4 * least));
}

int toPowerOfTwo(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

DiceRate diceRate(const Node& node) {
  const PrimitiveFrame& prim = *node.prim;
  const Projector& view = prim.projector();
  // 1. A lattice of points at fixed parameters.
  Vec2 uv[kPoints];
  for (int i = 0; i < kPoints; ++i)
    uv[i] = {lerp(node.rect.u0, node.rect.u1, static_cast<float>(i % kLattice) / (kLattice - 1)),
             lerp(node.rect.v0, node.rect.v1, static_cast<float>(i / kLattice) / (kLattice - 1))};
  // 2. Its longest lines at any motion key.
  Vec3 first[kPoints];  // of one key; more lie elsewhere
  std::vector<Vec3> more(prim.moving() ? static_cast<size_t>(kPoints * prim.keyCount()) : 0);
  const std::span<Vec3> lattice = prim.moving() ? std::span<Vec3>(more) : std::span<Vec3>(first);
  Lengths u, v;
  float blur = 0, nearest = 1e30f, farthest = -1e30f;
  DiceRate rate;
  for (int k = 0; k < prim.keyCount(); ++k) {
    Vec3* points = &lattice[static_cast<size_t>(k * kPoints)];
    prim.points(node.begin, uv, k, points);
    addLengths(prim, k, points, node.straddles, u, v);
    for (int i = 0; i < kPoints; ++i) {
      rate.finite = rate.finite && isFinite(points[i]);
      nearest = std::min(nearest, points[i].z), farthest = std::max(farthest, points[i].z);
      if (k > 0) blur = std::max(blur, view.rasterLength(lattice[static_cast<size_t>(i)], points[i]));
    }
  }
  const float lens = view.leastLensX(nearest, farthest);
  const auto steps = [&](const Lengths& l) {
    return std::max(stepCount(prim, l.raster, blur, lens, l.least), l.least);
  };
  rate.seenU = steps(u), rate.seenV = steps(v);
  // Chords outside the window say nothing of a surface that may enter it between them.
  if ((u.whole > u.raster || v.whole > v.raster) && view.mayEnterWindow(lattice, kPoints))
    u.raster = u.whole, v.raster = v.whole;
  rate.nu = steps(u), rate.nv = steps(v);
  rate.cameraU = u.camera, rate.cameraV = v.camera;
  // 3. At least as fine as the points that the sides own.
  rate.leastU = std::max({1, node.sides[0].segments(), node.sides[2].segments()});
  rate.leastV = std::max({1, node.sides[1].segments(), node.sides[3].segments()});
  rate.nu = std::max(rate.nu, rate.leastU), rate.nv = std::max(rate.nv, rate.leastV);
  rate.seenU = std::max(rate.seenU, rate.leastU), rate.seenV = std::max(rate.seenV, rate.leastV);
  if (prim.attributes().binaryDice) rate.nu = toPowerOfTwo(rate.nu), rate.nv = toPowerOfTwo(rate.nv);
  return rate;
}

bool mustSplit(const DiceRate& rate, int gridSize) {
  const int64_t area = static_cast<int64_t>(rate.nu) * rate.nv;
  const int longer = std::max(rate.nu, rate.nv), shorter = std::min(rate.nu, rate.nv);
  if (area > gridSize) return true;
  return longer > 4 * shorter && static_cast<int64_t>(longer) * longer > 4 * static_cast<int64_t>(gridSize);
}

DiceRate rateAtEnd(DiceRate rate, bool u, bool v) {
  constexpr int kFew = 16;
  rate.nu = u ? std::max(rate.leastU, std::min(rate.seenU, kFew)) : rate.seenU;
  rate.nv = v ? std::max(rate.leastV, std::min(rate.seenV, kFew)) : rate.seenV;
  return rate;
}

DiceRate held(DiceRate rate, int gridSize) {
  while (static_cast<int64_t>(rate.nu) * rate.nv > std::max(gridSize, 1)) {
    const bool u = rate.nu > rate.leastU, v = rate.nv > rate.leastV;
    if (!u && !v) break;
    if (u && (!v || rate.nu >= rate.nv))
      rate.nu = std::max(rate.leastU, (rate.nu + 1) / 2);
    else
      rate.nv = std::max(rate.leastV, (rate.nv + 1) / 2);
  }
  return rate;
}

}  // namespace reyes::render
