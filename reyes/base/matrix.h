// SPDX-License-Identifier: Apache-2.0
// 4x4 matrix in the RenderMan convention: points are row vectors, p' = p * M, translation in the last row,
// so that "a then b" is a * b. Names read `renderFromCamera`-style where a direction matters: `cameraFromObject`.
#pragma once

#include <array>

#include "reyes/base/vec.h"

namespace reyes {

struct Matrix4 {
  float m[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  bool operator==(const Matrix4&) const = default;

  static Matrix4 translate(Vec3 t);
  static Matrix4 scale(Vec3 s);
  /// Rotation by `degrees` about `axis`, RenderMan's `Rotate`.
  static Matrix4 rotate(float degrees, Vec3 axis);
  /// RenderMan's `Skew`: shear by `degrees` of direction d1 towards d2.
  static Matrix4 skew(float degrees, Vec3 d1, Vec3 d2);
  /// RenderMan's perspective transform: screen x, y in -1..1 at 45 degrees from the axis for fov 90.
  static Matrix4 perspective(float fovDegrees, float near, float far);
  static Matrix4 orthographic(float near, float far);
};

Matrix4 operator*(const Matrix4& a, const Matrix4& b);
/// Inverse (double precision inside); the identity where the matrix is singular, see isSingular().
Matrix4 inverse(const Matrix4& a);
bool isSingular(const Matrix4& a);
float determinant3(const Matrix4& a);
Matrix4 transpose(const Matrix4& a);
/// True where the upper 3x3 turns right-handed axes into left-handed ones.
inline bool mirrors(const Matrix4& a) { return determinant3(a) < 0; }

/// Point times matrix without and with the division by w.
inline Vec4 transformHomogeneous(const Matrix4& m, Vec4 p) {
  return {p.x * m.m[0][0] + p.y * m.m[1][0] + p.z * m.m[2][0] + p.w * m.m[3][0],
          p.x * m.m[0][1] + p.y * m.m[1][1] + p.z * m.m[2][1] + p.w * m.m[3][1],
          p.x * m.m[0][2] + p.y * m.m[1][2] + p.z * m.m[2][2] + p.w * m.m[3][2],
          p.x * m.m[0][3] + p.y * m.m[1][3] + p.z * m.m[2][3] + p.w * m.m[3][3]};
}
inline bool isAffine(const Matrix4& m) { return m.m[0][3] == 0 && m.m[1][3] == 0 && m.m[2][3] == 0 && m.m[3][3] == 1; }
inline Vec3 transformPoint(const Matrix4& m, Vec3 p) {
  const Vec4 q = transformHomogeneous(m, {p.x, p.y, p.z, 1});
  if (isAffine(m)) return {q.x, q.y, q.z};
  return {q.x / q.w, q.y / q.w, q.z / q.w};
}
inline Vec3 transformVector(const Matrix4& m, Vec3 v) {
  return {v.x * m.m[0][0] + v.y * m.m[1][0] + v.z * m.m[2][0], v.x * m.m[0][1] + v.y * m.m[1][1] + v.z * m.m[2][1],
          v.x * m.m[0][2] + v.y * m.m[1][2] + v.z * m.m[2][2]};
}
/// Normal by the inverse transpose; `inverseM` is inverse(m).
inline Vec3 transformNormal(const Matrix4& inverseM, Vec3 n) {
  return {n.x * inverseM.m[0][0] + n.y * inverseM.m[0][1] + n.z * inverseM.m[0][2],
          n.x * inverseM.m[1][0] + n.y * inverseM.m[1][1] + n.z * inverseM.m[1][2],
          n.x * inverseM.m[2][0] + n.y * inverseM.m[2][1] + n.z * inverseM.m[2][2]};
}

}  // namespace reyes
