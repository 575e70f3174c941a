// SPDX-License-Identifier: Apache-2.0
// Weighted bilinear taps, eight lanes at a time: those that lie in one tile are gathered from it at once, those over a
// border go to the host one by one. Called by the sampler through TapKernels, once a probe and level.
#include "reyes/base/lanes8.h"
#include "reyes/texture/tap_kernels.h"
#include "reyes/texture/texel_blend.h"

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

/// A polynomial of how far a place is towards the next texel.
REYES_INLINE F8 cubicPart(const float c[4], F8 f) { return ((splat(c[3]) * f + c[2]) * f + c[1]) * f + c[0]; }

REYES_INLINE Axis axisOf(F8 place, I8 size, bool nearest) {
  const F8 x = place * toFloats(size) - (nearest ? 0.0f : 0.5f);
  const F8 at = floor(x);
  return {toInts(at), nearest ? splat(0.0f) : x - at};
}

/// Where eight lanes' texels lie in their tiles.
struct Group {
  I8 level, key, offset, dx, dy;
  Axis x, y;
  uint32_t edges;  ///< lanes whose four texels are not in one tile
};

/// What does not change from lane to lane, in registers.
struct Picture {
  const TapRound& r;
  int maskX, maskY;
  int64_t requests = 0;
  PairMasks masks;

  int numberBytes;  ///< of a channel of a texel

  Picture(const TapRound& round, int bytes)
      : r(round),
        maskX((1 << round.tileShiftX) - 1),
        maskY((1 << round.tileShiftY) - 1),
        masks(round.stride),
        numberBytes(bytes) {}

