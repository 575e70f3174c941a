// SPDX-License-Identifier: Apache-2.0
// Grids of one bucket that are known to be opaque: sampled as they come, whatever is in front of them, and shaded where
// they are seen. Boxes of neighbouring layers overlap in depth, so no order of grids, however careful, has what hides
// always before what is hidden. See docs/decisions/0032-opaque-grids-are-shaded-late.md. Used by the bucket loop.
#pragma once

#include <cstddef>
#include <vector>

namespace reyes::render {

struct Node;
struct Worker;

class Unshaded {
 public:
  /// Samples a displaced grid. If a sample sees it, it is shaded: at once, or, where something may still come before it
  /// (`mayWait`), later. If none does, and no other bucket may, it goes.
  void add(Worker& worker, Node& node, bool mayWait);
  /// Shades those that a sample sees, before the bucket is resolved, and lets go of the others.
  void shadeSeen(Worker& worker);
  /// Forgets what a frame that was stopped left.
  void clear();

 private:
  struct Waiting {
    Node* node;
    int place;   ///< in the hider
    int points;  ///< of its shading
    bool shaded = false;
  };
  void shade(Worker& worker, Waiting& grid);
  void makeRoom(Worker& worker);

  std::vector<Waiting> grids_;
  size_t held_ = 0;  ///< the first that may still have Node::work
  int points_ = 0;   ///< of those from there on
};

}  // namespace reyes::render
