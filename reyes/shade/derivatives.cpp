// SPDX-License-Identifier: Apache-2.0
#include "reyes/shade/derivatives.h"

#include "reyes/base/vec.h"

namespace reyes::shade {
namespace {
/// Difference at place i of n + 1 values `stride` apart, in units of one step.
float difference(const float* v, int stride, int i, int n) {
  const auto at = [&](int k) { return v[static_cast<ptrdiff_t>(k) * stride]; };
  if (n < 1) return 0;
  if (n == 1) return at(1) - at(0);
  if (i == 0) return -1.5f * at(0) + 2 * at(1) - 0.5f * at(2);
  if (i == n) return 1.5f * at(n) - 2 * at(n - 1) + 0.5f * at(n - 2);
  return 0.5f * (at(i + 1) - at(i - 1));
}
}  // namespace

void differences(const float* values, int nu, int nv, bool alongU, float step, float* out) {
  const float scale = step != 0 ? 1 / step : 0;
  const int row = nu + 1;
  for (int j = 0; j <= nv; ++j)
    for (int i = 0; i <= nu; ++i)
      out[j * row + i] = scale * (alongU ? difference(values + j * row, 1, i, nu) : difference(values + i, row, j, nv));
}

void rederive(VarBlock& vars, int nu, int nv, float du, float dv, bool flip) {
  const Var* p = vars.find("P");
  const Var *dpdu = vars.find("dPdu"), *dpdv = vars.find("dPdv"), *ng = vars.find("Ng");
  if (!p || !dpdu || !dpdv || !ng) return;
  for (int c = 0; c < 3; ++c) {
    differences(p->plane(c), nu, nv, true, du, dpdu->plane(c));
    differences(p->plane(c), nu, nv, false, dv, dpdv->plane(c));
  }
  for (int i = 0; i < vars.points(); ++i) {
    const Vec3 a{dpdu->plane(0)[i], dpdu->plane(1)[i], dpdu->plane(2)[i]};
    const Vec3 b{dpdv->plane(0)[i], dpdv->plane(1)[i], dpdv->plane(2)[i]};
    const Vec3 n = flip ? cross(b, a) : cross(a, b);
    if (!(dot(n, n) > 0) || !isFinite(n)) continue;
    for (int c = 0; c < 3; ++c) ng->plane(c)[i] = n[c];
  }
}

}  // namespace reyes::shade
