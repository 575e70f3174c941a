// SPDX-License-Identifier: Apache-2.0
// Values of opaque samples, eight at a time: where in its micropolygon a sample lies, then bilinear values of the
// corners. Called by BucketHider::resolve for samples with nothing in front.
#include <cmath>

#include "reyes/base/lanes8.h"
#include "reyes/hider/raster.h"
#include "reyes/hider/resolve_kernels.h"

namespace reyes::hider::REYES_ISA {
using namespace reyes::REYES_ISA;
namespace {

inline F8 gatherAt(const float* p, I8 at) {
#if defined(__AVX2__)
  return reinterpret_cast<F8>(_mm256_i32gather_ps(p, reinterpret_cast<__m256i>(at), 4));
#else
  return F8{p[at[0]], p[at[1]], p[at[2]], p[at[3]], p[at[4]], p[at[5]], p[at[6]], p[at[7]]};
#endif
}

/// toUnits() of bucket_impl.h, lane by lane.
inline I8 units(F8 v, int origin) {
  const F8 u = min(max(v * static_cast<float>(kUnits), splat(-kMaxUnits)), splat(kMaxUnits));
  I8 r;
#if defined(__AVX2__)
  r = reinterpret_cast<I8>(_mm256_cvtps_epi32(reinterpret_cast<__m256>(u)));
#else
  for (int i = 0; i < 8; ++i) r[i] = static_cast<int32_t>(__builtin_rintf(u[i]));
#endif
  return r - origin * kUnits;
}

inline F8 repairedLanes(F8 v) {
  const F8 a = max(v, -v);
  return a <= std::numeric_limits<float>::max() ? v : splat(0.0f);
}

/// Eight samples of a grid.
struct Samples {
  I8 id, x, y;  // units from the bucket's corner
  F8 z;
  F8 time, pointX, pointY;  // of moving or defocused grids
};

/// Where in its micropolygon each lies: vertex a, bilinear weights.
struct Corners {
  I8 a;
  F8 s, t;
};

template <bool kSmooth, bool kRepair>
inline F8 plane(const ResolveGrid& g, const float* p, const Corners& k) {
  F8 v00 = gatherAt(p, k.a);
  if constexpr (kRepair) v00 = repairedLanes(v00);
  if constexpr (!kSmooth) return v00;
  F8 v10 = gatherAt(p + g.stepU, k.a), v01 = gatherAt(p + g.stepV, k.a), v11 = gatherAt(p + g.stepV + g.stepU, k.a);
  if constexpr (kRepair) v10 = repairedLanes(v10), v01 = repairedLanes(v01), v11 = repairedLanes(v11);
  const F8 top = v00 + k.s * (v10 - v00), bottom = v01 + k.s * (v11 - v01);
  return top + k.t * (bottom - top);
}

/// A packed vertex in each lane.
struct Packed {
  F8 colour[3];
  I8 place;
  I8 x() const { return (place << 16) >> 16; }
  I8 y() const { return place >> 16; }
};

inline Packed loadPacked(const float* packed, I8 at) {
  alignas(32) int32_t v[8];
  store(v, at);
#if defined(__AVX__)
  // Vertices of lanes n and n + 4 side by side, then four rows to columns in each half.
  __m256 r[4];
  for (int n = 0; n < 4; ++n)
    r[n] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(packed + 4 * static_cast<ptrdiff_t>(v[n]))),
                                _mm_loadu_ps(packed + 4 * static_cast<ptrdiff_t>(v[n + 4])), 1);
  const __m256 ab = _mm256_unpacklo_ps(r[0], r[1]), cd = _mm256_unpacklo_ps(r[2], r[3]);
  const __m256 ef = _mm256_unpackhi_ps(r[0], r[1]), gh = _mm256_unpackhi_ps(r[2], r[3]);
  return {{reinterpret_cast<F8>(_mm256_shuffle_ps(ab, cd, 0x44)), reinterpret_cast<F8>(_mm256_shuffle_ps(ab, cd, 0xee)),
           reinterpret_cast<F8>(_mm256_shuffle_ps(ef, gh, 0x44))},
          reinterpret_cast<I8>(_mm256_shuffle_ps(ef, gh, 0xee))};
#else
  float column[4][8];
  for (int n = 0; n < 8; ++n)
    for (int c = 0; c < 4; ++c) column[c][n] = packed[4 * static_cast<ptrdiff_t>(v[n]) + c];
  return {{load(column[0]), load(column[1]), load(column[2])}, reinterpret_cast<I8>(load(column[3]))};
#endif
}

