// SPDX-License-Identifier: Apache-2.0
// The filters of look-ups by name. Most are probes along the footprint (sampler.h); those of wider or other shapes are
// lattices of taps over it. Used by the sampler and by TextureSystem, private to texture/.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "reyes/texture/picture_cache.h"

namespace reyes::texture {

enum class Filter : uint8_t {
  kGaussian,
  kBox,
  kTrilinear,
  kBilinear,
  kNearest,
  kTriangle,  ///< this and what follows are lattices
  kDisk,
  kBSpline,
  kCatmullRom,
  kMitchell,
  kLagrangian,
  kSinc,
  kBessel,
  kBlackmanHarris
};
/// False for names that are no filter.
bool parseFilter(const std::string& name, Filter& out);
/// False for names that are no way to go on beyond a picture.
bool parseWrap(const std::string& name, Wrap& out);

/// Powers of how far a place is towards the next texel.
using Cubic = std::array<float, 4>;

/// A filter as a lattice over the parallelogram that the derivatives span: -radius to radius times each side.
class LatticeFilter {
 public:
  explicit LatticeFilter(Filter filter);
  float radius() const { return radius_; }
  int fewest() const { return fewest_; }  ///< taps along the shorter side
  int most() const { return kLongest * fewest_; }
  /// Weights of the taps of a lattice of nu x nv, whose sum is 1.
  class Weights {
   public:
    Weights(const LatticeFilter& filter, int nu, int nv);
    float at(int u, int v) const;
    bool is(int nu, int nv) const { return nu == nu_ && nv == nv_; }
    bool has(int u, int v) const { return u < nu_ && v < nv_; }

   private:
    const LatticeFilter* filter_;
    int nu_, nv_;
    float scale_ = 1;
  };
  /// Weights of the texels -1 to 2 from a place, where texels are larger than points.
  const std::array<Cubic, 4>& texels() const { return texels_; }

  static constexpr int kLongest = 4;  ///< sides longer than this times the footprint's width are cut on a smaller level

 private:
  float place(int i, int n) const { return radius_ * (static_cast<float>(2 * i + 1 - n) / static_cast<float>(n)); }
  float value(float x, float y) const;

  static constexpr int kSteps = 1024;
  float radius_ = 1;
  int fewest_ = 4;
  bool radial_ = false;
  std::vector<float> profile_;  ///< over 0 to radius
  std::array<Cubic, 4> texels_{};
};

/// Null for filters that are probes.
const LatticeFilter* latticeFilter(Filter filter);

}  // namespace reyes::texture
