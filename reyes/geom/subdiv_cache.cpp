// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/subdiv_cache.h"

#include "reyes/base/hash.h"
#include "reyes/geom/subdiv_refinery.h"

namespace reyes::geom {
namespace {
uint64_t hashOf(const std::vector<int>& key) {
  return hashBytes({reinterpret_cast<const char*>(key.data()), key.size() * sizeof(int)});
}
}  // namespace

SubdivCache::Entry SubdivCache::find(const std::vector<int>& key) {
  const uint64_t hash = hashOf(key);
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    if (at->first != hash || at->second.key != key) continue;
    entries_.splice(entries_.begin(), entries_, at);
    return at->second;
  }
  return {};
}

void SubdivCache::keep(Entry entry) {
  if (entry.key.size() > kMostKeyInts / 4) return;
  const uint64_t hash = hashOf(entry.key);
  const std::lock_guard lock(mutex_);
  keyInts_ += entry.key.size();
  entries_.emplace_front(hash, std::move(entry));
  while (keyInts_ > kMostKeyInts) {
    keyInts_ -= entries_.back().second.key.size();
    entries_.pop_back();
  }
}

}  // namespace reyes::geom
