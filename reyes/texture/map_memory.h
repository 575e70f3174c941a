// SPDX-License-Identifier: Apache-2.0
// What bounds the memory of shadow maps: their depths come in pages, which are read when they are asked for; beyond the
// limit those go that nobody has asked for longest. Called by z_map.h and shadow_map.cpp; thread-safe.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace reyes::texture {

class MapMemory {
 public:
  /// A piece of a map, read again after it went. Stays where it is while it is known to the pool.
  struct Page {
    std::mutex mutex;
    std::shared_ptr<const void> data;  ///< null: not in memory
    size_t bytes = 0;
    bool known = false, read = false;
    std::atomic<bool> asked{false};
  };

  /// 0: no limit.
  explicit MapMemory(int64_t limit) : limit_(limit) {}
  MapMemory(const MapMemory&) = delete;
  MapMemory& operator=(const MapMemory&) = delete;

  /// The page's data, alive as long as the pointer; `load` gives it (null where it cannot) and its bytes.
  template <class T, class Load>
  std::shared_ptr<const T> get(Page& page, Load&& load) {
    const std::lock_guard lock(page.mutex);
    page.asked.store(true, std::memory_order_relaxed);
    if (page.data) return std::static_pointer_cast<const T>(page.data);
    size_t bytes = 0;
    std::shared_ptr<const T> data = load(bytes);
    if (data) admit(page, data, bytes);
    return data;
  }
  /// Before a page goes.
  void forget(Page& page);
  /// What a map holds besides its pages.
  void addFixed(int64_t bytes);
  /// The limit from now on.
  void setLimit(int64_t limit);

  struct Stats {
    int64_t held = 0, most = 0;   ///< bytes
    int64_t read = 0, again = 0;  ///< pages; of them, read after they had gone
  };
  Stats stats() const;

 private:
  void admit(Page& page, std::shared_ptr<const void> data, size_t bytes);
  void evict(const Page* keep);

  mutable std::mutex mutex_;
  int64_t limit_;
  std::vector<Page*> pages_;
  size_t hand_ = 0;
  Stats stats_;
};

}  // namespace reyes::texture
