// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/basis.h"

#include <cmath>
#include <string>

#include "reyes/geom/factory.h"
#include "reyes/geom/tensor.h"

namespace reyes::geom {

bool namedBasis(const std::string& name, Matrix4& basis, int& step) {
  struct Named {
    const char* name;
    int step;
    float scale;
    float rows[4][4];
  };
  static constexpr Named kNamed[] = {
      {"bezier", 3, 1, {{-1, 3, -3, 1}, {3, -6, 3, 0}, {-3, 3, 0, 0}, {1, 0, 0, 0}}},
      {"b-spline", 1, 6, {{-1, 3, -3, 1}, {3, -6, 3, 0}, {-3, 0, 3, 0}, {1, 4, 1, 0}}},
      {"catmull-rom", 1, 2, {{-1, 3, -3, 1}, {2, -5, 4, -1}, {-1, 0, 1, 0}, {0, 2, 0, 0}}},
      {"hermite", 2, 1, {{2, 1, -2, 1}, {-3, -2, 3, -1}, {0, 1, 0, 0}, {1, 0, 0, 0}}},
      {"power", 4, 1, {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}};
  for (const Named& n : kNamed) {
    if (name != n.name) continue;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) basis.m[r][c] = n.rows[r][c] / n.scale;
    step = n.step;
    return true;
  }
  return false;
}

BezierMap::BezierMap(const Matrix4& basis, int step, int n, bool wrap) : step_(step), n_(n) {
  segments = wrap ? n / step : (n - 4) / step + 1;
  // Point and derivative at both ends give the four Bezier values.
  for (int k = 0; k < 4; ++k) {
    const double a = basis.m[0][k], b = basis.m[1][k], c = basis.m[2][k], d = basis.m[3][k];
    w_[0][k] = d;
    w_[1][k] = d + c / 3;
    w_[2][k] = b / 3 + c * 2 / 3 + d;
    w_[3][k] = a + b + c + d;
    // Weights that decimal or float rounding left near a multiple of 1/36 are that multiple (all named bases).
    for (int r = 0; r < 4; ++r) {
      const double near = std::nearbyint(w_[r][k] * 36) / 36;
      if (std::abs(w_[r][k] - near) < 1e-6) w_[r][k] = near;
    }
  }
  // Joined where the end of a segment is the start of the next one, up to how exactly people write a basis.
  joined = true;
  for (int k = 0; k < 4 + step && joined; ++k) {
    const double end = k < 4 ? w_[3][k] : 0, start = k >= step && k - step < 4 ? w_[0][k - step] : 0;
    joined = std::abs(end - start) < 1e-3;
  }
  if (joined)
    for (int k = 0; k < 4; ++k) w_[3][k] = k >= step ? w_[0][k - step] : 0;
  outputs = joined ? segments * 3 + (wrap ? 0 : 1) : segments * 4;
}

double BezierMap::value(int segment, int k, const double* in, int stride) const {
  double sum = 0;
  for (int i = 0; i < 4; ++i)
    if (w_[k][i] != 0) sum += w_[k][i] * in[static_cast<std::ptrdiff_t>((segment * step_ + i) % n_) * stride];
  return sum;
}

std::vector<float> toBezier(const BezierMap& u, const BezierMap& v, int nu, int nv, int width,
                            const std::vector<float>& in) {
  return tensorToBezier(u, v, nu, nv, width, in);
}

}  // namespace reyes::geom
