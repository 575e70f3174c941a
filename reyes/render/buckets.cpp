// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/buckets.h"

#include <algorithm>
#include <iterator>

#include "reyes/render/expand.h"

namespace reyes::render {
namespace {

int floorDiv(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

}  // namespace

Buckets::Buckets(const PixelRect& region, int width, int height, int threads)
    : region_(region), width_(std::max(1, width)), height_(std::max(1, height)) {
  // Pictures do not depend on the size of buckets; their number is kept to what memory and an int hold.
  constexpr int64_t kMost = 1 << 22;
  const auto along = [](int pixels, int size) { return static_cast<int64_t>(pixels) / size + 2; };
  while (along(region.width(), width_) * along(region.height(), height_) > kMost) width_ *= 2, height_ *= 2;
  column0_ = floorDiv(region.x0, width_), row0_ = floorDiv(region.y0, height_);
  columns_ = region.empty() ? 0 : floorDiv(region.x1 - 1, width_) - column0_ + 1;
  rows_ = region.empty() ? 0 : floorDiv(region.y1 - 1, height_) - row0_ + 1;
  expiring_ = std::make_unique<std::atomic<Node*>[]>(static_cast<size_t>(count()));
  finished_ = std::make_unique<std::atomic<bool>[]>(static_cast<size_t>(count()));
  queue_ = std::make_unique<BucketQueue>(columns_, rows_, threads);
  gathered_.resize(static_cast<size_t>(std::max(1, threads)));
  returned_ = std::make_unique<Returned[]>(gathered_.size());
}

PixelRect Buckets::rect(int order) const {
  const int x = (column0_ + queue_->columnOf(order)) * width_, y = (row0_ + queue_->rowOf(order)) * height_;
  return intersect({x, y, x + width_, y + height_}, region_);
}

bool Buckets::touched(const PixelRect& pixels, int& i0, int& i1, int& j0, int& j1) const {
  const PixelRect p = intersect(pixels, region_);
  if (p.empty()) return false;
  i0 = floorDiv(p.x0, width_) - column0_, i1 = floorDiv(p.x1 - 1, width_) - column0_;
  j0 = floorDiv(p.y0, height_) - row0_, j1 = floorDiv(p.y1 - 1, height_) - row0_;
  return true;
}

int Buckets::lastTouched(const PixelRect& pixels) const {
  int i0, i1, j0, j1;
  if (!touched(pixels, i0, i1, j0, j1)) return -1;
  return queue_->lastOf(i0, i1, j1);
}

void Buckets::keepUntilDone(Node& node, const PixelRect& pixels, int bucket) {
  const int order = std::max(lastTouched(pixels), bucket);
  if (order < 0) return;
  std::atomic<Node*>& head = expiring_[static_cast<size_t>(order)];
  node.nextExpiring = head.load(std::memory_order_relaxed);
  while (!head.compare_exchange_weak(node.nextExpiring, &node, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

Buckets::Freed Buckets::done(int order) {
  Freed freed;
  doneCount_.fetch_add(1, std::memory_order_relaxed);
  finished_[static_cast<size_t>(order)].store(true);
  // One thread at a time moves the watermark; others leave their buckets to that one.
  if (waiting_.fetch_add(1) > 0) return freed;
  for (int seen = 1; seen > 0; seen = waiting_.fetch_sub(seen) - seen) {
    seen = waiting_.load();
    for (; watermark_ < count() && finished_[static_cast<size_t>(watermark_)].load(); ++watermark_) {
      // Lists are in reverse order of registration: children come before their parents, which hold them. A parent may
      // expire later than its children, never earlier, so lists are emptied in order.
      Node* n = expiring_[static_cast<size_t>(watermark_)].exchange(nullptr, std::memory_order_acquire);
      while (n) {
        Node* next = n->nextExpiring;
        giveUp(*n, freed);
        n = next;
      }
    }
    for (size_t t = 0; t < gathered_.size(); ++t) {
      if (gathered_[t].empty()) continue;
      const std::lock_guard lock(returned_[t].mutex);
      std::vector<Remains>& to = returned_[t].remains;
      to.insert(to.end(), std::move_iterator(gathered_[t].begin()), std::move_iterator(gathered_[t].end()));
      gathered_[t].clear();
    }
  }
  return freed;
}

void Buckets::giveUp(Node& node, Freed& freed) {
  if (node.grid) freed.bytes += node.grid->bytes;
  for (int i = 0; i < node.childCount; ++i) {
    const Node& c = node.children[static_cast<size_t>(i)];
    if (c.state.load(std::memory_order_relaxed) == NodeState::kFresh && lastTouched(c.pixels) >= 0) ++freed.neverOpened;
  }
  if (node.expansion) freed.expansions.push_back(std::move(node.expansion));
  node.childCount = 0;
  gathered_[node.opener].push_back({std::move(node.children), std::move(node.grid), std::move(node.work)});
}

void Buckets::freeOwn(int thread, BlockPool& pool) {
  std::vector<Remains> mine;
  {
    Returned& r = returned_[static_cast<size_t>(thread)];
    const std::lock_guard lock(r.mutex);
    mine.swap(r.remains);
  }
  for (Remains& r : mine) {
    if (!r.grid) continue;
    Grid& g = *r.grid;
    if (g.positionFloats > 0) pool.give(std::move(g.positions), g.positionFloats);
    if (g.colourFloats > 0) pool.give(std::move(g.colours), g.colourFloats);
    if (g.parked) pool.give(std::move(g.parked->data), g.parked->floats);
  }
}

}  // namespace reyes::render
