// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/found_bound.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/hash.h"
#include "reyes/render/grid_dice.h"

namespace reyes::render {
namespace {
constexpr int kFaces = 64;  ///< faces tried, at most, evenly chosen
constexpr int kRate = 24;   ///< micropolygons a side of a face tried, fewer where faces are many
constexpr float kMargin = 1.5f;
}  // namespace

float findDisplacementReach(Worker& worker, const PrimitiveFrame& prim) {
  const int faces = prim.geometry().faceCount(), tried = std::min(faces, kFaces);
  const int rate = tried <= 4 ? kRate : 8;
  float most = 0;
  for (int i = 0; i < tried; ++i)
    for (int k = 0; k < prim.keyCount(); k += std::max(1, prim.keyCount() - 1)) {
      DicePlan plan;
      plan.face = static_cast<int>(static_cast<int64_t>(faces) * i / tried);
      plan.nu = plan.nv = rate;
      plan.key = k;
      plan.seed = hashCombine(prim.source().path, static_cast<uint64_t>(plan.face), 3);
      diceInto(prim, plan, worker.scratch);
      const Var p = *worker.scratch.vars.find("P");
      const std::vector<float> before(p.data, p.data + 3 * static_cast<size_t>(p.stride));
      worker.shader->displace(worker.scratch.grid);
      for (int v = 0; v < worker.scratch.vars.points(); ++v) {
        Vec3 d;
        for (int c = 0; c < 3; ++c) d[c] = p.plane(c)[v] - before[static_cast<size_t>(c * p.stride + v)];
        const float l = length(d);
        if (l > most) most = l;  // a NaN compares false
      }
    }
  return most * kMargin;
}

}  // namespace reyes::render
