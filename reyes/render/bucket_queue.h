// SPDX-License-Identifier: Apache-2.0
// In which order a frame's buckets are rendered, and by which thread: row after row, and of each row every thread has a
// part of its own, which begins where its part of the row above did. So what buckets share (grids, samples of borders,
// freed memory) mostly stays with one thread, in one core's caches. Who has finished its part takes buckets from the
// end of another's: parts are walked towards each other in pairs, so what changes hands lies beside its own part, row
// after row. Used by Buckets.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace reyes::render {

class BucketQueue {
 public:
  BucketQueue(int columns, int rows, int threads);

  /// The next bucket for a thread; false at the end of the frame.
  bool take(int thread, int& order);

  /// Place in the order of the bucket in column i and row j. Rows are one after the other; within a row the first
  /// buckets of all parts come first, then their second ones. One thread goes to and fro.
  int orderAt(int i, int j) const {
    return j * columns_ + (turns(j) ? columns_ - 1 - i : place_[static_cast<size_t>(i)]);
  }
  int columnOf(int order) const {
    const int along = order % columns_;
    return turns(order / columns_) ? columns_ - 1 - along : column_[static_cast<size_t>(along)];
  }
  int rowOf(int order) const { return order / columns_; }
  /// The last in order of the buckets of row j in columns i0 to i1.
  int lastOf(int i0, int i1, int j) const;

 private:
  /// A thread's part of a row: columns first, first + step, ..., `count` of them.
  struct Part {
    int first = 0, step = 1, count = 0;
  };
  bool turns(int j) const { return parts_.size() == 1 && j % 2 == 1; }
  /// From the beginning of a part, or from its end; -1 where nothing is left.
  int takeFrom(int row, size_t part, bool atEnd);
  int left(int row, size_t part) const;

  int columns_, rows_;
  std::vector<Part> parts_;
  std::vector<int> place_, column_;  ///< in a row: of a column, and the reverse
  /// Of each row and part what is left: the first in the low half, the one past the last in the high half.
  std::unique_ptr<std::atomic<uint64_t>[]> left_;
  std::atomic<int> row_{0};  ///< rows before it have nothing left
};

}  // namespace reyes::render
