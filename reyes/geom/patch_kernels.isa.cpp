// SPDX-License-Identifier: Apache-2.0
// The loops of patch_kernels.h, compiled once an instruction set into its own namespace. Plain loops over columns or
// points that the compiler turns into vectors; each point sees the same operations in the same order everywhere.
#include <cmath>

#include "reyes/geom/patch_kernels.h"

namespace reyes::geom::REYES_ISA {
namespace {

void bernstein(const float* __restrict t, int n, float scale, float* const b[4], float* const d[3]) {
  float* __restrict b0 = b[0], * __restrict b1 = b[1], * __restrict b2 = b[2], * __restrict b3 = b[3];
  float* __restrict d0 = d[0], * __restrict d1 = d[1], * __restrict d2 = d[2];
  const float s3 = 3 * scale, s6 = 6 * scale;
  for (int i = 0; i < n; ++i) {
    const float u = t[i], w = 1 - u;
    const float ww = w * w, uu = u * u;
    b0[i] = ww * w;
    b1[i] = 3 * (ww * u);
    b2[i] = 3 * (w * uu);
    b3[i] = uu * u;
    d0[i] = s3 * ww;
    d1[i] = s6 * (w * u);
    d2[i] = s3 * uu;
  }
}

/// One row: the four values q (and their v derivatives) combined by the columns' weights.
template <bool kDerivatives>
inline void cubicRow(const float q[4], const float qd[4], const BernsteinTable& u, float* __restrict p,
                     float* __restrict du, float* __restrict dv) {
  const float* __restrict b0 = u.b[0], * __restrict b1 = u.b[1], * __restrict b2 = u.b[2], * __restrict b3 = u.b[3];
  const float* __restrict d0 = u.d[0], * __restrict d1 = u.d[1], * __restrict d2 = u.d[2];
  const float q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
  const float e0 = q1 - q0, e1 = q2 - q1, e2 = q3 - q2;
  const float r0 = qd[0], r1 = qd[1], r2 = qd[2], r3 = qd[3];
  const int n = u.count;
  for (int i = 0; i < n; ++i) {
    p[i] = q0 * b0[i] + q1 * b1[i] + q2 * b2[i] + q3 * b3[i];
    if constexpr (kDerivatives) {
      du[i] = e0 * d0[i] + e1 * d1[i] + e2 * d2[i];
      dv[i] = r0 * b0[i] + r1 * b1[i] + r2 * b2[i] + r3 * b3[i];
    }
  }
}

template <bool kDerivatives>
void bicubicRows(const float* cv, const BernsteinTable& u, const BernsteinTable& v, float* p, float* du, float* dv) {
  for (int j = 0; j < v.count; ++j) {
    const float b0 = v.b[0][j], b1 = v.b[1][j], b2 = v.b[2][j], b3 = v.b[3][j];
    const float d0 = v.d[0][j], d1 = v.d[1][j], d2 = v.d[2][j];
    float q[4], qd[4] = {};
    for (int k = 0; k < 4; ++k) {
      q[k] = cv[k] * b0 + cv[4 + k] * b1 + cv[8 + k] * b2 + cv[12 + k] * b3;
      if constexpr (kDerivatives)
        qd[k] = (cv[4 + k] - cv[k]) * d0 + (cv[8 + k] - cv[4 + k]) * d1 + (cv[12 + k] - cv[8 + k]) * d2;
    }
    const int at = j * u.count;
    cubicRow<kDerivatives>(q, qd, u, p + at, kDerivatives ? du + at : nullptr, kDerivatives ? dv + at : nullptr);
  }
}

void bicubic(const float* cv, const BernsteinTable& u, const BernsteinTable& v, float* p, float* du, float* dv) {
  if (du)
    bicubicRows<true>(cv, u, v, p, du, dv);
  else
    bicubicRows<false>(cv, u, v, p, du, dv);
}

void bilinear(const float corner[4], const float* us, int columns, const float* vs, int rows, float* out) {
  for (int j = 0; j < rows; ++j) {
    const float v = vs[j], w = 1 - v;
    const float a = corner[0] * w + corner[2] * v, b = corner[1] * w + corner[3] * v;
    float* __restrict row = out + j * columns;
    for (int i = 0; i < columns; ++i) row[i] = a * (1 - us[i]) + b * us[i];
  }
}

void bilinearAt(const float corner[4], int n, const float* __restrict u, const float* __restrict v,
                float* __restrict out) {
  const float c0 = corner[0], c1 = corner[1], c2 = corner[2], c3 = corner[3];
  // Between equal values nothing moves, not by a rounding either: shaders divide by Dv(s), which is 0 and not 1e-7.
  for (int i = 0; i < n; ++i) {
    const float low = c0 == c1 ? c0 : c0 * (1 - u[i]) + c1 * u[i], high = c2 == c3 ? c2 : c2 * (1 - u[i]) + c3 * u[i];
    out[i] = low == high ? low : low * (1 - v[i]) + high * v[i];
  }
}

void parameters(const float u01[2], const float v01[2], const float* us, int columns, const float* vs, int rows,
                float* u, float* v) {
  const float u0 = u01[0], u1 = u01[1];
  for (int j = 0; j < rows; ++j) {
    float* __restrict uRow = u + j * columns, * __restrict vRow = v + j * columns;
    const float value = v01[0] * (1 - vs[j]) + v01[1] * vs[j];
    for (int i = 0; i < columns; ++i) {
      uRow[i] = u0 * (1 - us[i]) + u1 * us[i];
      vRow[i] = value;
    }
  }
}

void bilinearDerivatives(const float corner[4], const float* us, int columns, const float* vs, int rows, float scaleU,
                         float scaleV, float* du, float* dv) {
  const float left = (corner[2] - corner[0]) * scaleV, right = (corner[3] - corner[1]) * scaleV;
  const float bottom = (corner[1] - corner[0]) * scaleU, top = (corner[3] - corner[2]) * scaleU;
  for (int j = 0; j < rows; ++j) {
    const float across = bottom * (1 - vs[j]) + top * vs[j];
    float* __restrict duRow = du + j * columns, * __restrict dvRow = dv + j * columns;
    for (int i = 0; i < columns; ++i) {
      duRow[i] = across;
      dvRow[i] = left * (1 - us[i]) + right * us[i];
    }
  }
}

int normals(int n, const float* const du[3], const float* const dv[3], float scaleU, float scaleV, float* const ng[3]) {
  const float* __restrict ux = du[0], * __restrict uy = du[1], * __restrict uz = du[2];
  const float* __restrict vx = dv[0], * __restrict vy = dv[1], * __restrict vz = dv[2];
  float* __restrict nx = ng[0], * __restrict ny = ng[1], * __restrict nz = ng[2];
  constexpr float kTiny = 1e-10f, kParallel = 1e-8f;
  int bad = 0;
  for (int i = 0; i < n; ++i) {
    const float ax = ux[i] * scaleU, ay = uy[i] * scaleU, az = uz[i] * scaleU;
    const float bx = vx[i] * scaleV, by = vy[i] * scaleV, bz = vz[i] * scaleV;
    const float cx = ay * bz - az * by, cy = az * bx - ax * bz, cz = ax * by - ay * bx;
    const float a2 = ax * ax + ay * ay + az * az, b2 = bx * bx + by * by + bz * bz;
    const float c2 = cx * cx + cy * cy + cz * cz;
    const bool good = (a2 > kTiny) & (b2 > kTiny) & (c2 > kParallel * (a2 * b2));
    const float s = good ? 1 / std::sqrt(c2) : 0.0f;
    bad += good ? 0 : 1;
    nx[i] = cx * s;
    ny[i] = cy * s;
    nz[i] = cz * s;
  }
  return bad;
}

void project(int n, float* const p[4], float* const du[4], float* const dv[4]) {
  for (int c = 0; c < 3; ++c) {
    float* __restrict x = p[c];
    const float* __restrict w = p[3];
    if (du) {
      float* __restrict ux = du[c], * __restrict vx = dv[c];
      const float* __restrict uw = du[3], * __restrict vw = dv[3];
      for (int i = 0; i < n; ++i) {
        const float q = x[i] / w[i];
        ux[i] = (ux[i] - uw[i] * q) / w[i];
        vx[i] = (vx[i] - vw[i] * q) / w[i];
        x[i] = q;
      }
    } else {
      for (int i = 0; i < n; ++i) x[i] = x[i] / w[i];
    }
  }
}

void bernsteinAny(const float* __restrict t, int n, int degree, float scale, float* __restrict b, float* __restrict d) {
  for (int i = 0; i < n; ++i) b[i] = 1;
  for (int m = 1; m <= degree; ++m) {
    // Derivatives are the weights of one degree less.
    if (m == degree)
      for (int i = 0; i < m * n; ++i) d[i] = b[i] * (scale * static_cast<float>(degree));
    for (int i = 0; i < n; ++i) b[m * n + i] = b[(m - 1) * n + i] * t[i];
    for (int k = m - 1; k > 0; --k)
      for (int i = 0; i < n; ++i) b[k * n + i] = b[k * n + i] * (1 - t[i]) + b[(k - 1) * n + i] * t[i];
    for (int i = 0; i < n; ++i) b[i] *= 1 - t[i];
  }
}

/// out = sum of value[k] * plane k of `weights`.
inline void combine(const float* value, int terms, const float* __restrict weights, int n, float* __restrict out) {
  for (int i = 0; i < n; ++i) out[i] = value[0] * weights[i];
  for (int k = 1; k < terms; ++k) {
    const float q = value[k];
    const float* __restrict w = weights + k * n;
    for (int i = 0; i < n; ++i) out[i] += q * w[i];
  }
}

void bezier(const float* cv, const BezierTable& u, const BezierTable& v, float* p, float* du, float* dv) {
  constexpr int kMost = 64;
  const int columns = u.degree + 1;
  for (int j = 0; j < v.count; ++j) {
    // Values of this row, and their differences along u and derivatives along v.
    float q[kMost], e[kMost], r[kMost];
    for (int k = 0; k < columns; ++k) {
      q[k] = cv[k] * v.b[j];
      for (int l = 1; l <= v.degree; ++l) q[k] += cv[l * columns + k] * v.b[l * v.count + j];
      if (!du) continue;
      r[k] = (cv[columns + k] - cv[k]) * v.d[j];
      for (int l = 1; l < v.degree; ++l)
        r[k] += (cv[(l + 1) * columns + k] - cv[l * columns + k]) * v.d[l * v.count + j];
    }
    const int at = j * u.count;
    combine(q, columns, u.b, u.count, p + at);
    if (!du) continue;
    for (int k = 0; k < u.degree; ++k) e[k] = q[k + 1] - q[k];
    combine(e, u.degree, u.d, u.count, du + at);
    combine(r, columns, u.b, u.count, dv + at);
  }
}

void turned(const TurnedRow& row) {
  const int n = row.columns;
  const float* __restrict cs = row.cos;
  const float* __restrict sn = row.sin;
  float* __restrict x = row.out[0];
  float* __restrict y = row.out[1];
  float* __restrict z = row.out[2];
  const float px = row.p[0], py = row.p[1], pz = row.p[2];
  for (int i = 0; i < n; ++i) {
    x[i] = px * cs[i] - py * sn[i] + 0.0f;
    y[i] = px * sn[i] + py * cs[i] + 0.0f;
    z[i] = pz;
  }
  if (!row.du[0]) return;
  const float dx = row.d[0], dy = row.d[1], dz = row.d[2], nx = row.n[0], ny = row.n[1], nz = row.n[2];
  const float turn = row.turn;
  float* __restrict ux = row.du[0];
  float* __restrict uy = row.du[1];
  float* __restrict vx = row.dv[0];
  float* __restrict vy = row.dv[1];
  float* __restrict vz = row.dv[2];
  for (int i = 0; i < n; ++i) {
    ux[i] = -turn * y[i];
    uy[i] = turn * x[i];
    vx[i] = dx * cs[i] - dy * sn[i];
    vy[i] = dx * sn[i] + dy * cs[i];
    vz[i] = dz;
  }
  float* __restrict gx = row.ng[0];
  float* __restrict gy = row.ng[1];
  float* __restrict gz = row.ng[2];
  for (int i = 0; i < n; ++i) {
    gx[i] = nx * cs[i] - ny * sn[i];
    gy[i] = nx * sn[i] + ny * cs[i];
    gz[i] = nz;
  }
}

}  // namespace

extern const PatchKernels kKernels;
const PatchKernels kKernels = {bicubic, bernstein, bilinear,     bilinearAt, parameters, bilinearDerivatives,
                               normals, project,   bernsteinAny, bezier,     turned};

}  // namespace reyes::geom::REYES_ISA
