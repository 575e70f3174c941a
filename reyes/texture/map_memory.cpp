// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/map_memory.h"

#include <algorithm>

namespace reyes::texture {

/// The page's own lock is held.
void MapMemory::admit(Page& page, std::shared_ptr<const void> data, size_t bytes) {
  page.data = std::move(data), page.bytes = bytes;
  const std::lock_guard lock(mutex_);
  ++stats_.read, stats_.again += page.read;
  page.read = true;
  if (!page.known) pages_.push_back(&page);
  page.known = true;
  stats_.held += static_cast<int64_t>(bytes);
  evict(&page);
  stats_.most = std::max(stats_.most, stats_.held);
}

/// A hand goes round: pages that were asked for since it last came by stay once more.
void MapMemory::evict(const Page* keep) {
  if (limit_ <= 0) return;
  for (size_t tries = 2 * pages_.size(); stats_.held > limit_ && tries > 0; --tries) {
    hand_ = hand_ + 1 < pages_.size() ? hand_ + 1 : 0;
    Page& page = *pages_[hand_];
    if (&page == keep || page.asked.exchange(false, std::memory_order_relaxed)) continue;
    // Somebody who is at it right now wants it.
    const std::unique_lock mine(page.mutex, std::try_to_lock);
    if (!mine.owns_lock() || !page.data) continue;
    stats_.held -= static_cast<int64_t>(page.bytes);
    page.data.reset();
  }
}

void MapMemory::forget(Page& page) {
  const std::lock_guard own(page.mutex);
  const std::lock_guard lock(mutex_);
  if (page.data) stats_.held -= static_cast<int64_t>(page.bytes);
  page.data.reset();
  if (page.known) pages_.erase(std::find(pages_.begin(), pages_.end(), &page));
  page.known = false;
}

void MapMemory::addFixed(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  stats_.held += bytes;
  evict(nullptr);
  stats_.most = std::max(stats_.most, stats_.held);
}

void MapMemory::setLimit(int64_t limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
  evict(nullptr);
}

MapMemory::Stats MapMemory::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace reyes::texture
