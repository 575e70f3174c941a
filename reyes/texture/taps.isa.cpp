// SPDX-License-Identifier: Apache-2.0
// Weighted bilinear taps, eight lanes at a time: those that lie in one tile are gathered from it at once, those over a
// border go to the host one by one. Called by the sampler through TapKernels, once a probe and level.
#include "reyes/base/lanes8.h"
#include "reyes/texture/tap_kernels.h"

namespace reyes::texture::REYES_ISA {
using namespace reyes::REYES_ISA;
namespace {

/// Places into the range that texels are looked for in.
REYES_INLINE F8 fold(F8 s, Wrap wrap) {
  if (wrap == Wrap::kPeriodic) return s - floor(s);
  if (wrap == Wrap::kMirror) {
    const F8 two = s - 2.0f * floor(s * 0.5f);
    return two > 1.0f ? 2.0f - two : two;
  }
  return min(max(s, splat(-1.0f)), splat(2.0f));
}

/// Texels, which reach at most two beyond the border, into the picture; `outside` where there is none.
REYES_INLINE I8 wrapTexel(I8 i, I8 size, Wrap wrap, I8& outside) {
  const I8 zero = splat(0), last = size - 1;
  switch (wrap) {
    case Wrap::kPeriodic:
      i += i < zero ? size : zero;
      i += i < zero ? size : zero;
      i -= i > last ? size : zero;
      i -= i > last ? size : zero;
      break;
    case Wrap::kMirror:
      i = i < zero ? -1 - i : i;
      i = i > last ? 2 * last + 1 - i : i;
      break;
    case Wrap::kClamp:
      break;
    default:
      outside |= (i < zero) | (i > last);
  }
  return min(max(i, zero), last);
}

/// Along one axis: the first of two texels and how far the place is towards the second.
struct Axis {
  I8 at;
  F8 f;
};

/// A B-spline along an axis is two linear taps, whose weights add up to 1.
REYES_INLINE Axis cubicAxis(Axis a, bool second, F8& weight) {
  const F8 f = a.f, g = 1.0f - f;
  const F8 w0 = g * g * g * (1.0f / 6), w3 = f * f * f * (1.0f / 6);
  const F8 w1 = (4.0f - 6.0f * (f * f) + 3.0f * (f * f * f)) * (1.0f / 6);
  const F8 w2 = (4.0f - 6.0f * (g * g) + 3.0f * (g * g * g)) * (1.0f / 6);
  const F8 sum = second ? w2 + w3 : w0 + w1;
  weight *= sum;
  return {a.at + (second ? 1 : -1), (second ? w3 : w1) / sum};
}

REYES_INLINE Axis axisOf(F8 place, I8 size, bool nearest) {
  const F8 x = place * toFloats(size) - (nearest ? 0.0f : 0.5f);
  const F8 at = floor(x);
  return {toInts(at), nearest ? splat(0.0f) : x - at};
}

/// Halves in the low 16 bits of words to floats. Infinities and values that are no numbers stay such.
REYES_INLINE F8 fromHalf(I8 h) {
  const I8 magnitude = (h & 0x7fff) << 13;
  const I8 special = (h & 0x7c00) == 0x7c00;
  const F8 plain = asFloats(magnitude) * 0x1p112f;
  const I8 value = special ? magnitude | 0x7f800000 : reinterpret_cast<I8>(plain);
  return asFloats(value | (h & 0x8000) << 16);
}

constexpr int texelBytes(TexelType t) { return t == TexelType::kUint8 ? 1 : t == TexelType::kFloat ? 4 : 2; }

/// Channels of eight texels; `o` counts numbers from the start of the tile.
template <TexelType kType, int kChannels>
REYES_INLINE void texels(const char* base, I8 o, F8 v[kChannels]) {
  if constexpr (kType == TexelType::kUint8) {
    const I8 word = gather(base, o);
    for (int c = 0; c < kChannels; ++c) v[c] = toFloats((word >> (8 * c)) & 255);
  } else if constexpr (kType == TexelType::kFloat) {
    for (int c = 0; c < kChannels; ++c) v[c] = asFloats(gather(base + 4 * c, o * 4));
  } else {
    for (int c = 0; c < kChannels; c += 2) {
      const I8 word = gather(base + 2 * c, o * 2);
      const I8 low = word & 0xffff, high = (word >> 16) & 0xffff;
      v[c] = kType == TexelType::kHalf ? fromHalf(low) : toFloats(low);
      if (c + 1 < kChannels) v[c + 1] = kType == TexelType::kHalf ? fromHalf(high) : toFloats(high);
    }
  }
}

/// Two texels beside each other, `stride` numbers apart. Of bytes both come with one load.
template <TexelType kType, int kChannels>
REYES_INLINE void texelPair(const char* base, I8 o, int stride, F8 v0[kChannels], F8 v1[kChannels]) {
  if constexpr (kType == TexelType::kUint8) {
    if (stride <= 4) {
      I8 first, second;
      gatherPair(base, o, 8 * stride, first, second);
      for (int c = 0; c < kChannels; ++c) {
        v0[c] = toFloats((first >> (8 * c)) & 255);
        v1[c] = toFloats((second >> (8 * c)) & 255);
      }
      return;
    }
  }
  texels<kType, kChannels>(base, o, v0);
  texels<kType, kChannels>(base, o + stride, v1);
}

/// Where eight lanes' texels lie in their tiles.
struct Group {
  I8 level, key, offset, dx, dy;
  Axis x, y;
  uint32_t edges;  ///< lanes whose four texels are not in one tile
};

/// kInside: the four texels lie beside each other, as they do wherever nothing wraps.
template <TexelType kType, int kChannels, bool kInside>
REYES_INLINE void blend(const TapRound& r, const char* base, const Group& g, F8 value[kChannels]) {
  F8 v00[kChannels], v10[kChannels], v01[kChannels], v11[kChannels];
  if constexpr (kInside) {
    texelPair<kType, kChannels>(base, g.offset, r.stride, v00, v10);
    texelPair<kType, kChannels>(base + texelBytes(kType) * (r.stride << r.tileShiftX), g.offset, r.stride, v01, v11);
  } else {
    const I8 up = g.offset + g.dy;
    texels<kType, kChannels>(base, g.offset, v00);
    texels<kType, kChannels>(base, g.offset + g.dx, v10);
    texels<kType, kChannels>(base, up, v01);
    texels<kType, kChannels>(base, up + g.dx, v11);
  }
  for (int c = 0; c < kChannels; ++c) {
    const F8 low = v00[c] + (v10[c] - v00[c]) * g.x.f, high = v01[c] + (v11[c] - v01[c]) * g.x.f;
    value[c] = low + (high - low) * g.y.f;
  }
}

/// What does not change from lane to lane, in registers.
struct Picture {
  const TapRound& r;
  int maskX, maskY;
  int64_t lastKey = -1, requests = 0;
  const char* lastTile = nullptr;