/// The four corners of a micropolygon of a packed grid.
struct PackedCorners {
  Packed v00, v10, v01, v11;
  PackedCorners(const ResolveGrid& g, I8 a)
      : v00(loadPacked(g.packed, a)),
        v10(loadPacked(g.packed, a + g.stepU)),
        v01(loadPacked(g.packed, a + g.stepV)),
        v11(loadPacked(g.packed, a + (g.stepV + g.stepU))) {}
  F8 colour(int c, const Corners& k) const {
    const F8 top = v00.colour[c] + k.s * (v10.colour[c] - v00.colour[c]),
             bottom = v01.colour[c] + k.s * (v11.colour[c] - v01.colour[c]);
    return top + k.t * (bottom - top);
  }
};

/// put(plane, values) for every plane of a tile. Colours are `colours` where there are such.
template <bool kSmooth, bool kRepair, class Put>
inline void putValues(const ResolveFrame& f, const ResolveGrid& g, const Corners& k, F8 z, const PackedCorners* colours,
                      Put&& put) {
  const F8 zero = splat(0.0f);
  // Opacity decides the depth; + 0 as the composite of one surface does.
  F8 least = splat(1.0f);
  int at = 3;
  for (int c = 0; c < 3; ++c) {
    F8 o = splat(1.0f);
    if (g.oi) o = min(max(plane<kSmooth, kRepair>(g, g.oi + static_cast<size_t>(c) * g.points, k), zero), splat(1.0f));
    least = min(least, o);
    if (c == 0 || !f.grey) put(at++, g.matte && !f.matteOpacity ? zero : o + 0.0f);
    const bool black = g.matte || !g.ci;
    if (kSmooth && colours)
      put(c, black ? zero : colours->colour(c, k) + 0.0f);
    else
      put(c, black ? zero : plane<kSmooth, kRepair>(g, g.ci + static_cast<size_t>(c) * g.points, k) + 0.0f);
  }
  if (f.depth) put(at++, least >= f.zThreshold ? z : splat(kInf));
  const auto shown = [&](int c) { return !g.matte || (f.aovThrough && (f.aovThrough[c] & kAovOfMatte)); };
  for (int c = 0; c < f.aovFloats; ++c)
    put(at++, g.aov && shown(c) ? plane<kSmooth, kRepair>(g, g.aov + static_cast<size_t>(c) * g.points, k) : zero);
}

/// Vertices of the micropolygon's triangle, and which of its two it is.
struct Triangle {
  I8 a, b, c, second;
};
inline Triangle triangleOf(const ResolveGrid& b, I8 id) {
  const int toB = b.stepU, toD = b.stepV, toC = toD + toB;
  const float perRow = 1.0f / static_cast<float>(b.nu);
  const I8 local = id - static_cast<int32_t>(b.idBase);
  const I8 mp = local >> 1, second = (local & 1) == 1;
  // Row of the micropolygon: a float quotient, put right by one step.
  I8 j = __builtin_convertvector(toFloats(mp) * perRow, I8);
  j += (j * b.nu > mp);
  j -= ((j + 1) * b.nu <= mp);
  const I8 a = mp + j;
  return {a, a + (second ? splat(toC) : splat(toB)), a + (second ? splat(toD) : splat(toC)), second};
}

