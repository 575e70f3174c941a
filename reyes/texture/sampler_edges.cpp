// SPDX-License-Identifier: Apache-2.0
// The sampler's taps that reach over the border of a tile or of the picture, texel by texel, and the poles of
// latitude-longitude maps. Called by the kernels through TapRound.
#include <algorithm>
#include <cmath>

#include "reyes/base/half.h"
#include "reyes/texture/sampler.h"

namespace reyes::texture {
namespace {

float texelValue(TexelType type, const char* texels, int64_t number) {
  switch (type) {
    case TexelType::kUint8:
      return static_cast<float>(reinterpret_cast<const uint8_t*>(texels)[number]);
    case TexelType::kUint16:
      return static_cast<float>(reinterpret_cast<const uint16_t*>(texels)[number]);
    case TexelType::kHalf:
      return toFloat(Half{reinterpret_cast<const uint16_t*>(texels)[number]});
    default:
      return reinterpret_cast<const float*>(texels)[number];
  }
}

int wrapped(int i, int size, Wrap wrap, bool& outside) {
  switch (wrap) {
    case Wrap::kPeriodic:
      return ((i % size) + size) % size;
    case Wrap::kMirror:
      i = i < 0 ? -1 - i : i >= size ? 2 * size - 1 - i : i;
      break;
    case Wrap::kClamp:
      break;
    default:
      outside |= i < 0 || i >= size;
  }
  return std::clamp(i, 0, size - 1);
}

}  // namespace

/// The channels of one texel, zero outside.
void Sampler::texel(const TapRound& round, int level, int x, int y, float* to) {
  const int w = std::max(1, round.width >> level), h = std::max(1, round.height >> level);
  bool outside = false;
  x = wrapped(x, w, round.sWrap, outside), y = wrapped(y, h, round.tWrap, outside);
  std::fill_n(to, groupChannels_, 0.0f);
  if (outside) return;
  const int tx = x >> round.tileShiftX, ty = y >> round.tileShiftY;
  const int64_t key = round.pictureKey | tileKey(level, tx, ty);
  ++tileRequests_;
  const char* texels = tile(key);
  if (!texels) return;
  const int inX = x & ((1 << round.tileShiftX) - 1), inY = y & ((1 << round.tileShiftY) - 1);
  const int64_t number = static_cast<int64_t>((inY << round.tileShiftX) + inX) * round.stride + round.first;
  for (int c = 0; c < groupChannels_; ++c) to[c] = texelValue(current_.info->type, texels, number + c);
}

/// The mean of the first or last row.
void Sampler::poleRow(const TapRound& round, int level, bool top, float* to) {
  const int w = std::max(1, round.width >> level), h = std::max(1, round.height >> level);
  float sum[kChannelGroup] = {}, one[kChannelGroup];
  // So many texels say enough about a row.
  const int step = std::max(1, w / 64);
  int count = 0;
  for (int x = step / 2; x < w; x += step, ++count) {
    texel(round, level, x, top ? 0 : h - 1, one);
    for (int c = 0; c < groupChannels_; ++c) sum[c] += one[c];
  }
  for (int c = 0; c < groupChannels_; ++c) to[c] = sum[c] / static_cast<float>(std::max(1, count));
}

void Sampler::addEdge(void* self, const TapRound& round, const EdgeTap& tap) {
  auto& me = *static_cast<Sampler*>(self);
  const int h = std::max(1, round.height >> tap.level);
  float row[2][kChannelGroup];
  float fy = tap.fy;
  for (int k = 0; k < 2; ++k) {
    const int y = tap.y + k;
    const bool beyond = round.tWrap == Wrap::kPole && (y < 0 || y >= h);
    if (beyond) {
      me.poleRow(round, tap.level, y < 0, row[k]);
      continue;
    }
    float v0[kChannelGroup], v1[kChannelGroup];
    me.texel(round, tap.level, tap.x, y, v0);
    me.texel(round, tap.level, tap.x + 1, y, v1);
    for (int c = 0; c < me.groupChannels_; ++c) row[k][c] = v0[c] + (v1[c] - v0[c]) * tap.fx;
  }
  if (round.tWrap == Wrap::kPole) {
    // The pole itself is half a texel beyond the centre of the row, not a whole one.
    if (tap.y < 0) fy = std::max(0.0f, 2 * tap.fy - 1);
    if (tap.y + 1 >= h) fy = std::min(1.0f, 2 * tap.fy);
  }
  for (int c = 0; c < me.groupChannels_; ++c) {
    const float value = row[0][c] + (row[1][c] - row[0][c]) * fy;
    round.sums[c][tap.lane] += value * (tap.weight * round.scale);
  }
}

}  // namespace reyes::texture