  explicit Picture(const TapRound& round)
      : r(round), maskX((1 << round.tileShiftX) - 1), maskY((1 << round.tileShiftY) - 1) {}

  REYES_INLINE const char* tile(int key) {
    const int64_t full = r.pictureKey | key;
    ++requests;
    if (full == lastKey) return lastTile;
    const TileSlot& slot = r.slots[slotOf(full)];
    lastTile = slot.key == full ? slot.texels : r.fetch(r.host, full);
    lastKey = full;
    return lastTile;
  }
};

/// The four texels around a place that is folded already.
REYES_INLINE void keyOf(const Picture& p, I8 x, I8 y, Group& g) {
  const TapRound& r = p.r;
  g.key = g.level << 26 | (y >> r.tileShiftY) << 13 | x >> r.tileShiftX;
  g.offset = ((((y & p.maskY) << r.tileShiftX) | (x & p.maskX)) * r.stride) + r.first;
}

/// The same where they may wrap.
__attribute__((noinline)) void wrapGroup(const Picture& p, bool nearest, I8 w, I8 h, Group& g) {
  const TapRound& r = p.r;
  const int step = nearest ? 0 : 1;
  I8 odd = splat(0);
  const I8 x0 = wrapTexel(g.x.at, w, r.sWrap, odd), x1 = wrapTexel(g.x.at + step, w, r.sWrap, odd);
  const I8 y0 = wrapTexel(g.y.at, h, r.tWrap, odd), y1 = wrapTexel(g.y.at + step, h, r.tWrap, odd);
  odd |= ((x1 >> r.tileShiftX) != (x0 >> r.tileShiftX)) | ((y1 >> r.tileShiftY) != (y0 >> r.tileShiftY));
  g.edges = bits(odd);
  keyOf(p, x0, y0, g);
  g.dx = ((x1 & p.maskX) - (x0 & p.maskX)) * r.stride;
  g.dy = (((y1 & p.maskY) - (y0 & p.maskY)) << r.tileShiftX) * r.stride;
}

/// True where no lane wraps or leaves its tile: then dx and dy are not set.
REYES_INLINE bool place(const Picture& p, F8 s, F8 t, I8 level, bool nearest, int corner, F8& weight, Group& g) {
  const TapRound& r = p.r;
  g.level = min(level, splat(r.lastLevel));
  const I8 w = max(splat(r.width) >> g.level, splat(1)), h = max(splat(r.height) >> g.level, splat(1));
  g.x = axisOf(s, w, nearest), g.y = axisOf(t, h, nearest);
  if (corner >= 0) {
    g.x = cubicAxis(g.x, corner & 1, weight);
    g.y = cubicAxis(g.y, corner & 2, weight);
  }
  const I8 x = g.x.at, y = g.y.at;
  // Signs say all: x < 0, x + 1 > last, and of a texel beside the border of its tile x + 1 is in another tile.
  const I8 x1 = x + 1, y1 = y + 1;
  const I8 wraps = x | y | (w - 1 - x1) | (h - 1 - y1);
  const I8 leaves = ((x ^ x1) >> r.tileShiftX) | ((y ^ y1) >> r.tileShiftY);
  const bool inside = !anyNegative(wraps | -leaves);
  if (inside) {
    g.edges = 0;
    keyOf(p, x, y, g);
  } else {
    wrapGroup(p, nearest, w, h, g);
  }
  return inside;
}

REYES_INLINE I8 lanesOf(uint32_t mask) {
  const I8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return (splat(static_cast<int32_t>(mask)) & bit) != 0;
}

/// Adds the lanes of `rest`, tile by tile.
template <TexelType kType, int kChannels>
__attribute__((noinline)) void addTileByTile(Picture& p, const Group& g, uint32_t rest, F8 weight, F8* sum) {
  while (rest) {
    const int lane = __builtin_ctz(rest);
    const int key = g.key[lane];
    const uint32_t same = bits(g.key == splat(key)) & rest;
    rest &= ~same;
    const char* base = p.tile(key);
    if (!base) continue;
    // Other lanes look where this one does, so that no memory is fetched for them.
    const I8 mine = lanesOf(same);
    Group part = g;
    part.offset = mine ? g.offset : splat(g.offset[lane]);
    part.dx = mine ? g.dx : splat(0);
    part.dy = mine ? g.dy : splat(0);
    F8 value[kChannels];
    blend<kType, kChannels, false>(p.r, base, part, value);
    for (int c = 0; c < kChannels; ++c) sum[c] += mine ? value[c] * weight : splat(0.0f);
  }
}

/// Adds the lanes of `rest`. A grid's lanes mostly lie in one tile.
template <TexelType kType, int kChannels>
REYES_INLINE void addTiles(Picture& p, Group& g, bool inside, uint32_t rest, F8 weight, F8 sum[kChannels]) {
  const TapRound& r = p.r;
  if (inside && rest == 255 && bits(g.key == splat(g.key[0])) == 255) {
    const char* base = p.tile(g.key[0]);
    if (!base) return;
    F8 value[kChannels];
    blend<kType, kChannels, true>(r, base, g, value);
    for (int c = 0; c < kChannels; ++c) sum[c] += value[c] * weight;
    return;
  }
  if (inside) g.dx = splat(r.stride), g.dy = splat(r.stride << r.tileShiftX);
  addTileByTile<kType, kChannels>(p, g, rest, weight, sum);
}

void sendEdges(const TapRound& r, int first, uint32_t lanes, const Group& g, F8 weight) {
  for (; lanes; lanes &= lanes - 1) {
    const int l = __builtin_ctz(lanes);
    r.edge(r.host, r, {first + l, g.level[l], g.x.at[l], g.y.at[l], g.x.f[l], g.y.f[l], weight[l]});
  }
}

/// Weight of this tap for each lane.
REYES_INLINE F8 weightOf(const TapRound& r, int first) {
  F8 w = load(r.weight + first);
  const F8 f = load(r.fraction + first);
  w *= r.nextLevel ? f : 1.0f - f;
  if (r.tap == Tap::kLinear) w *= 1.0f - load(r.smooth + first);
  if (r.tap > Tap::kLinear) w *= load(r.smooth + first);
  return w;
}

template <TexelType kType, int kChannels>
void taps(const TapRound& from) {
  const TapRound r = from;
  Picture p(r);
  const int corner = static_cast<int>(r.tap) - static_cast<int>(Tap::kCubic0);
  for (int first = 0; first < r.n; first += 8) {
    F8 weight = weightOf(r, first);
    const uint32_t live = bits(weight != 0.0f);
    if (!live) continue;
    F8 s = load(r.s + first), t = load(r.t + first);
    if (r.probes) {
      const F8 along = static_cast<float>(r.probe) - 0.5f * toFloats(load(r.probes + first) - 1);
      s += along * load(r.stepS + first);
      t += along * load(r.stepT + first);
    }
    const I8 level = load(r.level + first) + (r.nextLevel ? 1 : 0);
    Group g;
    const bool all = place(p, fold(s, r.sWrap), fold(t, r.tWrap), level, r.nearest, corner, weight, g);
    F8 sum[kChannels];
    for (int c = 0; c < kChannels; ++c) sum[c] = load(r.sums[c] + first);
    if (const uint32_t inside = live & ~g.edges) addTiles<kType, kChannels>(p, g, all, inside, weight * r.scale, sum);
    for (int c = 0; c < kChannels; ++c) store(r.sums[c] + first, sum[c]);
    if (const uint32_t edges = live & g.edges) sendEdges(r, first, edges, g, weight);
  }
  *r.tileRequests += p.requests;
}

template <TexelType kType, int kChannels>
void single(const TapRound& from) {
  const TapRound r = from;
  Picture p(r);
  for (int first = 0; first < r.n; first += 8) {
    const F8 s = fold(load(r.s + first), r.sWrap), t = fold(load(r.t + first), r.tWrap);
    const F8 weight = load(r.weight + first), f = load(r.fraction + first);
    const I8 level = load(r.level + first);
    F8 sum[kChannels];
    for (int c = 0; c < kChannels; ++c) sum[c] = splat(0.0f);
    F8 low = weight * (1.0f - f), high = weight * f;
    Group g, next;
    const bool all = place(p, s, t, level, false, -1, low, g);
    const uint32_t live = bits(low != 0.0f), also = bits(high != 0.0f);
    if (const uint32_t inside = live & ~g.edges) addTiles<kType, kChannels>(p, g, all, inside, low * r.scale, sum);
    uint32_t edges = 0;
    if (also) {
      const bool whole = place(p, s, t, level + 1, false, -1, high, next);
      if (const uint32_t inside = also & ~next.edges)
        addTiles<kType, kChannels>(p, next, whole, inside, high * r.scale, sum);
      edges = also & next.edges;
    }
    for (int c = 0; c < kChannels; ++c) store(r.sums[c] + first, sum[c]);
    if (live & g.edges) sendEdges(r, first, live & g.edges, g, low);
    if (edges) sendEdges(r, first, edges, next, high);
  }
  *r.tileRequests += p.requests;
}

}  // namespace

#define REYES_TAPS(kernel, type) \
  { kernel<type, 1>, kernel<type, 2>, kernel<type, 3>, kernel<type, 4> }
#define REYES_ALL(kernel)                                                           \
  {                                                                                 \
    REYES_TAPS(kernel, TexelType::kUint8), REYES_TAPS(kernel, TexelType::kUint16),  \
        REYES_TAPS(kernel, TexelType::kHalf), REYES_TAPS(kernel, TexelType::kFloat) \
  }

FootprintSums footprints(const FootprintArgs& a);

const TapKernels& kernels() {
  static constexpr TapKernels k = {footprints, REYES_ALL(taps), REYES_ALL(single)};
  return k;
}

}  // namespace reyes::texture::REYES_ISA
