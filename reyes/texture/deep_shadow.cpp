// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/deep_shadow.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"

namespace reyes::texture {
namespace {

constexpr float kTolerance = 0.001f;
constexpr float kWidest = 3;  ///< pixels of the level that a filter reaches over

/// The lines of all pixels of the picture's display window.
std::vector<DeepLine> linesOf(const image::DeepImage& picture, int channels, int alpha, const int* colours, int front,
                              int back) {
  std::vector<DeepLine> lines(static_cast<size_t>(picture.width()) * static_cast<size_t>(picture.height()));
  std::vector<float> z, zBack;
  std::vector<std::array<float, 3>> alphas;
  for (size_t p = 0; p < lines.size(); ++p) {
    const uint64_t first = picture.starts[p], n = picture.starts[p + 1] - first;
    z.clear(), zBack.clear(), alphas.clear();
    for (uint64_t i = first; i < first + n; ++i) {
      z.push_back(picture.value(static_cast<size_t>(front), i));
      zBack.push_back(back >= 0 ? picture.value(static_cast<size_t>(back), i) : z.back());
      std::array<float, 3> a;
      for (size_t c = 0; c < 3; ++c) a[c] = picture.value(static_cast<size_t>(channels == 3 ? colours[c] : alpha), i);
      alphas.push_back(a);
    }
    // Files of others need not be in order.
    if (!std::is_sorted(z.begin(), z.end())) {
      std::vector<size_t> order(z.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return z[a] < z[b]; });
      const auto sorted = [&](auto& values) {
        auto copy = values;
        for (size_t i = 0; i < order.size(); ++i) values[i] = copy[order[i]];
      };
      sorted(zBack), sorted(alphas), sorted(z);
    }
    for (size_t i = 0; i + 1 < z.size(); ++i) zBack[i] = std::min(zBack[i], z[i + 1]);
    lines[p] = simplified(deepLine(z.size(), z.data(), zBack.data(), alphas.data()), kTolerance, channels);
  }
  return lines;
}

/// Half as many pixels each way.
std::vector<DeepLine> coarser(const std::vector<DeepLine>& lines, int width, int height, int channels) {
  const int w = (width + 1) / 2, h = (height + 1) / 2;
  std::vector<DeepLine> out(static_cast<size_t>(w) * static_cast<size_t>(h));
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      std::array<DeepLine, 4> four;
      for (int k = 0; k < 4; ++k) {
        const int px = std::min(2 * x + (k & 1), width - 1), py = std::min(2 * y + (k >> 1), height - 1);
        four[static_cast<size_t>(k)] =
            lines[static_cast<size_t>(py) * static_cast<size_t>(width) + static_cast<size_t>(px)];
      }
      out[static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x)] =
          simplified(mean(four, channels), kTolerance, channels);
    }
  return out;
}

}  // namespace

std::string DeepShadow::take(const image::DeepImage& picture, int64_t bytes) {
  const int front = picture.channel("Z"), back = picture.channel("ZBack"), alpha = picture.channel("A");
  const int colours[3] = {picture.channel("AR"), picture.channel("AG"), picture.channel("AB")};
  channels_ = colours[0] >= 0 && colours[1] >= 0 && colours[2] >= 0 ? 3 : 1;
  if (front < 0 || (alpha < 0 && channels_ == 1)) return "has no deep channels Z and A";
  if (std::string error = views_.read(picture.attributes, picture.dataWindow, picture.displayWindow); !error.empty())
    return error;
  if (views_.cube()) return "is a cube: deep shadow maps have one view";
  int width = picture.width(), height = picture.height();
  std::vector<DeepLine> lines = linesOf(picture, channels_, alpha, colours, front, back);
  for (;;) {
    levels_.push_back(pack(lines, width, height, channels_));
    if (width <= 1 && height <= 1) break;
    lines = coarser(lines, width, height, channels_);
    width = (width + 1) / 2, height = (height + 1) / 2;
  }
  // Coarse levels stand for fine ones that there is no room for.
  while (bytes > 0 && lost_ + 1 < static_cast<int>(levels_.size()) && this->bytes() > static_cast<size_t>(bytes)) {
    const Level empty{
        levels_[static_cast<size_t>(lost_)].width, levels_[static_cast<size_t>(lost_)].height, {}, {}, {}};
    levels_[static_cast<size_t>(lost_++)] = empty;
  }
  return "";
}

DeepShadow::Level DeepShadow::pack(const std::vector<DeepLine>& lines, int width, int height, int channels) {
  Level level;
  level.width = width, level.height = height;
  size_t corners = 0;
  for (const DeepLine& line : lines) corners += line.size();
  level.start.reserve(lines.size() + 1);
  level.z.reserve(corners);
  level.t.reserve(corners * static_cast<size_t>(channels));
  for (const DeepLine& line : lines) {
    level.start.push_back(static_cast<uint32_t>(level.z.size()));
    for (const DeepCorner& c : line) {
      level.z.push_back(c.z);
      for (int k = 0; k < channels; ++k)
        level.t.push_back(
            static_cast<uint16_t>(std::lround(std::clamp(c.t[static_cast<size_t>(k)], 0.0f, 1.0f) * 65535)));
    }
  }
  level.start.push_back(static_cast<uint32_t>(level.z.size()));
  return level;
}

