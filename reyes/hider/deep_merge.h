// SPDX-License-Identifier: Apache-2.0
// One pixel's events, in order of depth, become the samples of a deep picture. Private to hider/: called by
// deep_filter.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "reyes/hider/deep.h"

namespace reyes::hider {

class DeepMerger {
 public:
  explicit DeepMerger(const DeepSpec& spec);
  void clear();
  /// Depth up to which surfaces go with one at z whatever they are.
  float limitOf(float z) const { return std::max(z, z + z * spec_.depthTolerance); }
  /// Begins the next step, of events that are one thing: `key` has a tag in its lower half, a whole number above.
  void start(float z, float back, uint64_t key);
  /// The step of an event at this depth is the last from now on; depths never decrease.
  void place(float z, uint64_t key) {
    if (steps_.empty() || z > limit_ || key != steps_.back().key) return start(z, z, key);
    steps_.back().back = z;
  }
  /// An event of DeepTile and its weight, into the last step.
  void add(const float* event, double weight);
  /// Appends the pixel's samples, of events whose weights are parts of `total`.
  void write(double total, DeepPixels& out);

 private:
  static constexpr size_t kCurves = 7;  ///< opacity: mean, red, green, blue; colour: red, green, blue
  /// Events that lie together by their depths alone.
  struct Step {
    float z = 0, back = 0;
    uint64_t key = 0;
    double sums[kCurves + 1] = {};  ///< of weight times what is added, as DeepTile has it; of depths, too
    double seen = 0;                ///< of weight times what is seen through in front
  };
  void accumulate(double total);
  /// True where steps first..last may become one sample.
  bool together(size_t first, size_t last) const;
  bool follows(size_t curve, size_t first, size_t last) const;
  size_t lastTogether(size_t first, size_t end) const;
  void addVariables(const float* event, double weight);
  void emit(size_t first, size_t last, double total, DeepPixels& out);
  float rounded(float v) const;
  float opacityOf(double before, double after, bool isLast) const;
  /// Accumulated value of a curve in front of a step.
  double before(size_t curve, size_t step) const { return step > 0 ? curves_[(step - 1) * kCurves + curve] : 0; }
  double after(size_t curve, size_t step) const { return curves_[step * kCurves + curve]; }

  const DeepSpec& spec_;
  size_t variableFloats_ = 0;
  std::vector<Step> steps_;
  float limit_ = 0;                ///< depth up to which events belong to the last step
  std::vector<double> variables_;  ///< a step: sums of weight times what is seen through times value
  std::vector<double> curves_;     ///< a step: accumulated, as parts of the total weight
  double scale_[kCurves] = {};     ///< of the tolerance; 0 where a curve is not asked for
  double through_[4] = {};         ///< behind the samples written so far, as they were rounded
  std::vector<float> sample_;
};

}  // namespace reyes::hider
