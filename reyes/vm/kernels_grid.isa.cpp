// SPDX-License-Identifier: Apache-2.0
// Derivatives across the grid, and the helpers that are no instruction of their own: masks, blending, the sums over
// lights, transformation. Compiled once per instruction set.
#include "reyes/vm/lane_math.h"

namespace reyes::vm::REYES_ISA {
namespace {

// --- derivatives: centred inside the grid, second-order one-sided at its borders
// ----------------------------------------
/// Along each run of points of a curve.
void changeAlongRuns(float* out, const float* x, const GridNumbers& g, int n) {
  for (int i = 0; i < n; ++i) out[i] = 0;
  for (int r = 0; r < g.runCount; ++r) {
    const int first = g.runs[r], count = g.runs[r + 1] - first;
    const float* a = x + first;
    float* o = out + first;
    if (count < 2) continue;
    for (int i = 1; i < count - 1; ++i) o[i] = (a[i + 1] - a[i - 1]) * 0.5f;
    o[0] = a[1] - a[0];
    o[count - 1] = a[count - 1] - a[count - 2];
  }
}

/// Between the corners of each cell: the rows of its two ends lie `step` rows apart.
void changeInCells(float* out, const float* x, const GridNumbers& g, int n, int step) {
  const int nu = g.nu;
  for (int row = 0; row < 4; ++row) {
    if (row & step) continue;
    const float *a = x + row * nu, *b = a + step * nu;
    float *oa = out + row * nu, *ob = oa + step * nu;
    REYES_LOOP
    for (int i = 0; i < nu; ++i) {
      const float d = b[i] - a[i];
      oa[i] = d, ob[i] = d;
    }
  }
  for (int i = g.points; i < n; ++i) out[i] = 0;
}

void changeU(float* out, const float* x, const GridNumbers& g, int n) {
  if (g.cells) return changeInCells(out, x, g, n, 1);
  if (g.elements) {
    for (int i = 0; i < n; ++i) out[i] = 0;
    return;
  }
  for (int i = g.points; i < n; ++i) out[i] = 0;
  const int nu = g.nu;
  for (int row = 0; row < g.nv; ++row) {
    const float* a = x + row * nu;
    float* o = out + row * nu;
    if (nu < 3) {
      const float d = nu == 2 ? a[1] - a[0] : 0.0f;
      for (int i = 0; i < nu; ++i) o[i] = d;
      continue;
    }
    REYES_LOOP
    for (int i = 1; i < nu - 1; ++i) o[i] = (a[i + 1] - a[i - 1]) * 0.5f;
    o[0] = (4.0f * (a[1] - a[0]) - (a[2] - a[0])) * 0.5f;
    o[nu - 1] = ((a[nu - 3] - a[nu - 1]) - 4.0f * (a[nu - 2] - a[nu - 1])) * 0.5f;
  }
}
void changeV(float* out, const float* x, const GridNumbers& g, int n) {
  if (g.cells) return changeInCells(out, x, g, n, 2);
  if (g.elements) return changeAlongRuns(out, x, g, n);
  for (int i = g.points; i < n; ++i) out[i] = 0;
  const int nu = g.nu, nv = g.nv;
  if (nv < 3) {
    for (int i = 0; i < nu; ++i) out[i] = nv == 2 ? x[i + nu] - x[i] : 0.0f;
    for (int i = 0; i < nu && nv == 2; ++i) out[i + nu] = out[i];
    return;
  }
  const int last = (nv - 1) * nu;
  REYES_LOOP
  for (int i = nu; i < last; ++i) out[i] = (x[i + nu] - x[i - nu]) * 0.5f;
  for (int i = 0; i < nu; ++i) {
    out[i] = (4.0f * (x[i + nu] - x[i]) - (x[i + 2 * nu] - x[i])) * 0.5f;
    const int j = last + i;
    out[j] = ((x[j - 2 * nu] - x[j]) - 4.0f * (x[j - nu] - x[j])) * 0.5f;
  }
}

template <int Components, bool V>
void derivative(const KernelCall& c) {
  const Reg &o = c.regs[c.args[0]], &a = c.regs[c.args[1]];
  const float scale = V ? c.grid->invDv : c.grid->invDu;
  for (int k = 0; k < Components; ++k) {
    float* d = o.data + k * o.stride;
    if (c.n == 1) {
      d[0] = 0;
      continue;
    }
    (V ? changeV : changeU)(d, a.data + k * a.stride, *c.grid, c.n);
    REYES_LOOP
    for (int i = 0; i < c.n; ++i) d[i] *= scale;
  }
}

float* room(const KernelCall& c, int plane) { return c.room + plane * c.n; }

/// Deriv(num, den) = Du(num)/Du(den) + Dv(num)/Dv(den), without the terms whose denominator is 0.
template <int Components>
void derivWith(const KernelCall& c) {
  const Reg &o = c.regs[c.args[0]], &a = c.regs[c.args[1]];
  const float* den = c.regs[c.args[2]].data;
  if (c.n == 1) {
    for (int k = 0; k < Components; ++k) o.data[k * o.stride] = 0;
    return;
  }
  float *nu = room(c, 0), *nv = room(c, 1), *du = room(c, 2), *dv = room(c, 3);
  changeU(du, den, *c.grid, c.n);
  changeV(dv, den, *c.grid, c.n);
  for (int k = 0; k < Components; ++k) {
    changeU(nu, a.data + k * a.stride, *c.grid, c.n);
    changeV(nv, a.data + k * a.stride, *c.grid, c.n);
    float* d = o.data + k * o.stride;
    for (int i = 0; i < c.n; ++i)
      d[i] = (du[i] != 0.0f ? nu[i] / du[i] : 0.0f) + (dv[i] != 0.0f ? nv[i] / dv[i] : 0.0f);
  }
}

/// cross(change along u, change along v) of a triple, into three planes of room from plane 6 on.
void surfaceCross(const KernelCall& c, const Reg& p) {
  for (int k = 0; k < 3; ++k) {
    changeU(room(c, k), p.data + k * p.stride, *c.grid, c.n);
    changeV(room(c, 3 + k), p.data + k * p.stride, *c.grid, c.n);
  }
  const float *ax = room(c, 0), *ay = room(c, 1), *az = room(c, 2), *bx = room(c, 3), *by = room(c, 4),
              *bz = room(c, 5);
  float *x = room(c, 6), *y = room(c, 7), *z = room(c, 8);
  REYES_LOOP
  for (int i = 0; i < c.n; ++i) {
    const V3 r = cross(V3{ax[i], ay[i], az[i]}, V3{bx[i], by[i], bz[i]});
    x[i] = r.x, y[i] = r.y, z[i] = r.z;
  }
}

/// area(P): of the micropolygon around the point, |Du(P) du x Dv(P) dv|.
void area(const KernelCall& c) {
  float* o = c.regs[c.args[0]].data;
  if (c.n == 1) {
    o[0] = 0;
    return;
  }
  surfaceCross(c, c.regs[c.args[1]]);
  const float *x = room(c, 6), *y = room(c, 7), *z = room(c, 8);
  REYES_LOOP
  for (int i = 0; i < c.n; ++i) o[i] = std::sqrt(x[i] * x[i] + y[i] * y[i] + z[i] * z[i]);
}

/// The same in a cell, whose corners have no neighbours but each other.
void mendCells(const GridNumbers& g, const Reg& o) {
  float *x = o.data, *y = x + o.stride, *z = y + o.stride;
  const auto length2 = [&](int i) { return x[i] * x[i] + y[i] * y[i] + z[i] * z[i]; };
  for (int cell = 0; cell < g.nu; ++cell) {
    float largest = 0;
    for (int k = 0; k < 4; ++k) largest = maximum(largest, length2(k * g.nu + cell));
    const float tiny = largest * 1e-10f;
    for (int k = 0; k < 4; ++k) {
      const int i = k * g.nu + cell;
      if (length2(i) > tiny) continue;
      for (const int other : {k ^ 2, k ^ 1}) {
        const int j = other * g.nu + cell;
        if (!(length2(j) > tiny)) continue;
        x[i] = x[j], y[i] = y[j], z[i] = z[j];
        break;
      }
    }
  }
}

/// Points where the grid degenerates (the pole of a sphere) take the normal of a neighbour.
void mendNormals(const GridNumbers& g, const Reg& o) {
  if (g.cells) return mendCells(g, o);
  float *x = o.data, *y = x + o.stride, *z = y + o.stride;
  const auto length2 = [&](int i) { return x[i] * x[i] + y[i] * y[i] + z[i] * z[i]; };
  float largest = 0;
  for (int i = 0; i < g.points; ++i) largest = maximum(largest, length2(i));
  const float tiny = largest * 1e-10f;
  for (int i = 0; i < g.points; ++i) {
    if (length2(i) > tiny) continue;
    const int col = i % g.nu, row = i / g.nu;
    const int candidates[4] = {row == 0 ? i + g.nu : i - g.nu, row + 1 < g.nv ? i + g.nu : i - g.nu,
                               col == 0 ? i + 1 : i - 1, col + 1 < g.nu ? i + 1 : i - 1};
    for (const int j : candidates) {
      if (j < 0 || j >= g.points || !(length2(j) > tiny)) continue;
      x[i] = x[j], y[i] = y[j], z[i] = z[j];
      break;
    }
  }
}

/// Of lines and points, which are no surface: what they face along, without its part along the line.
void elementNormal(const KernelCall& c, const Reg& o, const Reg& p) {
  const GridNumbers& g = *c.grid;
  for (int k = 0; k < 3; ++k) changeV(room(c, k), p.data + k * p.stride, g, c.n);
  const float *tx = room(c, 0), *ty = room(c, 1), *tz = room(c, 2);
  float *x = o.data, *y = x + o.stride, *z = y + o.stride;
  for (int i = 0; i < c.n; ++i) {
    const V3 facing = i < g.points ? V3{g.facing[0][i], g.facing[1][i], g.facing[2][i]} : V3{0, 0, 0};
    const V3 t{tx[i], ty[i], tz[i]};
    const float along = dot(t, t) > 0 ? dot(facing, t) / dot(t, t) : 0.0f;
    x[i] = facing.x - along * t.x, y[i] = facing.y - along * t.y, z[i] = facing.z - along * t.z;
  }
}

/// calculatenormal(P) = Du(P) x Dv(P), turned where the surface is the other way round.
void calculateNormal(const KernelCall& c) {
  const Reg& o = c.regs[c.args[0]];
  if (c.n == 1) {
    o.data[0] = o.data[o.stride] = o.data[2 * o.stride] = 0;
    return;
  }
  if (c.grid->elements && c.grid->facing[0]) return elementNormal(c, o, c.regs[c.args[1]]);
  surfaceCross(c, c.regs[c.args[1]]);
  const float scale = c.grid->invDu * c.grid->invDv * c.grid->normalSign;
  for (int k = 0; k < 3; ++k) {
    const float* r = room(c, 6 + k);
    float* d = o.data + k * o.stride;
    REYES_LOOP
    for (int i = 0; i < c.n; ++i) d[i] = r[i] * scale;
  }
  mendNormals(*c.grid, o);
}

// --- masks
// ---------------------------------------------------------------------------------------------------------------
int maskAnd(uint32_t* out, const uint32_t* a, const float* cond, int n) {
  uint32_t count = 0;
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const uint32_t m = cond[i] != 0.0f ? a[i] : 0u;
    out[i] = m;
    count += m & 1;
  }
  return static_cast<int>(count);
}
int maskSubtract(uint32_t* out, const uint32_t* a, const uint32_t* b, int n) {
  uint32_t count = 0;
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const uint32_t m = a[i] & ~b[i];
    out[i] = m;
    count += m & 1;
  }
  return static_cast<int>(count);
}
void maskOr(uint32_t* out, const uint32_t* a, const uint32_t* b, int n) {
  REYES_LOOP
  for (int i = 0; i < n; ++i) out[i] = a[i] | b[i];
}
int maskAndBytes(uint32_t* out, const uint32_t* a, const uint8_t* bytes, int n) {
  uint32_t count = 0;
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const uint32_t m = bytes[i] != 0 ? a[i] : 0u;
    out[i] = m;
    count += m & 1;
  }
  return static_cast<int>(count);
}
void maskToBytes(uint8_t* out, const uint32_t* mask, int n) {
  REYES_LOOP
  for (int i = 0; i < n; ++i) out[i] = static_cast<uint8_t>(mask[i] & 1);
}
void blendLanes(float* dst, const float* src, const uint32_t* mask, int n) {
  if (!mask) {
    for (int i = 0; i < n; ++i) dst[i] = src[i];
    return;
  }
  REYES_LOOP
  for (int i = 0; i < n; ++i) dst[i] = mask[i] ? src[i] : dst[i];
}
void fill(float* dst, float value, int n) {
  for (int i = 0; i < n; ++i) dst[i] = value;
}
int maskCone(uint32_t* out, const uint32_t* a, const float* const d[3], const float* const axis[3], const float* angle,
             float sign, int n) {
  uint32_t count = 0;
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const V3 v = normalized(V3{d[0][i], d[1][i], d[2][i]}), x = normalized(V3{axis[0][i], axis[1][i], axis[2][i]});
    // A cone wider than a half turn holds every direction.
    const bool inside = (dot(v, x) * sign >= cosine(angle[i])) | (angle[i] >= kPi);
    const uint32_t m = inside ? a[i] : 0u;
    out[i] = m;
    count += m & 1;
  }
  return static_cast<int>(count);
}