/// As triangleWeights(): corners in units.
inline Corners weights(const Triangle& k, const Samples& p, const I8 x[3], const I8 y[3]) {
  const F8 bx = toFloats(x[1] - x[0]), by = toFloats(y[1] - y[0]), cx = toFloats(x[2] - x[0]),
           cy = toFloats(y[2] - y[0]);
  const F8 px = toFloats(p.x - x[0]), py = toFloats(p.y - y[0]);
  const F8 area = bx * cy - by * cx;
  const F8 r = area == 0 ? splat(0.0f) : 1.0f / area;
  const F8 wb = min(max((px * cy - py * cx) * r, splat(0.0f)), splat(1.0f));
  const F8 wc = min(max((bx * py - by * px) * r, splat(0.0f)), splat(1.0f));
  const F8 both = min(wb + wc, splat(1.0f));
  return {k.a, k.second ? wb : both, k.second ? both : wc};
}

inline F8 clampedUnits(F8 v) { return min(max(v, splat(-kMaxUnits)), splat(kMaxUnits)); }
inline I8 wholeUnits(F8 v, int origin) {
  I8 r;
#if defined(__AVX2__)
  r = reinterpret_cast<I8>(_mm256_cvtps_epi32(reinterpret_cast<__m256>(v)));
#else
  for (int i = 0; i < 8; ++i) r[i] = static_cast<int32_t>(__builtin_rintf(v[i]));
#endif
  return r - origin * kUnits;
}

/// circleOfConfusion() of bucket_impl.h, lane by lane.
inline F8 confusion(const ResolveFrame& b, F8 z) {
  const F8 c = b.perspective ? 1 / b.focalDistance - 1 / max(z, splat(1e-6f)) : z / b.focalDistance - 1;
  return min(max(c, splat(-1e6f)), splat(1e6f));
}

/// Eight vertices at one key: place in units and circle of confusion.
struct AtKey {
  F8 x, y, coc;
};
inline AtKey atKey(const ResolveFrame& b, const ResolveGrid& g, I8 at) {
  if (g.path) {
    const Packed p = loadPacked(g.path, at);
    return {p.colour[0], p.colour[1], p.colour[2]};
  }
  return {clampedUnits(gatherAt(g.x, at) * static_cast<float>(kUnits)),
          clampedUnits(gatherAt(g.y, at) * static_cast<float>(kUnits)),
          b.lens ? confusion(b, gatherAt(g.depth, at)) : splat(0.0f)};
}

/// Vertex v at the samples' times, seen through their lens points: as movedVertex().
inline void movedCorner(const ResolveFrame& b, const ResolveGrid& g, const Samples& s, I8 v, I8 first, I8 second, F8 f,
                        I8& x, I8& y) {
  const AtKey p = atKey(b, g, first + v), q = g.keys > 1 ? atKey(b, g, second + v) : p;
  const auto between = [f](F8 u, F8 w) { return u + f * (w - u); };
  F8 cx = between(p.x, q.x), cy = between(p.y, q.y);
  if (b.lens) {
    const F8 coc = between(p.coc, q.coc);
    cx += s.pointX * b.lensX * coc;
    cy += s.pointY * b.lensY * coc;
  }
  x = wholeUnits(clampedUnits(cx), b.originX), y = wholeUnits(clampedUnits(cy), b.originY);
}

Corners locateStill(const ResolveFrame& f, const ResolveGrid& g, const Samples& s) {
  const Triangle k = triangleOf(g, s.id);
  if (!g.smooth) return {k.a, splat(0.0f), splat(0.0f)};
  I8 x[3], y[3];
  const I8 v[3] = {k.a, k.b, k.c};
  for (int m = 0; m < 3; ++m)
    x[m] = units(gatherAt(g.x, v[m]), f.originX), y[m] = units(gatherAt(g.y, v[m]), f.originY);
  return weights(k, s, x, y);
}

/// As locateStill(), from the corners a, b, c, d.
inline Corners locatePacked(const ResolveFrame& f, const ResolveGrid& g, const Samples& s, const PackedCorners& p) {
  const Triangle k = triangleOf(g, s.id);
  const I8 x[3] = {p.v00.x(), k.second ? p.v11.x() : p.v10.x(), k.second ? p.v01.x() : p.v11.x()};
  const I8 y[3] = {p.v00.y(), k.second ? p.v11.y() : p.v10.y(), k.second ? p.v01.y() : p.v11.y()};
  Samples fromCentre = s;
  fromCentre.x -= f.centreX, fromCentre.y -= f.centreY;
  return weights(k, fromCentre, x, y);
}

