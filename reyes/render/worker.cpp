// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/worker.h"

namespace reyes::render {

std::unique_ptr<GridWork> GridWorkPool::take() {
  if (free_.empty()) return std::make_unique<GridWork>();
  std::unique_ptr<GridWork> w = std::move(free_.back());
  free_.pop_back();
  return w;
}

void GridWorkPool::give(std::unique_ptr<GridWork> work) {
  // More than a thread has in hand at a time are those that another one opened.
  constexpr size_t kMost = 16;
  if (work && free_.size() < kMost) free_.push_back(std::move(work));
}

}  // namespace reyes::render