size_t DeepShadow::bytes() const {
  size_t all = 0;
  for (const Level& level : levels_) all += level.bytes();
  return all;
}

/// What passes up to z at a pixel of a level; all of it beside the map.
void DeepShadow::passing(const Level& level, int x, int y, float z, float* t) const {
  std::fill(t, t + channels_, 1.0f);
  if (x < 0 || y < 0 || x >= level.width || y >= level.height) return;
  const size_t pixel = static_cast<size_t>(y) * static_cast<size_t>(level.width) + static_cast<size_t>(x);
  const uint32_t first = level.start[pixel], last = level.start[pixel + 1];
  if (first == last || z <= level.z[first]) return;
  const auto begin = level.z.begin();
  // What stands at that very depth is the point itself.
  const uint32_t k = static_cast<uint32_t>(std::lower_bound(begin + first, begin + last, z) - begin);
  const size_t n = static_cast<size_t>(channels_);
  const uint16_t* a = &level.t[(k - 1) * n];
  constexpr float kUnit = 1.0f / 65535;
  if (k == last) {
    for (size_t c = 0; c < n; ++c) t[c] = static_cast<float>(a[c]) * kUnit;
    return;
  }
  const uint16_t* b = &level.t[k * n];
  const float span = level.z[k] - level.z[k - 1], part = span > 0 ? (z - level.z[k - 1]) / span : 0;
  for (size_t c = 0; c < n; ++c) {
    const float p = static_cast<float>(a[c]), q = static_cast<float>(b[c]);
    t[c] = (p + (q - p) * part) * kUnit;
  }
}

/// The mean over the area's box, on the level on which it is a few pixels wide.
void DeepShadow::lookAt(const ShadowArea& a, float* t) const {
  const ShadowFace& face = views_.faces()[0];
  const float width = std::max(2 * a.halfX(), 1.0f), height = std::max(2 * a.halfY(), 1.0f);
  int l = lost_;
  while (l + 1 < static_cast<int>(levels_.size()) && std::max(width, height) > kWidest * static_cast<float>(1 << l))
    ++l;
  const Level& level = levels_[static_cast<size_t>(l)];
  const float scale = 1 / static_cast<float>(1 << l);
  // A filter is at least a pixel of its level wide.
  const float cx = (a.x - static_cast<float>(face.window.x0)) * scale,
              cy = (a.y - static_cast<float>(face.window.y0)) * scale;
  const float hx = std::max(0.5f * width * scale, 0.5f), hy = std::max(0.5f * height * scale, 0.5f);
  float weights = 0;
  std::fill(t, t + channels_, 0.0f);
  for (int y = static_cast<int>(std::floor(cy - hy)); static_cast<float>(y) < cy + hy; ++y)
    for (int x = static_cast<int>(std::floor(cx - hx)); static_cast<float>(x) < cx + hx; ++x) {
      const float fx = static_cast<float>(x), fy = static_cast<float>(y);
      const float wx = std::min(fx + 1, cx + hx) - std::max(fx, cx - hx);
      const float wy = std::min(fy + 1, cy + hy) - std::max(fy, cy - hy);
      if (!(wx > 0 && wy > 0)) continue;
      // The receiver's own plane, in the middle of the pixel.
      const float ox = (fx + 0.5f - cx) / scale, oy = (fy + 0.5f - cy) / scale;
      const float z =
          a.z + a.slopeX * ox + a.slopeY * oy - 0.5f * (a.bias0 + a.bias1) - a.cone * (std::fabs(ox) + std::fabs(oy));
      float passes[3];
      passing(level, x, y, z, passes);
      for (int c = 0; c < channels_; ++c) t[c] += passes[c] * wx * wy;
      weights += wx * wy;
    }
  for (int c = 0; c < channels_; ++c) t[c] = weights > 0 ? t[c] / weights : 1.0f;
}

int DeepShadow::look(const ShadowBatch& batch, const ShadowOptions& options, int channels, float* const* out) const {
  std::vector<ShadowArea> areas;
  views_.areas(batch, options, areas);
  int count = 0;
  for (int i = 0; i < batch.n; ++i) {
    if (batch.active && !batch.active[i]) continue;
    ++count;
    float t[3] = {1, 1, 1};
    if (areas[static_cast<size_t>(i)].face >= 0) lookAt(areas[static_cast<size_t>(i)], t);
    // A colour asked of a grey map, or a number of a coloured one.
    if (channels_ == 1) t[1] = t[2] = t[0];
    if (channels == 1) t[0] = channels_ == 1 ? t[0] : (t[0] + t[1] + t[2]) / 3;
    for (int c = 0; c < channels; ++c) out[c][i] = 1 - t[c];
  }
  return count;
}

}  // namespace reyes::texture
