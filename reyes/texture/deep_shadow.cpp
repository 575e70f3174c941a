// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/deep_shadow.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"

namespace reyes::texture {
namespace {

constexpr float kTolerance = 0.001f;
constexpr float kWidest = 3;  ///< pixels of the level that a filter reaches over

/// Where a deep picture has its channels.
struct Channels {
  int front, back, alpha, colours[3];
  bool coloured() const { return colours[0] >= 0 && colours[1] >= 0 && colours[2] >= 0; }
};

/// One pixel's samples, reused from pixel to pixel.
class Pixel {
 public:
  DeepLine line(const image::DeepImage& picture, const Channels& channels, size_t pixel) {
    const uint64_t first = picture.starts[pixel], n = picture.starts[pixel + 1] - first;
    front_.clear(), back_.clear(), alphas_.clear();
    for (uint64_t i = first; i < first + n; ++i) {
      const float z = picture.value(static_cast<size_t>(channels.front), i);
      if (!(z > 0) || !std::isfinite(z)) continue;  // behind the light
      front_.push_back(z);
      back_.push_back(channels.back >= 0 ? picture.value(static_cast<size_t>(channels.back), i) : front_.back());
      std::array<float, 3> a;
      for (size_t c = 0; c < 3; ++c)
        a[c] = picture.value(static_cast<size_t>(channels.coloured() ? channels.colours[c] : channels.alpha), i);
      alphas_.push_back(a);
    }
    // Files of others need not be in order.
    if (!std::is_sorted(front_.begin(), front_.end())) sort();
    for (size_t i = 0; i + 1 < front_.size(); ++i) back_[i] = std::min(back_[i], front_[i + 1]);
    return deepLine(front_.size(), front_.data(), back_.data(), alphas_.data());
  }

 private:
  void sort() {
    std::vector<size_t> order(front_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return front_[a] < front_[b]; });
    const auto sorted = [&](auto& values) {
      const auto copy = values;
      for (size_t i = 0; i < order.size(); ++i) values[i] = copy[order[i]];
    };
    sorted(back_), sorted(alphas_), sorted(front_);
  }

  std::vector<float> front_, back_;
  std::vector<std::array<float, 3>> alphas_;
};

}  // namespace

std::string DeepShadow::take(const image::DeepImage& picture, int64_t bytes) {
  const Channels channels{picture.channel("Z"),
                          picture.channel("ZBack"),
                          picture.channel("A"),
                          {picture.channel("AR"), picture.channel("AG"), picture.channel("AB")}};
  channels_ = channels.coloured() ? 3 : 1;
  if (channels.front < 0 || (channels.alpha < 0 && channels_ == 1)) return "has no deep channels Z and A";
  if (std::string error = views_.read(picture.attributes, picture.dataWindow, picture.displayWindow); !error.empty())
    return error;
  Level whole;
  whole.width = views_.faces()[0].window.width(), whole.height = views_.faces()[0].window.height();
  Pixel pixel;
  const size_t pixels = views_.faces().size() * static_cast<size_t>(whole.width) * static_cast<size_t>(whole.height);
  for (size_t p = 0; p < pixels; ++p)
    whole.append(simplified(pixel.line(picture, channels, p), kTolerance, channels_), channels_);
  levels_.push_back(std::move(whole));
  while (levels_.back().width > 1 || levels_.back().height > 1) coarser();
  // Coarse levels stand for fine ones that there is no room for.
  while (bytes > 0 && lost_ + 1 < static_cast<int>(levels_.size()) && this->bytes() > static_cast<size_t>(bytes)) {
    Level& finest = levels_[static_cast<size_t>(lost_++)];
    finest = Level{finest.width, finest.height, {}, {}, {}};
  }
  return "";
}

/// Adds a level of half as many pixels each way.
void DeepShadow::coarser() {
  const Level& fine = levels_.back();
  Level level;
  level.width = (fine.width + 1) / 2, level.height = (fine.height + 1) / 2;
  std::array<DeepLine, 4> four;
  for (int face = 0; face < static_cast<int>(views_.faces().size()); ++face)
    for (int y = 0; y < level.height; ++y)
      for (int x = 0; x < level.width; ++x) {
        for (int k = 0; k < 4; ++k)
          four[static_cast<size_t>(k)] = fine.line(face, std::min(2 * x + (k & 1), fine.width - 1),
                                                   std::min(2 * y + (k >> 1), fine.height - 1), channels_);
        level.append(simplified(mean(four, channels_), kTolerance, channels_), channels_);
      }
  levels_.push_back(std::move(level));
}