Corners locateMoving(const ResolveFrame& f, const ResolveGrid& g, const Samples& s) {
  const Triangle k = triangleOf(g, s.id);
  if (!g.smooth) return {k.a, splat(0.0f), splat(0.0f)};
  // The segment that holds the sample's time, and how far along it.
  I8 key = splat(0);
  F8 part = splat(0.0f);
  if (g.keys > 1) {
    const F8 t = s.time;
    I8 onwards = splat(-1);
    for (int q = 1; q + 1 < g.keys; ++q) onwards &= t >= g.times[q], key -= onwards;
    const F8 start = gatherAt(g.times, key), length = gatherAt(g.times + 1, key) - start;
    const F8 along = (t - start) * (1 / (length > 0 ? length : splat(1.0f)));
    part = length > 0 ? min(max(along, splat(0.0f)), splat(1.0f)) : splat(0.0f);
  }
  const I8 first = key * static_cast<int32_t>(g.points);
  const I8 second = g.keys > 1 ? first + static_cast<int32_t>(g.points) : first;
  I8 x[3], y[3];
  movedCorner(f, g, s, k.a, first, second, part, x[0], y[0]);
  movedCorner(f, g, s, k.b, first, second, part, x[1], y[1]);
  movedCorner(f, g, s, k.c, first, second, part, x[2], y[2]);
  return weights(k, s, x, y);
}

template <class Put>
inline void resolveSamples(const ResolveFrame& f, const ResolveGrid& g, const Samples& s, Put&& put) {
  if (g.packed && !g.repair) {
    const PackedCorners corners(g, triangleOf(g, s.id).a);
    const Corners k = g.moving ? locateMoving(f, g, s) : locatePacked(f, g, s, corners);
    return putValues<true, false>(f, g, k, s.z, &corners, put);
  }
  const Corners k = g.moving ? locateMoving(f, g, s) : locateStill(f, g, s);
  if (g.smooth)
    g.repair ? putValues<true, true>(f, g, k, s.z, nullptr, put) : putValues<true, false>(f, g, k, s.z, nullptr, put);
  else
    g.repair ? putValues<false, true>(f, g, k, s.z, nullptr, put) : putValues<false, false>(f, g, k, s.z, nullptr, put);
}

/// Lanes of a mask, for bits of a comparison.
inline I8 lanesOf(uint32_t mask) {
  const I8 bit = {1, 2, 4, 8, 16, 32, 64, 128};
  return (splat(static_cast<int32_t>(mask)) & bit) != 0;
}

/// Samples from column `col` on, grid by grid. Returns bits of lanes that are opaque and seen.
uint32_t resolveEight(ResolveRow& row, int col, uint32_t pending) {
  constexpr int kWorthwhile = 2;  // grids, of moving samples; then batches by grid are better
  const int depthPlane = row.frame.depth ? 3 + (row.frame.grey ? 1 : 3) : -1;
  const I8 ids = load(row.id + col);
  Samples s;
  s.x = __builtin_convertvector(load(row.x + col), I8), s.y = __builtin_convertvector(load(row.y + col), I8);
  s.z = load(row.z + col);
  if (row.time) s.time = load(row.time + col);
  if (row.frame.lens && row.time) s.pointX = load(row.pointX + col), s.pointY = load(row.pointY + col);
  uint32_t opaque = 0;
  float* const out = row.out + col;
  for (int grids = 0; pending; ++grids) {
    const uint32_t id = row.id[col + __builtin_ctz(pending)];
    if (id - row.grid.idBase >= row.grid.ids) row.find(row, id);
    const ResolveGrid& g = row.grid;
    if (g.moving && grids == kWorthwhile) {
      forBits(pending, [&](int n) { row.rest[row.restCount++] = static_cast<uint32_t>(col + n); });
      break;
    }
    // Of this grid; the others get any place in it.
    const I8 local = ids - static_cast<int32_t>(g.idBase);
    const I8 mine = (local >= 0) & (local < static_cast<int32_t>(g.ids)) & lanesOf(pending);
    s.id = mine ? ids : splat(static_cast<int32_t>(g.idBase));
    if (grids == 0)
      resolveSamples(row.frame, g, s, [&](int p, F8 v) {
        store(out + static_cast<size_t>(p) * row.stride, mine ? v : splat(p == depthPlane ? kInf : 0.0f));
      });
    else
      resolveSamples(row.frame, g, s, [&](int p, F8 v) {
        float* to = out + static_cast<size_t>(p) * row.stride;
        store(to, mine ? v : load(to));
      });
    const uint32_t done = bits(mine);
    if (!g.oi && !g.matte) opaque |= done;
    pending &= ~done;
  }
  return opaque;
}

}  // namespace

