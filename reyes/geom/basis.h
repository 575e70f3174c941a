// SPDX-License-Identifier: Apache-2.0
// Cubic bases of RI and how control values in any of them become Bezier values. Used by the patch factories.
#pragma once

#include <vector>

#include "reyes/base/matrix.h"

namespace reyes::geom {

/// Control values along one direction of a mesh, turned into Bezier values of its segments.
struct BezierMap {
  /// basis: rows as RIB gives them; step >= 1; n control values; wrap: the last meet the first.
  BezierMap(const Matrix4& basis, int step, int n, bool wrap);

  int segments = 0;
  int outputs = 0;      ///< Bezier values along the direction
  bool joined = false;  ///< consecutive segments share their end value
  // For tensorToBezier(): every segment writes all of its values; those that are shared come out the same.
  int pieces() const { return segments; }
  int firstNew(int) const { return 0; }
  int lastValue() const { return 3; }
  /// Place of Bezier value k (0..3) of a segment among the outputs.
  int place(int segment, int k) const {
    const int at = (joined ? 3 : 4) * segment + k;
    return at < outputs ? at : at - outputs;
  }
  /// Output `place` of values at in[i * stride]; exact where the basis is Bezier.
  double value(int segment, int k, const double* in, int stride) const;
  /// Of a segment's control value i in its Bezier value k.
  double weight(int k, int i) const { return w_[k][i]; }

 private:
  double w_[4][4];  ///< a Bezier value: weights of the segment's control values
  int step_, n_;
};

/// Grids of items (each `width` floats) turned into Bezier grids, u fastest.
std::vector<float> toBezier(const BezierMap& u, const BezierMap& v, int nu, int nv, int width,
                            const std::vector<float>& in);

}  // namespace reyes::geom
