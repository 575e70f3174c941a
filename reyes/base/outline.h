// SPDX-License-Identifier: Apache-2.0
// A region of a plane within closed polylines, by the even-odd rule: what is inside an odd number of them is in. Fast
// to ask for points and boxes. Trim curves become one (geom/), the hider asks it for samples. Immutable once finished.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reyes/base/vec.h"

namespace reyes {

class Outline {
 public:
  enum class Cover : uint8_t { kOut, kIn, kBorder };

  /// A closed line through the points; the last one is joined to the first.
  void addLoop(std::span<const Vec2> points);
  /// To be called once, after the last loop. `inverted`: what is outside counts as in.
  void finish(bool inverted);

  bool inside(float x, float y) const;
  /// Whether a box lies in, out, or on the border (or may do so).
  Cover cover(float x0, float x1, float y0, float y1) const;
  size_t segments() const { return segments_.size(); }

 private:
  struct Segment {
    Vec2 a, b;
  };
  int rowOf(float y) const;
  std::span<const uint32_t> row(int r) const {
    const size_t k = static_cast<size_t>(r);
    return {inRows_.data() + rowFirst_[k], rowFirst_[k + 1] - rowFirst_[k]};
  }

  std::vector<Segment> segments_;
  bool inverted_ = false;
  float y0_ = 0, y1_ = 0, rowsPerUnit_ = 0;
  int rows_ = 0;
  std::vector<uint32_t> rowFirst_, inRows_;  ///< segments that reach into each row
};

}  // namespace reyes