namespace {

/// Places and circles of confusion of a moving or defocused grid.
void packPath(const ResolveFrame& f, const ResolveGrid& g, float* out) {
  const size_t all = static_cast<size_t>(g.points) * static_cast<size_t>(g.keys);
  alignas(32) float x[8], y[8], coc[8] = {}, z[8] = {};
  for (size_t v = 0; v < all; v += 8) {
    const size_t count = std::min<size_t>(8, all - v);
    for (size_t n = 0; n < count; ++n) x[n] = g.x[v + n], y[n] = g.y[v + n], z[n] = g.depth[v + n];
    for (size_t n = count; n < 8; ++n) x[n] = y[n] = 0;
    store(x, clampedUnits(load(x) * static_cast<float>(kUnits)));
    store(y, clampedUnits(load(y) * static_cast<float>(kUnits)));
    if (f.lens) store(coc, confusion(f, load(z)));
    for (size_t n = 0; n < count; ++n, out += 4) out[0] = x[n], out[1] = y[n], out[2] = coc[n], out[3] = 0;
  }
}

}  // namespace

bool resolvePack(const ResolveFrame& f, const ResolveGrid& g, float* out) {
  if (g.moving) packPath(f, g, out + 4 * static_cast<size_t>(g.points));
  constexpr int32_t kNear = 32767;
  const float *r = g.ci, *gr = g.ci + g.points, *b = g.ci + 2 * static_cast<size_t>(g.points);
  const size_t whole = g.points & ~size_t{7};
  I8 far = splat(0);
  alignas(32) int32_t place[8];
  size_t v = 0;
  if (!g.moving)
    for (; v < whole; v += 8) {
      const I8 x = units(load(g.x + v), f.originX) - f.centreX, y = units(load(g.y + v), f.originY) - f.centreY;
      far |= (max(x, -x) > kNear) | (max(y, -y) > kNear);
      store(place, (y << 16) | (x & 0xffff));
      for (size_t n = 0; n < 8; ++n, out += 4) {
        out[0] = r[v + n], out[1] = gr[v + n], out[2] = b[v + n];
        std::memcpy(out + 3, place + n, 4);
      }
    }
  bool near = !bits(far);
  for (; v < g.points; ++v, out += 4) {
    out[0] = r[v], out[1] = gr[v], out[2] = b[v], out[3] = 0;
    if (g.moving) continue;
    const int32_t x = units(splat(g.x[v]), f.originX)[0] - f.centreX,
                  y = units(splat(g.y[v]), f.originY)[0] - f.centreY;
    near &= std::abs(x) <= kNear && std::abs(y) <= kNear;
    place[0] = static_cast<int32_t>(static_cast<uint32_t>(y) << 16 | (static_cast<uint32_t>(x) & 0xffffu));
    std::memcpy(out + 3, place, 4);
  }
  return near;
}

