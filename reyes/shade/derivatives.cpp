// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/derivatives.h"

#include <limits>

namespace reyes::shade {

void differences(const float* values, int nu, int nv, bool alongU, float step, float* out) {
  const int row = nu + 1, n = alongU ? nu : nv, stride = alongU ? 1 : row;
  const float scale = step != 0 && n > 0 ? 1 / step : 0;
  const float half = 0.5f * scale;
  // Along v whole rows go at a time, along u all places of a row: both loops run over consecutive floats.
  for (int j = 0; j <= nv; ++j) {
    const float* v = values + j * row;
    float* o = out + j * row;
    const auto oneSided = [&](int i, int inward) {
      const float* p = v + i;
      const int s = inward * stride;
      const float d = n > 1 ? -1.5f * p[0] + 2 * p[s] - 0.5f * p[2 * s] : n == 1 ? p[s] - p[0] : 0.0f;
      o[i] = scale * (inward > 0 ? d : -d);
    };
    if (alongU) {
      for (int i = 1; i < nu; ++i) o[i] = half * (v[i + 1] - v[i - 1]);
      oneSided(0, 1);
      if (nu > 0) oneSided(nu, -1);
    } else if (j > 0 && j < nv) {
      for (int i = 0; i <= nu; ++i) o[i] = half * (v[i + row] - v[i - row]);
    } else {
      for (int i = 0; i <= nu; ++i) oneSided(i, j == 0 ? 1 : -1);
    }
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
