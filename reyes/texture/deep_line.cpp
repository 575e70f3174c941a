// SPDX-License-Identifier: Apache-2.0
// Lines of deep shadow maps: from samples, simplified, averaged.
#include <algorithm>
#include <cmath>

#include "reyes/texture/deep_shadow.h"

namespace reyes::texture {
namespace {

/// What passes at depth z, which lies behind corner k - 1 of the line, or at it, and not behind corner k.
std::array<float, 3> at(const DeepLine& line, size_t k, float z) {
  if (k == 0) return {1, 1, 1};
  const DeepCorner& a = line[k - 1];
  if (k == line.size() || a.z == z) return a.t;
  const DeepCorner& b = line[k];
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
  // From depth to depth of all corners; next[l] is the first corner of line l that is not nearer.
  std::array<size_t, 4> next{};
  DeepLine out;
  for (;;) {
    float z = 0;
    bool any = false;
    for (size_t l = 0; l < 4; ++l) {
      if (next[l] == lines[l].size()) continue;
      const float own = lines[l][next[l]].z;
      z = any ? std::min(z, own) : own, any = true;
    }
    if (!any) return out;
    // Before what stands at that very depth, and after it.
    for (const bool after : {false, true}) {
      DeepCorner corner{z, {0, 0, 0}};
      for (size_t l = 0; l < 4; ++l) {
        while (after && next[l] < lines[l].size() && lines[l][next[l]].z == z) ++next[l];
        const std::array<float, 3> t = at(lines[l], next[l], z);
        for (size_t c = 0; c < 3; ++c) corner.t[c] += 0.25f * t[c];
      }
      bool same = after;
      for (size_t c = 0; same && c < static_cast<size_t>(channels); ++c) same = corner.t[c] == out.back().t[c];
      if (!same) out.push_back(corner);
    }
  }
}

}  // namespace reyes::texture
