// SPDX-License-Identifier: Apache-2.0
// A depth map in memory and percentage-closer filtering on it (Reeves, Salesin and Cook, SIGGRAPH 1987); of one view
// or of the six of a cube. Immutable once read.
#pragma once

#include <vector>

#include "reyes/texture/shadow_map.h"
#include "reyes/texture/shadow_view.h"

namespace reyes::texture {

/// The depths of a picture from a light, row by row, with the least and greatest depth of every block of 8 x 8.
class ZMap final : public ShadowMap {
 public:
  /// Takes an EXR with a Z channel (or one channel alone) and its matrices; error text or "".
  std::string take(const image::Image& picture);

  int look(const ShadowBatch& batch, const ShadowOptions& options, int channels, float* const* out) const override;
  int width() const override { return views_.faces()[0].display.width(); }
  int height() const override { return views_.faces()[0].display.height(); }
  int channels() const override { return 1; }
  const Matrix4& worldToCamera() const override { return views_.faces()[0].camera; }
  const Matrix4& worldToNdc() const override { return views_.faces()[0].ndc; }
  size_t bytes() const override { return sizeof(float) * (z_[0].size() * z_.size()); }

 private:
  /// Least and greatest depth of blocks of a face.
  struct Blocks {
    int across = 0;
    std::vector<float> least, greatest;
  };
  bool blockRange(const ShadowArea& area, float& least, float& greatest) const;
  void buildBlocks(size_t face);
  bool insideFace(const ShadowArea& area) const;
  float occlusion(const ShadowArea& area, const ShadowPattern& pattern, uint32_t seed,
                  const ShadowKernels& kernels) const;
  int darkOverFaces(const ShadowArea& area, const ShadowPattern& pattern, uint32_t seed,
                    const ShadowKernels& kernels) const;

  static constexpr int kBlock = 8;
  ShadowViews views_;
  std::vector<std::vector<float>> z_;  ///< a face; one more at the end for what lies outside
  std::vector<Blocks> blocks_;
};

/// Strata for so many samples, as near a square as they come.
struct ShadowStrata {
  explicit ShadowStrata(int samples);
  ShadowPattern pattern() const { return {static_cast<int>(s.size()), s.data(), t.data(), stepS, stepT}; }
  std::vector<float> s, t;
  float stepS = 1, stepT = 1;
};

}  // namespace reyes::texture
