// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/root_tree.h"

#include <algorithm>

namespace reyes::render {
namespace {
constexpr int kSmallest = 16;  ///< pixels of the smallest cells
}

RootTree::RootTree(const PixelRect& region, std::vector<Node*> roots) : region_(region) {
  // 1. Levels from small cells to one that holds everything.
  const int extent = std::max({1, region.width(), region.height()});
  for (int size = kSmallest;; size *= 2) {
    Level l;
    l.size = size;
    l.columns = region.width() / size + 1, l.rows = region.height() / size + 1;
    levels_.push_back(std::move(l));
    if (size >= extent) break;
  }
  // 2. The cell of each root: by the part of it inside the region.
  struct Placed {
    size_t level;
    uint32_t cell;
    Node* root;
  };
  std::vector<Placed> placed;
  for (Node* n : roots) {
    const PixelRect p = intersect(n->pixels, region);
    if (p.empty()) continue;
    size_t level = 0;
    while (level + 1 < levels_.size() && levels_[level].size < std::max(p.width(), p.height())) ++level;
    const Level& l = levels_[level];
    const int i = ((p.x0 + p.x1) / 2 - region.x0) / l.size, j = ((p.y0 + p.y1) / 2 - region.y0) / l.size;
    placed.push_back({level, static_cast<uint32_t>(j * l.columns + i), n});
  }
  // 3. Sorted into the cells.
  for (Level& l : levels_) l.start.assign(static_cast<size_t>(l.columns) * l.rows + 1, 0);
  for (const Placed& p : placed) ++levels_[p.level].start[p.cell + 1];
  for (Level& l : levels_) {
    for (size_t i = 1; i < l.start.size(); ++i) l.start[i] += l.start[i - 1];
    l.roots.resize(l.start.back());
  }
  std::vector<std::vector<uint32_t>> next;
  for (const Level& l : levels_) next.push_back(l.start);
  for (const Placed& p : placed) levels_[p.level].roots[next[p.level][p.cell]++] = {p.root->pixels, p.root};
}

void RootTree::visit(const PixelRect& rect, const std::function<void(Node*)>& found) const {
  for (const Level& l : levels_) {
    if (l.roots.empty()) continue;
    // A root reaches at most half a cell beyond its own.
    const int reach = l.size / 2 + 1;
    const int i0 = std::max(0, (rect.x0 - reach - region_.x0) / l.size);
    const int j0 = std::max(0, (rect.y0 - reach - region_.y0) / l.size);
    const int i1 = std::min(l.columns - 1, (rect.x1 + reach - region_.x0) / l.size);
    const int j1 = std::min(l.rows - 1, (rect.y1 + reach - region_.y0) / l.size);
    for (int j = j0; j <= j1; ++j)
      for (int i = i0; i <= i1; ++i) {
        const size_t cell = static_cast<size_t>(j) * l.columns + i;
        for (uint32_t k = l.start[cell]; k < l.start[cell + 1]; ++k)
          if (touches(l.roots[k].pixels, rect)) found(l.roots[k].root);
      }
  }
}

}  // namespace reyes::render
