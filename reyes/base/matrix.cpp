// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/matrix.h"

#include <numbers>
#include <utility>

namespace reyes {
namespace {
constexpr double kRadians = std::numbers::pi / 180.0;

/// Gauss-Jordan with partial pivoting in double; false where a pivot vanishes.
constexpr double kLeastPivot = 1e-30;

/// Turns the left four columns into the identity, by rows with the largest pivot; false where they are singular.
template <int Columns>
bool eliminate(double (&w)[4][Columns]) {
  for (int c = 0; c < 4; ++c) {
    int pivot = c;
    for (int r = c + 1; r < 4; ++r)
      if (std::fabs(w[r][c]) > std::fabs(w[pivot][c])) pivot = r;
    if (!(std::fabs(w[pivot][c]) > kLeastPivot)) return false;
    if (pivot != c)
      for (int j = 0; j < Columns; ++j) std::swap(w[pivot][j], w[c][j]);
    const double inv = 1.0 / w[c][c];
    for (int j = 0; j < Columns; ++j) w[c][j] *= inv;
    for (int r = 0; r < 4; ++r) {
      if (r == c) continue;
      const double f = w[r][c];
      for (int j = 0; j < Columns; ++j) w[r][j] -= f * w[c][j];
    }
  }
  return true;
}

bool invert(const Matrix4& a, Matrix4& out) {
  double w[4][8];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      w[i][j] = a.m[i][j];
      w[i][j + 4] = i == j ? 1.0 : 0.0;
    }
  if (!eliminate(w)) return false;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) out.m[i][j] = static_cast<float>(w[i][j + 4]);
  return true;
}
}  // namespace

Matrix4 Matrix4::translate(Vec3 t) {
  Matrix4 r;
  r.m[3][0] = t.x, r.m[3][1] = t.y, r.m[3][2] = t.z;
  return r;
}

Matrix4 Matrix4::scale(Vec3 s) {
  Matrix4 r;
  r.m[0][0] = s.x, r.m[1][1] = s.y, r.m[2][2] = s.z;
  return r;
}

Matrix4 Matrix4::rotate(float degrees, Vec3 axis) {
  const double l = std::sqrt(double(axis.x) * axis.x + double(axis.y) * axis.y + double(axis.z) * axis.z);
  if (!(l > 0)) return {};
  const double x = axis.x / l, y = axis.y / l, z = axis.z / l;
  const double s = std::sin(degrees * kRadians), c = std::cos(degrees * kRadians), k = 1 - c;
  Matrix4 r;
  r.m[0][0] = float(x * x * k + c), r.m[0][1] = float(x * y * k + z * s), r.m[0][2] = float(x * z * k - y * s);
  r.m[1][0] = float(x * y * k - z * s), r.m[1][1] = float(y * y * k + c), r.m[1][2] = float(y * z * k + x * s);
  r.m[2][0] = float(x * z * k + y * s), r.m[2][1] = float(y * z * k - x * s), r.m[2][2] = float(z * z * k + c);
  return r;
}

Matrix4 Matrix4::skew(float degrees, Vec3 d1, Vec3 d2) {
  // Spec 3.2 section 4: shear along d2 of points by their distance along the part of d1 that is normal to d2.
  const Vec3 along = normalize(d2);
  const Vec3 from = normalize(d1);
  const float cosine = dot(from, along);
  const Vec3 ortho = normalize(from - along * cosine);
  const double angle = std::acos(std::fmin(1.0, std::fmax(-1.0, double(cosine))));
  const double left = angle - degrees * kRadians;
  if (!(std::sin(left) > 1e-12)) return {};
  const double shear = 1.0 / std::tan(left) - 1.0 / std::tan(angle);
  Matrix4 r;
  const float o[3] = {ortho.x, ortho.y, ortho.z}, a[3] = {along.x, along.y, along.z};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r.m[i][j] += float(shear * o[i] * a[j]);
  return r;
}

Matrix4 Matrix4::perspective(float fovDegrees, float near, float far) {
  const double f = std::tan(fovDegrees * kRadians / 2);
  Matrix4 r;
  r.m[0][0] = r.m[1][1] = float(1.0 / f);
  r.m[2][2] = float(double(far) / (double(far) - near));
  r.m[2][3] = 1;
  r.m[3][2] = float(-double(near) * far / (double(far) - near));
  r.m[3][3] = 0;
  return r;
}

Matrix4 Matrix4::orthographic(float near, float far) {
  Matrix4 r;
  r.m[2][2] = 1.0f / (far - near);
  r.m[3][2] = -near / (far - near);
  return r;
}

Matrix4 operator*(const Matrix4& a, const Matrix4& b) {
  Matrix4 r;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      double s = 0;
      for (int k = 0; k < 4; ++k) s += double(a.m[i][k]) * b.m[k][j];
      r.m[i][j] = float(s);
    }
  return r;
}

Matrix4 inverse(const Matrix4& a) {
  Matrix4 r;
  return invert(a, r) ? r : Matrix4{};
}

bool isSingular(const Matrix4& a) {
  double w[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) w[i][j] = a.m[i][j];
  return !eliminate(w);
}

float determinant3(const Matrix4& a) {
  const auto& m = a.m;
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

Matrix4 transpose(const Matrix4& a) {
  Matrix4 r;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) r.m[i][j] = a.m[j][i];
  return r;
}

}  // namespace reyes
