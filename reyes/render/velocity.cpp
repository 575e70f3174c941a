// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/velocity.h"

#include <cmath>

namespace reyes::render {

bool isVelocity(const scene::OutputVariable& v) { return v.name == "dPdtime" && componentCount(v.type) == 3; }

void fillVelocity(const PrimitiveFrame& prim, const hider::MicroGrid& grid, float* out) {
  const auto n = static_cast<size_t>(grid.points());
  const float time = prim.keys().back().time - prim.keys().front().time;
  const size_t last = n * static_cast<size_t>(grid.keys - 1);
  const float rate = time != 0 ? 1 / time : 0;
  for (const auto& plane : {grid.x, grid.y, grid.z})
    for (size_t i = 0; i < n; ++i) {
      const float v = (plane[last + i] - plane[i]) * rate;
      *out++ = std::isfinite(v) ? v : 0.0f;
    }
}

void dropVelocityKeys(const PrimitiveFrame& prim, hider::MicroGrid& grid) {
  if (prim.keysForVelocity()) grid.keys = 1;
}

}  // namespace reyes::render
