// SPDX-License-Identifier: Apache-2.0
// Inner loops of dicing over whole grids, one table an instruction set, chosen once; every set gives the same bits.
// Planes are dense: point (i, j) of a grid of `columns` at j * columns + i. Called by the geometries of this room.
#pragma once

#include "reyes/base/isa.h"

namespace reyes::geom {

/// Bernstein weights at the columns (or rows) of a grid: cubic b[0..3], and d[0..2] of the derivative (already scaled).
struct BernsteinTable {
  int count = 0;
  const float* b[4] = {};
  const float* d[3] = {};
};

/// Weights of Bernstein polynomials of any degree at columns or rows: plane k at k * count. d: of the differences of
/// control values, `degree` planes, already scaled.
struct BezierTable {
  int degree = 0, count = 0;
  const float* b = nullptr;
  const float* d = nullptr;
};

/// A row of a surface of revolution: what the profile has at one v, turned about z by the angles of the columns.
struct TurnedRow {
  int columns = 0;
  const float *cos = nullptr, *sin = nullptr;
  float p[3] = {}, d[3] = {}, n[3] = {};                      ///< point, its derivative by v, normal, at angle 0
  float turn = 0;                                             ///< of a whole step of u, in radians
  float *out[3] = {}, *du[3] = {}, *dv[3] = {}, *ng[3] = {};  ///< du null: points alone
};

struct PatchKernels {
  /// One component of a bicubic Bezier patch, cv[row (v) * 4 + column (u)]; du and dv may be null.
  void (*bicubic)(const float* cv, const BernsteinTable& u, const BernsteinTable& v, float* p, float* du, float* dv);
  /// Weights of Bernstein polynomials at n parameters, derivatives times `scale`; arrays of n floats.
  void (*bernstein)(const float* t, int n, float scale, float* const b[4], float* const d[3]);
  /// One bilinear component from corners (0,0), (1,0), (0,1), (1,1).
  void (*bilinear)(const float corner[4], const float* us, int columns, const float* vs, int rows, float* out);
  /// The same at n places (u, v).
  void (*bilinearAt)(const float corner[4], int n, const float* u, const float* v, float* out);
  /// Parameters of a whole primitive at the places of a grid on its part u0..u1 x v0..v1.
  void (*parameters)(const float u01[2], const float v01[2], const float* us, int columns, const float* vs, int rows,
                     float* u, float* v);
  /// Derivatives of bilinear(), times the scales.
  void (*bilinearDerivatives)(const float corner[4], const float* us, int columns, const float* vs, int rows,
                              float scaleU, float scaleV, float* du, float* dv);
  /// Unit normals along du x dv, all times `scale` first (near 1 / size of the face). A normal that cannot be trusted
  /// is set to zero; returns how many.
  int (*normals)(int n, const float* const du[3], const float* const dv[3], float scaleU, float scaleV,
                 float* const ng[3]);
  /// Projects homogeneous x y z w (planes p, and where given du, dv) to points; results replace the first three.
  void (*project)(int n, float* const p[4], float* const du[4], float* const dv[4]);
  /// The weights of a BezierTable at n parameters.
  void (*bernsteinAny)(const float* t, int n, int degree, float scale, float* b, float* d);
  /// One component of a Bezier patch of any two degrees, cv[row * (degree of u + 1) + column]; du, dv may be null.
  void (*bezier)(const float* cv, const BezierTable& u, const BezierTable& v, float* p, float* du, float* dv);
  /// One row of a quadric.
  void (*turned)(const TurnedRow& row);
};

/// The table of an instruction set (tests), and that of the best one of this machine.
const PatchKernels& patchKernels(Isa isa);
const PatchKernels& patchKernels();

}  // namespace reyes::geom
