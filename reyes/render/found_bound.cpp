// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/found_bound.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/hash.h"
#include "reyes/render/grid_dice.h"
#include "reyes/render/grid_names.h"

namespace reyes::render {
namespace {

constexpr int kFaces = 64;              ///< faces tried, at most, evenly chosen
constexpr int kRounds = 4;              ///< dices of a face, each shifted by a part of a micropolygon
constexpr int kCoarsest = 4;            ///< micropolygons a side of such a dice
constexpr int kFinest = 32, kFine = 8;  ///< and at most, and a side of the close look at its largest move

/// Micropolygons along a face, as the picture will want them; across in v.
struct FaceSize {
  int u = 1, v = 1;
};
FaceSize sizeOf(const PrimitiveFrame& prim, int face) {
  constexpr int kLattice = 5;
  Vec2 uv[kLattice * kLattice];
  for (int i = 0; i < kLattice * kLattice; ++i)
    uv[i] = {static_cast<float>(i % kLattice) / (kLattice - 1), static_cast<float>(i / kLattice) / (kLattice - 1)};
  Vec3 p[kLattice * kLattice];
  prim.points(face, uv, 0, p);
  float u = 0, v = 0;
  for (int line = 0; line < kLattice; ++line) {
    float alongU = 0, alongV = 0;
    for (int i = 0; i + 1 < kLattice; ++i) {
      prim.projector().rasterLength(p[line * kLattice + i], p[line * kLattice + i + 1], &alongU);
      prim.projector().rasterLength(p[i * kLattice + line], p[(i + 1) * kLattice + line], &alongV);
    }
    u = std::max(u, alongU), v = std::max(v, alongV);
  }
  const float edge = prim.edgePixels(0);
  const auto count = [&](float pixels) { return static_cast<int>(std::clamp(pixels / edge, 1.0f, 4096.0f)); };
  return {count(u), count(v)};
}

/// The largest move of one dice, and where in the face.
struct Move {
  float length = 0;
  Vec2 at{0.5f, 0.5f};
};
Move largestMove(Worker& worker, const PrimitiveFrame& prim, const DicePlan& plan) {
  diceInto(prim, plan, worker.scratch);
  const Var p = *worker.scratch.vars.find(gridNames().P);
  const std::vector<float> before(p.data, p.data + 3 * static_cast<size_t>(p.stride));
  worker.shader->displace(worker.scratch.grid);
  Move most;
  int at = -1;
  for (int i = 0; i < worker.scratch.vars.points(); ++i) {
    Vec3 d;
    for (int c = 0; c < 3; ++c) d[c] = p.plane(c)[i] - before[static_cast<size_t>(c * p.stride + i)];
    const float l = length(d);
    if (l > most.length && std::isfinite(l)) most.length = l, at = i;
  }
  if (at < 0) return most;
  const float x = static_cast<float>(at % (plan.nu + 1)) / static_cast<float>(plan.nu);
  const float y = static_cast<float>(at / (plan.nu + 1)) / static_cast<float>(plan.nv);
  most.at = {lerp(plan.rect.u0, plan.rect.u1, x), lerp(plan.rect.v0, plan.rect.v1, y)};
  return most;
}

/// Part of [0, 1] that `n` steps of it leave when the first and the last are cut by a random part; round 0 is whole.
void shifted(int round, int n, uint64_t seed, float& lo, float& hi) {
  const float cell = round == 0 ? 0.0f : 1.0f / static_cast<float>(n);
  lo = cell * toUnitFloat(hashCombine(seed, 1)), hi = 1 - cell * toUnitFloat(hashCombine(seed, 2));
}

/// A stretch of `steps` micropolygons of a face that has `n` along it, around `at`.
void around(float at, int steps, int n, float& lo, float& hi) {
  const float size = static_cast<float>(steps) / static_cast<float>(std::max(n, steps));
  lo = std::clamp(at - size / 2, 0.0f, 1 - size), hi = lo + size;
}

/// One round on one face: a dice of all of it, and a close look at where that moved most with micropolygons as small as
/// the picture's, since shaders filter by their size.
float tryFace(Worker& worker, const PrimitiveFrame& prim, int face, FaceSize size, int round, int key) {
  DicePlan plan;
  plan.face = face, plan.key = key;
  plan.nu = std::clamp(size.u, kCoarsest, kFinest), plan.nv = std::clamp(size.v, kCoarsest, kFinest);
  plan.seed = hashCombine(prim.source().path, static_cast<uint64_t>(face), static_cast<uint64_t>(round) + 3);
  shifted(round, plan.nu, hashCombine(plan.seed, 0), plan.rect.u0, plan.rect.u1);
  shifted(round, plan.nv, hashCombine(plan.seed, 1), plan.rect.v0, plan.rect.v1);
  const Move coarse = largestMove(worker, prim, plan);
  if (size.u <= plan.nu && size.v <= plan.nv) return coarse.length;
  plan.nu = plan.nv = kFine;
  around(coarse.at.x, kFine, size.u, plan.rect.u0, plan.rect.u1);
  around(coarse.at.y, kFine, size.v, plan.rect.v0, plan.rect.v1);
  return std::max(coarse.length, largestMove(worker, prim, plan).length);
}

}  // namespace

float findDisplacementReach(Worker& worker, const PrimitiveFrame& prim) {
  const int faces = prim.geometry().faceCount(), tried = std::min(faces, kFaces);
  const int rounds = tried <= kFaces / 4 ? kRounds : kRounds / 2;
  float most[kRounds] = {};
  for (int i = 0; i < tried; ++i) {
    const auto face = static_cast<int>(static_cast<int64_t>(faces) * i / tried);
    const FaceSize size = sizeOf(prim, face);
    for (int r = 0; r < rounds; ++r)
      for (int k = 0; k < prim.keyCount(); k += std::max(1, prim.keyCount() - 1))
        most[r] = std::max(most[r], tryFace(worker, prim, face, size, r, k));
  }
  // Rounds that disagree show moves that are rare: the largest was hardly met.
  const auto [low, high] = std::minmax_element(most, most + rounds);
  return 1.5f * *high + 2 * (*high - *low);
}

}  // namespace reyes::render