// --- sums over lights
// ------------------------------------------------------------------------------------------------------
/// Points of a light loop at a time; what lies between its passes stays in the cache. The passes are loops of their own
/// because bytes, powers in double and sums in one loop would not be vectorised.
constexpr int kStretch = 64;

/// How much the light counts at points at..at+n: 0 where it does not reach, 1 - weight elsewhere.
REYES_LANE void sharesOf(float* share, const LightPlanes& l, int at, int n) {
  for (int i = 0; i < n; ++i) share[i] = 1.0f;
  if (l.weight) {
    REYES_LOOP
    for (int i = 0; i < n; ++i) share[i] = 1.0f - l.weight[at + i];
  }
  if (l.lit) {
    REYES_LOOP
    for (int i = 0; i < n; ++i) share[i] = l.lit[at + i] != 0 ? share[i] : 0.0f;
  }
}

/// out += Cl * amount, where the light adds something; amounts(value, at, n) fills the amounts of a stretch and says
/// false where all of them are 0.
template <class F>
[[gnu::always_inline]] inline void lightLoop(float* const out[3], const LightPlanes& l, int n, F amounts) {
  alignas(64) float value[kStretch], share[kStretch];
  for (int at = 0; at < n; at += kStretch) {
    const int count = (n - at < kStretch ? n - at : kStretch) & ~15;  // whole vectors, as n is
    if (!amounts(value, at, count)) continue;
    sharesOf(share, l, at, count);
    for (int i = 0; i < count; ++i) value[i] = value[i] * share[i];
    for (int c = 0; c < 3; ++c) {
      float* to = out[c] + at;
      const float* colour = l.Cl[c] + at;
      REYES_LOOP
      for (int i = 0; i < count; ++i) to[i] += value[i] > 0.0f ? colour[i] * value[i] : 0.0f;
    }
  }
}