void resolveRow(ResolveRow& row) {
  const int planes = 3 + (row.frame.grey ? 1 : 3) + (row.frame.depth ? 1 : 0) + row.frame.aovFloats;
  const int depthPlane = row.frame.depth ? 3 + (row.frame.grey ? 1 : 3) : -1;
  for (int col = 0; col < row.columns; col += 8) {
    const uint32_t lanes = row.columns - col < 8 ? (1u << (row.columns - col)) - 1 : 0xff;
    uint32_t seen = bits(load(row.z + col) < kInf) & lanes, listed = 0;
    if (row.heads) listed = bits(load(row.heads + col) != static_cast<int32_t>(kNoEntry)) & lanes;
    if (row.compositeAll) listed |= seen;
    forBits(listed, [&](int n) { row.listed[row.listedCount++] = static_cast<uint32_t>(col + n); });
    row.any[col >> 3] = static_cast<uint8_t>(seen | listed);
    seen &= ~listed;
    uint32_t opaque = 0;
    if (seen)
      opaque = resolveEight(row, col, seen);
    else
      for (int p = 0; p < planes; ++p)
        store(row.out + static_cast<size_t>(p) * row.stride + col, splat(p == depthPlane ? kInf : 0.0f));
    row.opaque[col >> 3] = static_cast<uint8_t>(opaque | ~lanes);
  }
}

void resolveBatch(const ResolveBatch& b) {
  for (int n = 0; n < b.count; n += 8) {
    Samples s;
    s.id = load(b.id + n), s.x = load(b.sampleX + n), s.y = load(b.sampleY + n), s.z = load(b.z + n);
    s.time = load(b.time + n), s.pointX = load(b.pointX + n), s.pointY = load(b.pointY + n);
    const int live = std::min(8, b.count - n);
    resolveSamples(b.frame, b.grid, s, [&](int p, F8 v) {
      for (int l = 0; l < live; ++l) b.target[n + l][static_cast<size_t>(p) * b.stride] = v[l];
    });
  }
}

void resolveSpread(const float* in, int xs, int strips, float* out, size_t stripStride) {
  for (int k = 0; k < strips; ++k, in += 8 * xs, out += stripStride) {
    if (xs == 1) {
      store(out, load(in));
    } else if (xs == 2) {
      const F8 a = load(in), b = load(in + 8);
      store(out, __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14));
      store(out + 8, __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15));
    } else if (xs == 3) {
      const F8 a = load(in), b = load(in + 8), c = load(in + 16);
      const F8 p = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0);
      const F8 q = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0);
      const F8 r = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
      store(out, __builtin_shufflevector(p, c, 0, 1, 2, 3, 4, 5, 10, 13));
      store(out + 8, __builtin_shufflevector(q, c, 0, 1, 2, 3, 4, 8, 11, 14));
      store(out + 16, __builtin_shufflevector(r, c, 0, 1, 2, 3, 4, 9, 12, 15));
    } else if (xs == 4) {
      const F8 a = load(in), b = load(in + 8), c = load(in + 16), d = load(in + 24);
      const F8 p = __builtin_shufflevector(a, b, 0, 4, 8, 12, 1, 5, 9, 13);
      const F8 q = __builtin_shufflevector(a, b, 2, 6, 10, 14, 3, 7, 11, 15);
      const F8 r = __builtin_shufflevector(c, d, 0, 4, 8, 12, 1, 5, 9, 13);
      const F8 s = __builtin_shufflevector(c, d, 2, 6, 10, 14, 3, 7, 11, 15);
      store(out, __builtin_shufflevector(p, r, 0, 1, 2, 3, 8, 9, 10, 11));
      store(out + 8, __builtin_shufflevector(p, r, 4, 5, 6, 7, 12, 13, 14, 15));
      store(out + 16, __builtin_shufflevector(q, s, 0, 1, 2, 3, 8, 9, 10, 11));
      store(out + 24, __builtin_shufflevector(q, s, 4, 5, 6, 7, 12, 13, 14, 15));
    } else {
      for (int c = 0; c < xs; ++c)
        for (int l = 0; l < 8; ++l) out[c * 8 + l] = in[l * xs + c];
    }
  }
}

}  // namespace reyes::hider::REYES_ISA