  /// Until the next tile is asked for.
  REYES_INLINE const char* tile(int key) {
    const int64_t full = r.pictureKey | key;
    ++requests;
    const TileSlot& slot = r.slots[slotOf(full)];
    return slot.key == full ? slot.texels : r.fetch(r.host, full);
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
REYES_INLINE bool place(const Picture& p, F8 s, F8 t, I8 level, Tap tap, F8& weight, Group& g) {
  const TapRound& r = p.r;
  g.level = min(level, splat(r.lastLevel));
  const I8 w = max(splat(r.width) >> g.level, splat(1)), h = max(splat(r.height) >> g.level, splat(1));
  const bool nearest = r.nearest;
  g.x = axisOf(s, w, nearest), g.y = axisOf(t, h, nearest);
  if (tap == Tap::kTexel) {
    weight *= cubicPart(r.texelPartX, g.x.f) * cubicPart(r.texelPartY, g.y.f);
    g.x = {g.x.at + r.texelX, splat(0.0f)}, g.y = {g.y.at + r.texelY, splat(0.0f)};
  } else if (tap >= Tap::kCubic0) {
    const int corner = static_cast<int>(tap) - static_cast<int>(Tap::kCubic0);
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

/// Values of the lanes of `rest`, tile by tile; of others, and where a tile is missing, 0.
template <TexelType kType, int kChannels>
__attribute__((noinline)) void tileByTile(Picture& p, const Group& g, uint32_t rest, F8* value) {
  for (int c = 0; c < kChannels; ++c) value[c] = splat(0.0f);
  while (rest) {
    const int lane = __builtin_ctz(rest);
    const int key = g.key[lane];
    const uint32_t same = bits(g.key == splat(key)) & rest;
    rest &= ~same;
    const char* base = p.tile(key);
    if (!base) continue;
    // Other lanes look where this one does, so that no memory is fetched for them.
    const I8 mine = lanesOf(same);
    const I8 offset = mine ? g.offset : splat(g.offset[lane]);
    F8 v[kChannels];
    blendApart<kType, kChannels>(base, offset, mine ? g.dx : splat(0), mine ? g.dy : splat(0), g.x.f, g.y.f, v);
    for (int c = 0; c < kChannels; ++c) value[c] = mine ? v[c] : value[c];
  }
}

/// Values of the lanes of `rest` in kBlendUnits; of others 0, or anything that is finite. A grid's lanes mostly lie in
/// one tile.
template <TexelType kType, int kChannels>
REYES_INLINE void valuesOf(Picture& p, Group& g, bool inside, uint32_t rest, F8 value[kChannels]) {
  const TapRound& r = p.r;
  if (inside && rest == 255 && bits(g.key == splat(g.key[0])) == 255) {
    if (const char* base = p.tile(g.key[0])) {
      blendInside<kType, kChannels>(r, p.masks, base, g.offset, g.x.f, g.y.f, value);
      return;
    }
    for (int c = 0; c < kChannels; ++c) value[c] = splat(0.0f);
    return;
  }
  if (inside) g.dx = splat(r.stride), g.dy = splat(r.stride << r.tileShiftX);
  tileByTile<kType, kChannels>(p, g, rest, value);
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
  Picture p(r, texelBytes(kType));
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
    if (r.rows) {
      const F8 across = static_cast<float>(r.row) - 0.5f * toFloats(load(r.rows + first) - 1);
      s += across * load(r.acrossS + first);
      t += across * load(r.acrossT + first);
    }
    const I8 level = load(r.level + first) + (r.nextLevel ? 1 : 0);
    Group g;
    const bool all = place(p, fold(s, r.sWrap), fold(t, r.tWrap), level, r.tap, weight, g);
    F8 sum[kChannels];
    for (int c = 0; c < kChannels; ++c) sum[c] = load(r.sums[c] + first);
    if (const uint32_t inside = live & ~g.edges) {
      F8 value[kChannels];
      valuesOf<kType, kChannels>(p, g, all, inside, value);
      const F8 part = weight * (r.scale / kBlendUnit<kType>);
      for (int c = 0; c < kChannels; ++c) sum[c] += value[c] * part;
    }
    for (int c = 0; c < kChannels; ++c) store(r.sums[c] + first, sum[c]);
    if (const uint32_t edges = live & g.edges) sendEdges(r, first, edges, g, weight);
  }
  *r.tileRequests += p.requests;
}

/// The tile of one level that the lanes before were in: most often these are in it, too.
struct HeldTile {
  int level = -1;
  F8 width = splat(1.0f), height = splat(1.0f);
  I8 x0 = splat(0), y0 = splat(0);          ///< its corner
  I8 roomX = splat(-1), roomY = splat(-1);  ///< the last place in it that has a neighbour on the right, and above
  const TileSlot* slot = nullptr;
  int64_t key = -1;
  const char* base = nullptr;

  /// False once the slot has another tile.
  bool held() const { return slot && slot->key == key; }

  void setLevel(const TapRound& r, int l) {
    level = l, slot = nullptr;
    const int w = r.width >> l, h = r.height >> l;
    width = splat(static_cast<float>(w > 1 ? w : 1)), height = splat(static_cast<float>(h > 1 ? h : 1));
  }
  /// The tile of a texel, where there is one.
  void setTile(Picture& p, int x, int y) {
    const TapRound& r = p.r;
    const int w = static_cast<int>(width[0]), h = static_cast<int>(height[0]);
    slot = nullptr, roomX = splat(-1);
    if (x < 0 || y < 0 || x >= w || y >= h) return;
    const int tx = x >> r.tileShiftX, ty = y >> r.tileShiftY, left = tx << r.tileShiftX, low = ty << r.tileShiftY;
    const int right = w - left < p.maskX + 1 ? w - left : p.maskX + 1;
    const int top = h - low < p.maskY + 1 ? h - low : p.maskY + 1;
    x0 = splat(left), y0 = splat(low), roomX = splat(right - 2), roomY = splat(top - 2);
    key = r.pictureKey | tileKey(level, tx, ty);
    slot = &r.slots[slotOf(key)];
    base = slot->key == key ? slot->texels : r.fetch(r.host, key);
    if (base) base += r.first * p.numberBytes;
  }
};

/// Lanes inside one tile of a level.
struct Spot {
  I8 offset = splat(0);
  F8 fx = splat(0.0f), fy = splat(0.0f);
};

/// False where some lane is not, or the tile is missing.
REYES_INLINE bool inOneTile(Picture& p, HeldTile& tile, int level, F8 s, F8 t, Spot& at) {
  const TapRound& r = p.r;
  if (tile.level != level) tile.setLevel(r, level);
  const F8 x = s * tile.width - 0.5f, y = t * tile.height - 0.5f;
  const F8 left = floor(x), low = floor(y);
  const I8 ix = toInts(left), iy = toInts(low);
  I8 inX = ix - tile.x0, inY = iy - tile.y0;
  if (!tile.held() || anyNegative(inX | inY | (tile.roomX - inX) | (tile.roomY - inY))) {
    tile.setTile(p, ix[0], iy[0]);
    inX = ix - tile.x0, inY = iy - tile.y0;
    if (!tile.slot || anyNegative(inX | inY | (tile.roomX - inX) | (tile.roomY - inY))) return false;
  }
  at.offset = ((inY << r.tileShiftX) + inX) * r.stride;
  at.fx = x - left, at.fy = y - low;
  ++p.requests;
  return tile.base != nullptr;
}

/// Lanes that are not all in one tile of their level; the same sums in the same order.
template <TexelType kType, int kChannels>
__attribute__((noinline)) void singleApart(Picture& p, int first) {
  const TapRound& r = p.r;
  const F8 s = fold(load(r.s + first), r.sWrap), t = fold(load(r.t + first), r.tWrap);
  const F8 weight = load(r.weight + first), f = load(r.fraction + first);
  const I8 level = load(r.level + first);
  const float unit = r.scale / kBlendUnit<kType>;
  F8 sum[kChannels], part[2] = {weight * (1.0f - f), weight * f};
  for (int c = 0; c < kChannels; ++c) sum[c] = splat(0.0f);
  Group g[2];
  uint32_t edges[2] = {};
  for (int k = 0; k < 2; ++k) {
    const uint32_t live = bits(part[k] != 0.0f);
    if (!live) continue;
    const bool all = place(p, s, t, level + k, Tap::kPlain, part[k], g[k]);
    edges[k] = live & g[k].edges;
    const uint32_t inside = live & ~g[k].edges;
    if (!inside) continue;
    F8 value[kChannels];
    valuesOf<kType, kChannels>(p, g[k], all, inside, value);
    for (int c = 0; c < kChannels; ++c) sum[c] += value[c] * (part[k] * unit);
  }
  for (int c = 0; c < kChannels; ++c) store(r.sums[c] + first, sum[c]);
  for (int k = 0; k < 2; ++k)
    if (edges[k]) sendEdges(r, first, edges[k], g[k], part[k]);
}

template <TexelType kType, int kChannels>
void single(const TapRound& from) {
  // Zero times a number of these is zero.
  constexpr bool kFinite = kType == TexelType::kUint8 || kType == TexelType::kUint16;
  const TapRound r = from;
  Picture p(r, texelBytes(kType));
  HeldTile tile, above;
  const float unit = r.scale / kBlendUnit<kType>;
  for (int first = 0; first < r.n; first += 8) {
    const I8 level = load(r.level + first);
    const int l = level[0];
    const F8 f = load(r.fraction + first), weight = load(r.weight + first);
    const uint32_t live = bits((weight != 0.0f) & (level == splat(l))), also = bits(f != 0.0f);
    const F8 s = fold(load(r.s + first), r.sWrap), t = fold(load(r.t + first), r.tWrap);
    Spot at, next;
    // The tile above may have taken the place of the first one.
    if (live != 255 || !(kFinite || also == 0 || also == 255) || !inOneTile(p, tile, l, s, t, at) ||
        (also && (!inOneTile(p, above, l + 1, s, t, next) || !tile.held()))) {
      singleApart<kType, kChannels>(p, first);
      continue;
    }
    F8 value[kChannels], sum[kChannels];
    blendInside<kType, kChannels>(r, p.masks, tile.base, at.offset, at.fx, at.fy, value);
    // No zero with a sign, whatever the unit's.
    const F8 low = weight * (1.0f - f) * unit, high = weight * f * unit;
    for (int c = 0; c < kChannels; ++c) sum[c] = value[c] * low + 0.0f;
    if (also) {
      blendInside<kType, kChannels>(r, p.masks, above.base, next.offset, next.fx, next.fy, value);
      for (int c = 0; c < kChannels; ++c) sum[c] += value[c] * high;
    }
    for (int c = 0; c < kChannels; ++c) store(r.sums[c] + first, sum[c]);
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