void diffuse(float* const out[3], const LightPlanes& l, const float* const N[3], int n) {
  lightLoop(
      out, l, n, [&](float* value, int at, int count) __attribute__((always_inline)) {
        const float *lx = l.L[0] + at, *ly = l.L[1] + at, *lz = l.L[2] + at;
        const float *nx = N[0] + at, *ny = N[1] + at, *nz = N[2] + at;
        REYES_LOOP
        for (int i = 0; i < count; ++i)
          value[i] = maximum(dot(normalized(V3{lx[i], ly[i], lz[i]}), V3{nx[i], ny[i], nz[i]}), 0.0f);
        return true;
      });
}

/// value = power(base, exponent) where the light is in front; false where it is behind all points.
REYES_LANE bool powers(float* value, const float* facing, const float* base, const float* exponent, int n) {
  int any = 0;
  for (int i = 0; i < n; ++i) any |= facing[i] >= 0.0f ? 1 : 0;
  if (!any) return false;
  REYES_LOOP
  for (int i = 0; i < n; ++i) value[i] = power(base[i], exponent[i]);
  REYES_LOOP
  for (int i = 0; i < n; ++i) value[i] = facing[i] >= 0.0f ? value[i] : 0.0f;
  return true;
}

void specular(float* const out[3], const LightPlanes& l, const float* const N[3], const float* const V[3],
              const float* roughness, int n) {
  lightLoop(
      out, l, n, [&](float* value, int at, int count) __attribute__((always_inline)) {
        alignas(64) float facing[kStretch], base[kStretch], exponent[kStretch];
        const float *lx = l.L[0] + at, *ly = l.L[1] + at, *lz = l.L[2] + at;
        const float *nx = N[0] + at, *ny = N[1] + at, *nz = N[2] + at;
        const float *vx = V[0] + at, *vy = V[1] + at, *vz = V[2] + at, *rough = roughness + at;
        REYES_LOOP
        for (int i = 0; i < count; ++i) {
          const V3 L{lx[i], ly[i], lz[i]}, normal{nx[i], ny[i], nz[i]};
          const V3 H = normalized(add(normalized(L), V3{vx[i], vy[i], vz[i]}));
          base[i] = maximum(dot(normal, H), 0.0f);
          exponent[i] = 8.0f / maximum(rough[i], 1e-4f);
          facing[i] = dot(L, normal);
        }
        return powers(value, facing, base, exponent, count);
      });
}
void phong(float* const out[3], const LightPlanes& l, const float* const N[3], const float* const V[3],
           const float* size, int n) {
  lightLoop(
      out, l, n, [&](float* value, int at, int count) __attribute__((always_inline)) {
        alignas(64) float facing[kStretch], base[kStretch];
        const float *lx = l.L[0] + at, *ly = l.L[1] + at, *lz = l.L[2] + at;
        const float *nx = N[0] + at, *ny = N[1] + at, *nz = N[2] + at;
        const float *vx = V[0] + at, *vy = V[1] + at, *vz = V[2] + at;
        REYES_LOOP
        for (int i = 0; i < count; ++i) {
          const V3 L{lx[i], ly[i], lz[i]}, normal = normalized(V3{nx[i], ny[i], nz[i]}), I{-vx[i], -vy[i], -vz[i]};
          const V3 R = normalized(sub(I, mul(normal, 2.0f * dot(I, normal))));
          base[i] = maximum(dot(R, normalized(L)), 0.0f);
          facing[i] = dot(L, normal);
        }
        return powers(value, facing, base, size + at, count);
      });
}
void addColor(float* const out[3], const LightPlanes& l, int n) {
  lightLoop(
      out, l, n, [](float* value, int, int count) __attribute__((always_inline)) {
        for (int i = 0; i < count; ++i) value[i] = 1.0f;
        return true;
      });
}

