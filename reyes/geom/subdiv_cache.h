// SPDX-License-Identifier: Apache-2.0
// Topologies of subdivision meshes seen lately, by content: meshes that differ in their points alone share patches, and
// are not refined anew. One a session, in Context; used by buildSubdiv(). Threads may use it at once.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <vector>

namespace reyes::geom {

struct SubdivTopology;
struct SubdivRefinery;

class SubdivCache {
 public:
  struct Entry {
    std::vector<int> key;  ///< all that topology and refinement depend on
    std::shared_ptr<const SubdivTopology> topology;
    std::shared_ptr<const SubdivRefinery> refinery;
  };
  /// The entry of that key; empty if there is none.
  Entry find(const std::vector<int>& key);
  /// Keeps an entry; the ones not used for longest go when all together are too large.
  void keep(Entry entry);

 private:
  static constexpr size_t kMostKeyInts = size_t{1} << 20;
  std::mutex mutex_;
  std::list<std::pair<uint64_t, Entry>> entries_;  ///< the last one used first, with its key's hash
  size_t keyInts_ = 0;
};

}  // namespace reyes::geom
