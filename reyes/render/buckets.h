// SPDX-License-Identifier: Apache-2.0
// The buckets of a frame: a lattice absolute in the frame, rendered row after row (bucket_queue.h); and
// the freeing of nodes: a node registers with the last bucket, in order, that its bound touches, or what it became.
// When that bucket and all before it are done, nobody needs the node any more: its grid, or its children, go, back to
// the thread that made them, since memory that changes threads is dear. No counts, no races.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "reyes/render/block_pool.h"
#include "reyes/render/bucket_queue.h"
#include "reyes/render/node.h"

namespace reyes::render {

class Buckets {
 public:
  /// Covers `region` (pixels) with buckets of the given size.
  Buckets(const PixelRect& region, int width, int height, int threads);

  int count() const { return columns_ * rows_; }
  int columns() const { return columns_; }
  int rows() const { return rows_; }
  const PixelRect& region() const { return region_; }
  /// Pixels of the bucket at place `order`.
  PixelRect rect(int order) const;
  /// Place in the order of the bucket in column i and row j of the lattice (from the region's first).
  int orderAt(int i, int j) const { return queue_->orderAt(i, j); }

  /// Columns [i0, i1] and rows [j0, j1] of the buckets that touch `pixels`; false where none does.
  bool touched(const PixelRect& pixels, int& i0, int& i1, int& j0, int& j1) const;
  /// The last bucket in order that touches `pixels`, or -1.
  int lastTouched(const PixelRect& pixels) const;

  /// The next bucket for a thread; false at the end.
  bool take(int thread, int& order) { return queue_->take(thread, order); }

  /// An opened node, before anyone else can see what it became: given up when the last bucket that touches `pixels` is
  /// done, and `bucket`, which opened it (-1: none). Parents register before their children.
  void keepUntilDone(Node& node, const PixelRect& pixels, int bucket);
  /// What went with a bucket: bytes of grids, and nodes that no bucket saw.
  struct Freed {
    int64_t bytes = 0, neverOpened = 0;
    std::vector<std::unique_ptr<Expansion>> expansions;  ///< of procedurals, to be reported and dropped
  };
  /// Marks a bucket as done and gives up what nobody needs any more, unless another thread is at that and will do it.
  Freed done(int order);
  /// Frees what nodes that thread `thread` opened gave up, in whichever thread; blocks of grids go to `pool`. To be
  /// called by that thread, after done().
  void freeOwn(int thread, BlockPool& pool);
  int doneCount() const { return doneCount_.load(std::memory_order_relaxed); }

 private:
  /// What a node held.
  struct Remains {
    std::unique_ptr<Node[]> children;
    std::unique_ptr<Grid> grid;
    std::unique_ptr<GridWork> work;
  };
  /// Of one thread, on cache lines of their own.
  struct alignas(128) Returned {
    std::mutex mutex;
    std::vector<Remains> remains;  ///< under mutex
  };

  /// Takes a node's grid or children away, for the thread that made them.
  void giveUp(Node& node, Freed& freed);

  PixelRect region_;
  int width_, height_, column0_, row0_, columns_, rows_;
  std::unique_ptr<BucketQueue> queue_;
  std::atomic<int> doneCount_{0};
  std::unique_ptr<std::atomic<Node*>[]> expiring_;
  std::unique_ptr<std::atomic<bool>[]> finished_;
  std::atomic<int> waiting_{0};                 ///< buckets that have finished since the last look
  int watermark_ = 0;                           ///< all buckets before it are done; of the thread that gives up
  std::vector<std::vector<Remains>> gathered_;  ///< a thread, on their way to `returned_`; of the thread that gives up
  std::unique_ptr<Returned[]> returned_;        ///< a thread
};

}  // namespace reyes::render
