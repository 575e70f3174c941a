// SPDX-License-Identifier: Apache-2.0
// Loops of shadow look-ups, one table an instruction set, each with the same bits: points into a light's view, and the
// samples of percentage-closer filtering.
#pragma once

#include <cstdint>

#include "reyes/base/isa.h"

namespace reyes::texture {

/// x = x0 + X / W * width and so on, with X, Y, W, Z linear in the point: 4 numbers each, the last one constant.
struct ShadowProjection {
  float X[4], Y[4], W[4], Z[4];
  float x0, y0, width, height;
};

/// The area to look at, in pixels of a face: the parallelogram of the point's surroundings, grown on every side by the
/// blur (and to at least a pixel). Depth follows the receiver's own plane across it, so that a wide area does not
/// shade itself.
struct ShadowArea {
  int face = -1;
  float x, y, z;
  float ux, uy, uz;  ///< across the parallelogram; uz, vz where no plane is known
  float vx, vy, vz;
  float growX, growY;    ///< full width of the blur
  float slopeX, slopeY;  ///< change of depth a pixel on the receiver's plane
  float bias0, bias1;    ///< drawn between the two
  float near;            ///< more bias a pixel away from the middle, up to two: for corners beside the receiver
  float cone;            ///< more bias a pixel away from the middle, for receivers that bend

  /// What a place ox, oy pixels away has on top of the bias; `own`: how many the receiver is wide.
  float corner(float ox, float oy, float own = 1) const;
  float bend(float ox, float oy) const;

  float halfX() const;
  float halfY() const;
  float halfZ() const;
};

/// Strata of a look-up: the low corner of each, in [-0.5, 0.5), and their size.
struct ShadowPattern {
  int samples;
  const float *s, *t;
  float stepS, stepT;
};

/// Depths, row by row; the one after the last is what lies outside.
struct ShadowDepths {
  const float* z;
  int x0, y0, width, height;
};

struct ShadowSample {
  float x, y, z, bias;
};

struct ShadowKernels {
  void (*project)(const ShadowProjection&, int n, const float* const p[3], const float* const d[3], float* x, float* y,
                  float* z, float* w);
  /// Places, the receiver's depth at the middle of the pixel there, and bias of samples [begin, end).
  void (*place)(const ShadowArea&, const ShadowPattern&, uint32_t seed, int begin, int end, float* x, float* y,
                float* z, float* bias);
  /// How many samples find something nearer than the receiver.
  int (*dark)(const ShadowDepths&, const ShadowArea&, const ShadowPattern&, uint32_t seed);
};

const ShadowKernels& shadowKernels(Isa isa);

inline float ShadowArea::corner(float ox, float oy, float own) const {
  const float d = (ox < 0 ? -ox : ox) + (oy < 0 ? -oy : oy);
  return near * (d < 2 * own ? d : 2 * own);
}
inline float ShadowArea::bend(float ox, float oy) const { return cone * ((ox < 0 ? -ox : ox) + (oy < 0 ? -oy : oy)); }
inline float ShadowArea::halfX() const { return 0.5f * ((ux < 0 ? -ux : ux) + (vx < 0 ? -vx : vx) + growX); }
inline float ShadowArea::halfY() const { return 0.5f * ((uy < 0 ? -uy : uy) + (vy < 0 ? -vy : vy) + growY); }
inline float ShadowArea::halfZ() const {
  const auto positive = [](float f) { return f < 0 ? -f : f; };
  return 0.5f * (positive(uz) + positive(vz)) + positive(slopeX) * (halfX() + 0.5f) +
         positive(slopeY) * (halfY() + 0.5f);
}

}  // namespace reyes::texture
