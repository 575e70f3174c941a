// SPDX-License-Identifier: Apache-2.0
// From points of a disc to points of the lens as LensShape has it: areas are kept (but for its density), and
// neighbours. Called where the sample patterns of a frame are made.
#pragma once

#include <vector>

#include "reyes/hider/hider.h"

namespace reyes::hider {

class LensWarp {
 public:
  explicit LensWarp(const LensShape& shape);
  /// The even disc: nothing to do.
  bool plain() const { return plain_; }
  /// Of the point of the disc at `radius`, `turn` (0..1, from +x towards +y, which is down): the lens point.
  void map(double radius, double turn, float& x, float& y) const;

 private:
  double alongRadius(double radius) const;
  void rim(double s, double& x, double& y) const;

  bool plain_ = true;
  int sides_ = 0;  ///< 0: a disc
  double roundness_ = 0, density_ = 0, start_ = 0;
  std::vector<double> swept_;  ///< area between a corner and steps along a side, of 1
};

}  // namespace reyes::hider
