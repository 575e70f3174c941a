// SPDX-License-Identifier: Apache-2.0
// Samples a still, focused grid. Eight micropolygons are set up at a time, then each is tested against eight samples
// of a lattice row at a time. Called through kernels() by BucketHider::rasterize.
#include <algorithm>
#include <cmath>

#include "reyes/base/lanes8.h"
#include "reyes/hider/raster.h"

namespace reyes::hider::REYES_ISA {
using namespace reyes::REYES_ISA;
namespace {

enum Kind : int32_t { kNothing = 0, kDirect = 1, kThroughHits = 2, kGeneral = 3 };

/// Eight micropolygons ready to sample: edge functions E = nx px + ny py + c with p from the base corner, inside when
/// all four are >= 0; the diagonal chooses between the depth planes of the two triangles.
struct Setup {
  alignas(32) int32_t kind[8], column0[8], column1[8], row0[8], row1[8];
  alignas(32) float baseX[8], baseY[8];
  alignas(32) float nx[4][8], ny[4][8], c[4][8];
  alignas(32) float dx[8], dy[8], dc[8];  // diagonal: >= 0 is the second triangle
  alignas(32) float z0[2][8], zx[2][8], zy[2][8], zMin[8], zMax[8];
};

struct Corner {
  I8 x, y;    // units from the bucket's corner
  F8 fx, fy;  // from the base corner
  F8 z;
};

/// First and last lattice cell whose sample may lie in units lo..hi, inside 0..count-1.
inline void cellRange(I8 lo, I8 hi, int cells, int count, I8& first, I8& last) {
  const int end = (count / cells) * kUnits + kUnits;
  lo = min(max(lo, splat(-kUnits)), splat(end));
  hi = min(max(hi, splat(-kUnits)), splat(end));
  first = max((lo * cells) >> kUnitBits, splat(0));
  last = min((((hi + 1) * cells + (kUnits - 1)) >> kUnitBits) - 1, splat(count - 1));
}

inline void setEdge(Setup& s, int e, const Corner& a, const Corner& b, F8 sign, I8 live) {
  const F8 dx = (b.fx - a.fx) * sign, dy = (b.fy - a.fy) * sign;
  const F8 zero = splat(0.0f);
  const I8 inclusive = less(zero, dx) | (equal(dx, zero) & atMost(zero, dy));
  const F8 c = dy * a.fx - dx * a.fy - choose(inclusive, zero, splat(1.0f));
  store(s.nx[e], choose(live, -dy, zero));
  store(s.ny[e], choose(live, dx, zero));
  store(s.c[e], choose(live, c, zero));
}

/// Depth plane through a, b, c; flat where the triangle has no area.
inline void setPlane(Setup& s, int t, const Corner& a, const Corner& b, const Corner& c, F8 area) {
  const F8 zero = splat(0.0f);
  const I8 none = equal(area, zero);
  const F8 r = 1.0f / choose(none, splat(1.0f), area);
  const F8 bz = b.z - a.z, cz = c.z - a.z;
  const F8 zx = (bz * (c.fy - a.fy) - cz * (b.fy - a.fy)) * r;
  const F8 zy = (cz * (b.fx - a.fx) - bz * (c.fx - a.fx)) * r;
  const F8 gx = choose(none, zero, zx), gy = choose(none, zero, zy);
  store(s.zx[t], gx);
  store(s.zy[t], gy);
  store(s.z0[t], a.z - gx * a.fx - gy * a.fy);
}

inline F8 cross(const Corner& a, const Corner& b, const Corner& c) {
  return (b.fx - a.fx) * (c.fy - a.fy) - (b.fy - a.fy) * (c.fx - a.fx);
}

/// Sets up micropolygons i..i+7 of row j. Returns true where any is worth sampling.
bool setup(const RasterContext& ctx, int i, int j, Setup& s) {
  const RasterGrid& g = ctx.grid;
  const Lattice& lat = ctx.lattice;
  const int row = g.nu + 1, at = j * row + i;
  Corner a, b, c, d;
  const auto fetch = [&](Corner& k, int v) { k.x = load(g.x + v), k.y = load(g.y + v), k.z = load(g.z + v); };
  fetch(a, at), fetch(b, at + g.stepU), fetch(c, at + g.stepV + g.stepU), fetch(d, at + g.stepV);

  // Where: a sample exactly on the left or lower border is outside (the edge rule), so those units are not visited.
  const I8 x0 = min(min(a.x, b.x), min(c.x, d.x)), x1 = max(max(a.x, b.x), max(c.x, d.x));
  const I8 y0 = min(min(a.y, b.y), min(c.y, d.y)), y1 = max(max(a.y, b.y), max(c.y, d.y));
  I8 c0, c1, r0, r1;
  cellRange(x0 + 1, x1, lat.xs, lat.columns, c0, c1);
  cellRange(y0, y1 - 1, lat.ys, lat.rows, r0, r1);
  const I8 lane = I8{0, 1, 2, 3, 4, 5, 6, 7} + i;
  I8 live = atMost(c0, c1) & atMost(r0, r1) & less(lane, splat(g.nu));
  if (!bits(live)) return false;

  const auto relative = [&](Corner& k) { k.fx = toFloats(k.x - x0), k.fy = toFloats(k.y - y0); };
  relative(a), relative(b), relative(c), relative(d);
  const F8 areaB = cross(a, b, c), areaD = cross(a, c, d), turnA = cross(d, a, b), turnC = cross(b, c, d);
  const F8 zero = splat(0.0f);
  const I8 positive = atMost(zero, areaB) & atMost(zero, areaD) & atMost(zero, turnA) & atMost(zero, turnC);
  const I8 negative = atMost(areaB, zero) & atMost(areaD, zero) & atMost(turnA, zero) & atMost(turnC, zero);
  const I8 flat = equal(areaB, zero) & equal(areaD, zero);
  const I8 small = atMost(x1 - x0, splat(kSmallUnits)) & atMost(y1 - y0, splat(kSmallUnits));
  const F8 zMin = min(min(a.z, b.z), min(c.z, d.z)), zMax = max(max(a.z, b.z), max(c.z, d.z));
  const I8 general = ~(small & (positive | negative));
  live &= ~(flat & small);
  live &= atMost(splat(ctx.near), zMax) & atMost(zMin, splat(ctx.far));
  if (g.cullFacing > 0) live &= ~(positive & ~general);
  if (g.cullFacing < 0) live &= ~(negative & ~general);
  const I8 direct = atMost(splat(ctx.near), zMin) & atMost(zMax, splat(ctx.far)) & splat(ctx.hitsOnly ? 0 : -1);
  const I8 exact = choose(direct, splat(int{kDirect}), splat(int{kThroughHits}));
  store(s.kind, choose(live, choose(general, splat(int{kGeneral}), exact), splat(int{kNothing})));

  const F8 sign = choose(negative, splat(-1.0f), splat(1.0f));
  const I8 all = splat(-1);
  setEdge(s, 0, a, b, sign, all), setEdge(s, 1, b, c, sign, all), setEdge(s, 2, c, d, sign, all),
      setEdge(s, 3, d, a, sign, all);
  const F8 dx = (c.fx - a.fx) * sign, dy = (c.fy - a.fy) * sign;
  store(s.dx, -dy), store(s.dy, dx), store(s.dc, dy * a.fx - dx * a.fy);
  setPlane(s, 0, a, b, c, areaB);
  setPlane(s, 1, a, c, d, areaD);
  store(s.zMin, zMin), store(s.zMax, zMax);
  store(s.baseX, toFloats(x0)), store(s.baseY, toFloats(y0));
  store(s.column0, c0), store(s.column1, c1), store(s.row0, r0), store(s.row1, r1);
  return bits(live) != 0;
}

/// Tests one set-up micropolygon against its samples. kHits: candidates are pushed; otherwise written at once, and
/// only equal depths are pushed.
template <bool kHits>
void sampleQuad(RasterContext& ctx, const Setup& s, int k, uint32_t id) {
  const Lattice& lat = ctx.lattice;
  const F8 baseX = splat(s.baseX[k]), baseY = splat(s.baseY[k]);
  F8 nx[4], ny[4], c[4];
  for (int e = 0; e < 4; ++e) nx[e] = splat(s.nx[e][k]), ny[e] = splat(s.ny[e][k]), c[e] = splat(s.c[e][k]);
  const int c0 = s.column0[k], c1 = s.column1[k];
  for (int r = s.row0[k]; r <= s.row1[k]; ++r) {
    const size_t rowAt = static_cast<size_t>(r) * static_cast<size_t>(lat.stride);
    for (int col = c0; col <= c1; col += 8) {
      const size_t at = rowAt + static_cast<size_t>(col);
      const F8 px = load(lat.x + at) - baseX, py = load(lat.y + at) - baseY;
      F8 e[4];
      for (int n = 0; n < 4; ++n) e[n] = exactMadd(nx[n], px, exactMadd(ny[n], py, c[n]));
      const F8 least = min(min(e[0], e[1]), min(e[2], e[3]));
      const F8 diagonal = exactMadd(splat(s.dx[k]), px, exactMadd(splat(s.dy[k]), py, splat(s.dc[k])));
      const I8 second = atMost(splat(0.0f), diagonal);
      const auto ofTriangle = [&](const float plane[2][8]) {
        return choose(second, splat(plane[1][k]), splat(plane[0][k]));
      };
      F8 z = ofTriangle(s.z0) + ofTriangle(s.zx) * px + ofTriangle(s.zy) * py;
      z = min(max(z, splat(s.zMin[k])), splat(s.zMax[k]));
      if constexpr (kHits) {
        const I8 pass = atMost(splat(0.0f), least) & atMost(z, load(lat.limit + at)) & atMost(splat(ctx.near), z) &
                        atMost(z, splat(ctx.far));
        forBits(bits(pass), [&](int n) {
          ctx.push(static_cast<uint32_t>(at) + static_cast<uint32_t>(n), id + (second[n] ? 1 : 0), z[n]);
        });
      } else {
        const F8 old = load(lat.z + at);
        const I8 near = atMost(splat(0.0f), least) & atMost(z, old);
        if (!bits(near)) continue;
        const I8 pass = near & less(z, old);
        store(lat.z + at, choose(pass, z, old));
        const I8 ids = splat(static_cast<int32_t>(id)) - second;
        store(lat.id + at, choose(pass, ids, load(lat.id + at)));
        ctx.hitTotal += __builtin_popcount(bits(pass));
        forBits(bits(near & ~pass), [&](int n) {
          ctx.push(static_cast<uint32_t>(at) + static_cast<uint32_t>(n), static_cast<uint32_t>(ids[n]), z[n]);
        });
      }
    }
  }
  ctx.tests += static_cast<int64_t>(s.row1[k] - s.row0[k] + 1) * (c1 - c0 + 1);
}

/// One triangle of any size and shape, in doubles.
void sampleTriangle(RasterContext& ctx, const Setup& s, int k, int a, int b, int c, uint32_t id) {
  const RasterGrid& g = ctx.grid;
  const Lattice& lat = ctx.lattice;
  const int v[3] = {a, b, c};
  double x[3], y[3];
  for (int n = 0; n < 3; ++n)
    x[n] = static_cast<double>(g.x[v[n]]) - g.x[a], y[n] = static_cast<double>(g.y[v[n]]) - g.y[a];
  const double area = x[1] * y[2] - y[1] * x[2];
  if (area == 0 || (g.cullFacing > 0 && area > 0) || (g.cullFacing < 0 && area < 0)) return;
  const double sign = area < 0 ? -1 : 1;
  double nx[3], ny[3], nc[3];
  for (int n = 0; n < 3; ++n) {
    const int m = (n + 1) % 3;
    const double dx = (x[m] - x[n]) * sign, dy = (y[m] - y[n]) * sign;
    nx[n] = -dy, ny[n] = dx, nc[n] = dy * x[n] - dx * y[n] - (dx > 0 || (dx == 0 && dy >= 0) ? 0 : 1);
  }
  const double bz = static_cast<double>(g.z[b]) - g.z[a], cz = static_cast<double>(g.z[c]) - g.z[a];
  const double zx = (bz * y[2] - cz * y[1]) / area, zy = (cz * x[1] - bz * x[2]) / area;
  const float zMin = std::min({g.z[a], g.z[b], g.z[c]}), zMax = std::max({g.z[a], g.z[b], g.z[c]});
  for (int r = s.row0[k]; r <= s.row1[k]; ++r) {
    for (int col = s.column0[k]; col <= s.column1[k]; col += 8) {
      const size_t at = static_cast<size_t>(r) * static_cast<size_t>(lat.stride) + static_cast<size_t>(col);
      int32_t in[8];
      float z[8];
      for (int n = 0; n < 8; ++n) {
        const double px = static_cast<double>(lat.x[at + n]) - g.x[a], py = static_cast<double>(lat.y[at + n]) - g.y[a];
        const double e0 = nx[0] * px + ny[0] * py + nc[0], e1 = nx[1] * px + ny[1] * py + nc[1];
        const double e2 = nx[2] * px + ny[2] * py + nc[2];
        const float depth = static_cast<float>(g.z[a] + zx * px + zy * py);
        z[n] = std::min(std::max(depth, zMin), zMax);
        in[n] =
            (e0 >= 0) & (e1 >= 0) & (e2 >= 0) & (z[n] <= lat.limit[at + n]) & (z[n] >= ctx.near) & (z[n] <= ctx.far);
      }
      for (int n = 0; n < 8; ++n)
        if (in[n]) ctx.push(static_cast<uint32_t>(at) + static_cast<uint32_t>(n), id, z[n]);
    }
  }
  ctx.tests += static_cast<int64_t>(s.row1[k] - s.row0[k] + 1) * (s.column1[k] - s.column0[k] + 1);
}

}  // namespace

void rasterStill(RasterContext& ctx) {
  const RasterGrid& g = ctx.grid;
  Setup s;
  for (int j = 0; j < g.nv; ++j)
    for (int i = 0; i < g.nu; i += 8) {
      if (!setup(ctx, i, j, s)) continue;
      for (int k = 0; k < std::min(8, g.nu - i); ++k) {
        if (s.kind[k] == kNothing) continue;
        const int mp = j * g.nu + i + k;
        const MpClass cls = g.classes ? g.classes[mp] : MpClass::kOpaque;
        if (cls == MpClass::kSkip) continue;
        const uint32_t id = g.idBase + 2 * static_cast<uint32_t>(mp);
        ++ctx.micropolygons;
        if (s.kind[k] == kGeneral) {
          const int a = j * (g.nu + 1) + i + k, b = a + g.stepU, d = a + g.stepV, c = d + g.stepU;
          sampleTriangle(ctx, s, k, a, b, c, id);
          sampleTriangle(ctx, s, k, a, c, d, id + 1);
        } else if (s.kind[k] == kThroughHits || cls >= MpClass::kList) {
          sampleQuad<true>(ctx, s, k, id);
        } else {
          sampleQuad<false>(ctx, s, k, id);
        }
      }
    }
}

}  // namespace reyes::hider::REYES_ISA