void transform(float* const out[3], const float* const p[3], const float* m, int kind, int n) {
  const float *x = p[0], *y = p[1], *z = p[2];
  float *ox = out[0], *oy = out[1], *oz = out[2];
  float k[16];
  for (int i = 0; i < 16; ++i) k[i] = m[i];
  const float move = kind == 0 ? 1.0f : 0.0f;
  const bool divide = kind == 0 && !(m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1);
  REYES_LOOP
  for (int i = 0; i < n; ++i) {
    const float a = x[i], b = y[i], c = z[i];
    const float w = divide ? a * k[3] + b * k[7] + c * k[11] + k[15] : 1.0f;
    const float s = 1.0f / (w != 0.0f ? w : 1.0f);
    ox[i] = (a * k[0] + b * k[4] + c * k[8] + move * k[12]) * s;
    oy[i] = (a * k[1] + b * k[5] + c * k[9] + move * k[13]) * s;
    oz[i] = (a * k[2] + b * k[6] + c * k[10] + move * k[14]) * s;
  }
}

}  // namespace

void addDerivatives(KernelTable& t) {
  const auto put = [&t](Builtin b, Kernel k, int sources) { addPlain(t, builtinOp(b), k, sources); };
  put(Builtin::k_Du, derivative<1, false>, 1), put(Builtin::k_Dv, derivative<1, true>, 1);
  put(Builtin::k_Du_c, derivative<3, false>, 1), put(Builtin::k_Dv_c, derivative<3, true>, 1);
  put(Builtin::k_Du_p, derivative<3, false>, 1), put(Builtin::k_Dv_p, derivative<3, true>, 1);
  put(Builtin::k_Deriv, derivWith<1>, 2), put(Builtin::k_Deriv_c, derivWith<3>, 2),
      put(Builtin::k_Deriv_p, derivWith<3>, 2);
  put(Builtin::k_area, area, 1), put(Builtin::k_area_s, area, 2);
  put(Builtin::k_calculatenormal, calculateNormal, 1);
}

void addHelpers(KernelTable& t) {
  t.helpers = {maskAnd, maskSubtract, maskOr, maskAndBytes, maskToBytes, blendLanes, fill,     maskCone,
               diffuse, specular,     phong,  addColor,     changeU,     changeV,    transform};
}

}  // namespace reyes::vm::REYES_ISA
