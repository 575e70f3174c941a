// SPDX-License-Identifier: Apache-2.0
// Lines of deep shadow maps: from samples, simplified, averaged.
#include <algorithm>
#include <cmath>

#include "reyes/texture/deep_shadow.h"

namespace reyes::texture {
namespace {

/// What passes at a depth: before what stands at exactly that depth, or after it.
std::array<float, 3> at(const DeepLine& line, float z, bool after) {
  const auto it =
      after ? std::upper_bound(line.begin(), line.end(), z, [](float v, const DeepCorner& c) { return v < c.z; })
            : std::lower_bound(line.begin(), line.end(), z, [](const DeepCorner& c, float v) { return c.z < v; });
  if (it == line.begin()) return {1, 1, 1};
  const DeepCorner& a = *std::prev(it);
  if (it == line.end() || a.z == z) return a.t;
  // Before the very corner the line has reached it; between two it is on its way.
  const DeepCorner& b = *it;
  const float x = (z - a.z) / (b.z - a.z);
  std::array<float, 3> t;
  for (size_t c = 0; c < 3; ++c) t[c] = a.t[c] + (b.t[c] - a.t[c]) * x;
  return t;
}

}  // namespace

DeepLine deepLine(size_t samples, const float* front, const float* back, const std::array<float, 3>* alphas) {
  constexpr float kPiece = 0.25f;  // optical depth of a straight piece of a volume
  DeepLine line;
  std::array<float, 3> t{1, 1, 1};
  for (size_t i = 0; i < samples; ++i) {
    if (!std::isfinite(front[i])) continue;
    std::array<float, 3> through;
    float least = 1;
    for (size_t c = 0; c < 3; ++c) {
      const float alpha = alphas[i][c];
      through[c] = alpha > 0 ? 1 - std::min(alpha, 1.0f) : 1.0f;
      least = std::min(least, through[c]);
    }
    if (least == 1) continue;
    line.push_back({front[i], t});
    const bool surface = !(back[i] > front[i]) || !std::isfinite(back[i]);
    const int pieces =
        surface ? 1 : std::clamp(static_cast<int>(std::ceil(-std::log(std::max(least, 1e-4f)) / kPiece)), 1, 32);
    for (int k = 1; k <= pieces; ++k) {
      const float x = static_cast<float>(k) / static_cast<float>(pieces);
      DeepCorner corner{surface ? front[i] : front[i] + (back[i] - front[i]) * x, t};
      for (size_t c = 0; c < 3; ++c)
        corner.t[c] *= k == pieces ? through[c] : through[c] > 0 ? std::pow(through[c], x) : std::pow(1e-4f, x);
      line.push_back(corner);
    }
    for (size_t c = 0; c < 3; ++c) t[c] *= through[c];
  }
  return line;
}

DeepLine simplified(const DeepLine& line, float tolerance, int channels) {
  if (line.size() < 3) return line;
  DeepLine out{line[0]};
  // From the last corner kept, a straight piece goes on while it passes all corners left out near enough.
  float low[3], high[3];
  const auto restart = [&] { std::fill(low, low + 3, -1e30f), std::fill(high, high + 3, 1e30f); };
  restart();
  for (size_t i = 1; i < line.size(); ++i) {
    const DeepCorner& from = out.back();
    const float dz = line[i].z - from.z;
    bool fits = dz > 0 || i == 1;
    for (int c = 0; fits && c < channels; ++c) {
      const size_t k = static_cast<size_t>(c);
      const float slope = dz > 0 ? (line[i].t[k] - from.t[k]) / dz : 0;
      fits = dz > 0 && slope >= low[c] && slope <= high[c];
    }
    if (!fits) {
      // The corner before this one is needed.
      if (line[i - 1].z != from.z || line[i - 1].t != from.t) {
        out.push_back(line[i - 1]);
        restart();
        --i;
        continue;
      }
      out.push_back(line[i]);
      restart();
      continue;
    }
    for (int c = 0; c < channels; ++c) {
      const size_t k = static_cast<size_t>(c);
      low[c] = std::max(low[c], (line[i].t[k] - tolerance - from.t[k]) / dz);
      high[c] = std::min(high[c], (line[i].t[k] + tolerance - from.t[k]) / dz);
    }
  }
  if (out.back().z != line.back().z || out.back().t != line.back().t) out.push_back(line.back());
  return out;
}

DeepLine mean(const std::array<DeepLine, 4>& lines, int channels) {
  std::vector<float> depths;
  for (const DeepLine& line : lines)
    for (const DeepCorner& c : line) depths.push_back(c.z);
  std::sort(depths.begin(), depths.end());
  depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
  DeepLine out;
  for (const float z : depths)
    for (const bool after : {false, true}) {
      DeepCorner corner{z, {0, 0, 0}};
      for (const DeepLine& line : lines) {
        const std::array<float, 3> t = at(line, z, after);
        for (size_t c = 0; c < 3; ++c) corner.t[c] += 0.25f * t[c];
      }
      bool same = after;
      for (size_t c = 0; same && c < static_cast<size_t>(channels); ++c) same = corner.t[c] == out.back().t[c];
      if (!same) out.push_back(corner);
    }
  return out;
}

}  // namespace reyes::texture
