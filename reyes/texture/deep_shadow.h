// SPDX-License-Identifier: Apache-2.0
// A deep shadow map (Lokovic and Veach, SIGGRAPH 2000): for each pixel of a light's view the part of the light that
// reaches a depth, as a line of straight pieces, coloured or not, on pre-filtered levels; of one view or of the six of
// a cube. Immutable once read.
#pragma once

#include <array>
#include <vector>

#include "reyes/image/deep.h"
#include "reyes/texture/shadow_map.h"
#include "reyes/texture/shadow_view.h"

namespace reyes::texture {

/// A corner of the line: what passes up to that depth. Two corners at one depth are a surface.
struct DeepCorner {
  float z = 0;
  std::array<float, 3> t{1, 1, 1};
};
using DeepLine = std::vector<DeepCorner>;

/// The line of one pixel's samples: alphas[i] in front of the next; front == back for surfaces.
DeepLine deepLine(size_t samples, const float* front, const float* back, const std::array<float, 3>* alphas);
/// The same line with corners left out that are nearer to it than `tolerance`.
DeepLine simplified(const DeepLine& line, float tolerance, int channels);
/// The mean of four lines.
DeepLine mean(const std::array<DeepLine, 4>& lines, int channels);

class DeepShadow final : public ShadowMap {
 public:
  /// From deep samples (image/deep.h) with the matrices of their view. The finest levels that do not fit into `bytes`
  /// (0: no limit) are left out. Error text or "".
  std::string take(const image::DeepImage& picture, int64_t bytes);

  int look(const ShadowBatch& batch, const ShadowOptions& options, int channels, float* const* out) const override;
  int width() const override { return views_.faces()[0].display.width(); }
  int height() const override { return views_.faces()[0].display.height(); }
  int channels() const override { return channels_; }
  const Matrix4& worldToCamera() const override { return views_.faces()[0].camera; }
  const Matrix4& worldToNdc() const override { return views_.faces()[0].ndc; }
  size_t bytes() const;
  /// Levels left out for want of memory.
  int levelsLost() const { return lost_; }

 private:
  /// Corners of all pixels, pixel after pixel, face after face; what passes is stored in 65535ths.
  struct Level {
    int width = 0, height = 0;  ///< of a face
    std::vector<uint32_t> start;
    std::vector<float> z;
    std::vector<uint16_t> t;
    size_t bytes() const { return start.size() * 4 + z.size() * 4 + t.size() * 2; }
    /// Adds the next pixel.
    void append(const DeepLine& line, int channels);
    size_t pixel(int face, int x, int y) const {
      return (static_cast<size_t>(face) * static_cast<size_t>(height) + static_cast<size_t>(y)) *
                 static_cast<size_t>(width) +
             static_cast<size_t>(x);
    }
    DeepLine line(int face, int x, int y, int channels) const;
  };
  void coarser();
  void passing(const Level& level, size_t pixel, float z, float corner, float* t) const;
  bool beyond(int face, int level, float x, float y, float& z, size_t& pixel) const;
  void lookAt(const ShadowArea& area, float* t) const;

  ShadowViews views_;
  int channels_ = 1, lost_ = 0;
  std::vector<Level> levels_;  ///< each half as wide as the one before, rounded up
};

}  // namespace reyes::texture
