// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/bucket_queue.h"

#include <algorithm>

namespace reyes::render {
namespace {

uint64_t packed(uint32_t first, uint32_t end) { return uint64_t{end} << 32 | first; }
uint32_t firstOf(uint64_t span) { return static_cast<uint32_t>(span); }
uint32_t endOf(uint64_t span) { return static_cast<uint32_t>(span >> 32); }

}  // namespace

BucketQueue::BucketQueue(int columns, int rows, int threads) : columns_(columns), rows_(columns > 0 ? rows : 0) {
  // 1. Parts, in pairs that meet.
  const int n = std::clamp(threads, 1, std::max(1, columns));
  const auto border = [&](int k) { return static_cast<int>(int64_t{columns} * k / n); };
  for (int k = 0; k < n; ++k) {
    const int count = border(k + 1) - border(k);
    parts_.push_back(k % 2 == 0 ? Part{border(k), 1, count} : Part{border(k + 1) - 1, -1, count});
  }
  // 2. The order within a row.
  place_.resize(static_cast<size_t>(columns));
  for (int along = 0; static_cast<int>(column_.size()) < columns; ++along)
    for (const Part& p : parts_) {
      if (along >= p.count) continue;
      const int column = p.first + p.step * along;
      place_[static_cast<size_t>(column)] = static_cast<int>(column_.size());
      column_.push_back(column);
    }
  // 3. All of them are left.
  const size_t spans = static_cast<size_t>(rows_) * parts_.size();
  left_ = std::make_unique<std::atomic<uint64_t>[]>(spans);
  for (size_t s = 0; s < spans; ++s)
    left_[s].store(packed(0, static_cast<uint32_t>(parts_[s % parts_.size()].count)), std::memory_order_relaxed);
}

int BucketQueue::lastOf(int i0, int i1, int j) const {
  int last = -1;
  for (int i = i0; i <= i1; ++i) last = std::max(last, orderAt(i, j));
  return last;
}

int BucketQueue::left(int row, size_t part) const {
  const uint64_t span = left_[static_cast<size_t>(row) * parts_.size() + part].load(std::memory_order_relaxed);
  return static_cast<int>(endOf(span) - firstOf(span));
}

int BucketQueue::takeFrom(int row, size_t part, bool atEnd) {
  std::atomic<uint64_t>& slot = left_[static_cast<size_t>(row) * parts_.size() + part];
  uint64_t span = slot.load(std::memory_order_relaxed), rest;
  do {
    if (firstOf(span) == endOf(span)) return -1;
    rest = atEnd ? packed(firstOf(span), endOf(span) - 1) : packed(firstOf(span) + 1, endOf(span));
  } while (!slot.compare_exchange_weak(span, rest, std::memory_order_relaxed));
  const Part& p = parts_[part];
  const int along = static_cast<int>(atEnd ? endOf(rest) : firstOf(span));
  const int column = p.first + p.step * along;
  return orderAt(turns(row) ? columns_ - 1 - column : column, row);
}

bool BucketQueue::take(int thread, int& order) {
  const size_t n = parts_.size(), own = static_cast<size_t>(thread) % n, partner = own ^ 1;
  for (int row = row_.load(std::memory_order_relaxed); row < rows_;) {
    if ((order = takeFrom(row, own, false)) >= 0) return true;
    if (partner < n && (order = takeFrom(row, partner, true)) >= 0) return true;
    for (;;) {
      size_t most = n;
      int amount = 0;
      for (size_t p = 0; p < n; ++p)
        if (const int l = left(row, p); l > amount) amount = l, most = p;
      if (most == n) break;
      if ((order = takeFrom(row, most, true)) >= 0) return true;
    }
    int expected = row;
    if (row_.compare_exchange_strong(expected, row + 1, std::memory_order_relaxed)) expected = row + 1;
    row = std::max(expected, row + 1);
  }
  return false;
}

}  // namespace reyes::render
