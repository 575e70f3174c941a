// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/cubic.h"

namespace reyes::geom {
namespace {

/// Rows of the control values of [a, b] of a cubic in terms of those of [0, 1] (blossoms).
void segmentMatrix(float a, float b, float m[4][4]) {
  for (int r = 0; r < 4; ++r) {
    // Arguments of the blossom: r of them b, the others a; one step of de Casteljau each.
    float w[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int step = 0; step < 3; ++step) {
      const float t = step < 3 - r ? a : b;
      for (int i = 0; i < 3 - step; ++i)
        for (int k = 0; k < 4; ++k) w[i][k] = w[i][k] * (1 - t) + w[i + 1][k] * t;
    }
    std::copy_n(w[0], 4, m[r]);
  }
}

/// Applies the matrix to each of four rows (stride 1 inside, 4 between) or columns (4, 1).
void applySegment(float a, float b, int inside, int between, float cv[16]) {
  float m[4][4];
  segmentMatrix(a, b, m);
  for (int line = 0; line < 4; ++line) {
    float* at = cv + line * between;
    const float in[4] = {at[0], at[inside], at[2 * inside], at[3 * inside]};
    for (int r = 0; r < 4; ++r) at[r * inside] = cubic(m[r], in[0], in[1], in[2], in[3]);
  }
}

}  // namespace

void cutPatch(float u0, float u1, float v0, float v1, float cv[16]) {
  if (u0 != 0 || u1 != 1) applySegment(u0, u1, 1, 4, cv);
  if (v0 != 0 || v1 != 1) applySegment(v0, v1, 4, 1, cv);
}

}  // namespace reyes::geom
