// SPDX-License-Identifier: Apache-2.0
// Where a bucket finds the roots that touch it: a loose quadtree over the raster. Each root lies in one cell, of a
// level whose cells are at least as large as the root, so a bucket looks at its own cells and their neighbours. Built
// once.
#pragma once

#include <functional>
#include <vector>

#include "reyes/render/node.h"

namespace reyes::render {

class RootTree {
 public:
  RootTree(const PixelRect& region, std::vector<Node*> roots);
  /// Calls found(root) for each root that touches `rect`, once each.
  void visit(const PixelRect& rect, const std::function<void(Node*)>& found) const;

 private:
  struct Entry {
    PixelRect pixels;  ///< at hand, as most roots that are asked are elsewhere
    Node* root = nullptr;
  };
  struct Level {
    int size = 0;  ///< pixels a cell
    int columns = 0, rows = 0;
    std::vector<uint32_t> start;  ///< first root of a cell in `roots`; one more at the end
    std::vector<Entry> roots;
  };
  PixelRect region_;
  std::vector<Level> levels_;
};

inline bool touches(const PixelRect& a, const PixelRect& b) {
  return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

}  // namespace reyes::render