void DeepShadow::Level::append(const DeepLine& line, int channels) {
  if (start.empty()) start.push_back(0);
  for (const DeepCorner& c : line) {
    z.push_back(c.z);
    for (size_t k = 0; k < static_cast<size_t>(channels); ++k)
      t.push_back(static_cast<uint16_t>(std::lround(std::clamp(c.t[k], 0.0f, 1.0f) * 65535)));
  }
  start.push_back(static_cast<uint32_t>(z.size()));
}

DeepLine DeepShadow::Level::line(int face, int x, int y, int channels) const {
  const size_t at = pixel(face, x, y);
  DeepLine out;
  for (uint32_t i = start[at]; i < start[at + 1]; ++i) {
    DeepCorner c{z[i], {}};
    for (size_t k = 0; k < 3; ++k) {
      const size_t from = channels == 3 ? k : 0;
      c.t[k] = static_cast<float>(t[i * static_cast<size_t>(channels) + from]) / 65535;
    }
    out.push_back(c);
  }
  return out;
}

size_t DeepShadow::bytes() const {
  size_t all = 0;
  for (const Level& level : levels_) all += level.bytes();
  return all;
}

/// What passes up to z at a pixel of a level. Something solid within `corner` of that depth is taken as a part of the
/// receiver: the next wall of its corner. What stops light bit by bit is not.
void DeepShadow::passing(const Level& level, size_t pixel, float z, float corner, float* t) const {
  std::fill(t, t + channels_, 1.0f);
  const uint32_t first = level.start[pixel], last = level.start[pixel + 1];
  if (first == last) return;
  const size_t n = static_cast<size_t>(channels_);
  const auto end = level.t.begin() + static_cast<ptrdiff_t>(last * n);
  if (std::fabs(level.z[last - 1] - z) <= corner &&
      std::all_of(end - channels_, end, [](uint16_t v) { return v == 0; }))
    z -= corner;
  if (z <= level.z[first]) return;
  const auto begin = level.z.begin();
  // What stands at that very depth is the point itself.
  const uint32_t k = static_cast<uint32_t>(std::lower_bound(begin + first, begin + last, z) - begin);
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

/// Where a place beyond the border of a cube's face lies in the face that sees it: depth and pixel there. x, y are in
/// pixels of the finest level. False where no picture is.
bool DeepShadow::beyond(int face, int level, float x, float y, float& z, size_t& pixel) const {
  int other = 0;
  float ox = 0, oy = 0, oz = 0;
  if (!(z > 0) || !views_.otherFace(face, x, y, z, other, ox, oy, oz)) return false;
  const Level& l = levels_[static_cast<size_t>(level)];
  const float scale = 1 / static_cast<float>(1 << level);
  const int px = static_cast<int>(std::floor(ox * scale)), py = static_cast<int>(std::floor(oy * scale));
  if (px < 0 || py < 0 || px >= l.width || py >= l.height) return false;
  z = oz, pixel = l.pixel(other, px, py);
  return true;
}

/// The mean over the area's box, on the level on which it is a few pixels wide. Beside the map everything passes.
void DeepShadow::lookAt(const ShadowArea& a, float* t) const {
  const ShadowFace& face = views_.faces()[static_cast<size_t>(a.face)];
  const float width = std::max(2 * a.halfX(), 1.0f), height = std::max(2 * a.halfY(), 1.0f);
  int l = lost_;
  while (l + 1 < static_cast<int>(levels_.size()) && std::max(width, height) > kWidest * static_cast<float>(1 << l))
    ++l;
  const Level& level = levels_[static_cast<size_t>(l)];
  const float scale = 1 / static_cast<float>(1 << l);
  // A pixel of a coarse level stands for depths over its whole width on a receiver that slopes.
  const float bias = 0.5f * (a.bias0 + a.bias1) +
                     0.55f * (std::fabs(a.slopeX) + std::fabs(a.slopeY)) * (static_cast<float>(1 << l) - 1);
  // Corners beside a receiver that is wide itself lie farther away.
  const float own = std::max({1.0f, std::fabs(a.ux) + std::fabs(a.vx), std::fabs(a.uy) + std::fabs(a.vy)});
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
      float z = a.z + a.slopeX * ox + a.slopeY * oy - bias - a.bend(ox, oy);
      float passes[3] = {1, 1, 1};
      const bool here = x >= 0 && y >= 0 && x < level.width && y < level.height;
      size_t pixel = here ? level.pixel(a.face, x, y) : 0;
      if (here || (views_.cube() && beyond(a.face, l, a.x + ox, a.y + oy, z, pixel)))
        passing(level, pixel, z, 1.5f * a.corner(ox, oy, own), passes);
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
