// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/derivatives.h"

#include <limits>

namespace reyes::shade {

namespace {

/// Half the difference of the neighbours `stride` before and behind, all over the block at once: what it gives at the
/// ends of lines is replaced afterwards.
void centred(const float* __restrict v, int first, int last, int stride, float half, float* __restrict out) {
  for (int i = first; i < last; ++i) out[i] = half * (v[i + stride] - v[i - stride]);
}

/// At the end of a line of n steps, second order where there are three points; `s` leads inwards.
float oneSided(const float* p, int s, int n, float scale) {
  const float d = n > 1 ? -1.5f * p[0] + 2 * p[s] - 0.5f * p[2 * s] : n == 1 ? p[s] - p[0] : 0.0f;
  return scale * (s > 0 ? d : -d);
}

}  // namespace

void differences(const float* values, int nu, int nv, bool alongU, float step, float* out) {
  const int row = nu + 1, points = row * (nv + 1), n = alongU ? nu : nv;
  const float scale = step != 0 && n > 0 ? 1 / step : 0;
  const int stride = alongU ? 1 : row;
  centred(values, stride, points - stride, stride, 0.5f * scale, out);
  if (alongU) {
    for (int at = 0; at < points; at += row) {
      out[at] = oneSided(values + at, 1, n, scale);
      if (nu > 0) out[at + nu] = oneSided(values + at + nu, -1, n, scale);
    }
    return;
  }
  const int top = points - row;
  for (int i = 0; i <= nu; ++i) {
    out[i] = oneSided(values + i, row, n, scale);
    if (nv > 0) out[top + i] = oneSided(values + top + i, -row, n, scale);
  }
}

void rederive(VarBlock& vars, int nu, int nv, float du, float dv, bool flip) {
  static const Name kP = "P", kDPdu = "dPdu", kDPdv = "dPdv", kNg = "Ng";
  const Var *p = vars.find(kP), *dpdu = vars.find(kDPdu), *dpdv = vars.find(kDPdv), *ng = vars.find(kNg);
  if (!p || !dpdu || !dpdv || !ng) return;
  for (int c = 0; c < 3; ++c) {
    differences(p->plane(c), nu, nv, true, du, dpdu->plane(c));
    differences(p->plane(c), nu, nv, false, dv, dpdv->plane(c));
  }
  const float *a[3], *b[3];
  float* n[3];
  for (int c = 0; c < 3; ++c) {
    a[c] = (flip ? dpdv : dpdu)->plane(c);
    b[c] = (flip ? dpdu : dpdv)->plane(c);
    n[c] = ng->plane(c);
  }
  for (int i = 0; i < vars.points(); ++i) {
    const float x = a[1][i] * b[2][i] - a[2][i] * b[1][i];
    const float y = a[2][i] * b[0][i] - a[0][i] * b[2][i];
    const float z = a[0][i] * b[1][i] - a[1][i] * b[0][i];
    const float length2 = x * x + y * y + z * z;
    const bool good = length2 > 0 && length2 < std::numeric_limits<float>::infinity();
    n[0][i] = good ? x : n[0][i];
    n[1][i] = good ? y : n[1][i];
    n[2][i] = good ? z : n[2][i];
  }
}

}  // namespace reyes::shade
