// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/worker.h"

namespace reyes::render {

std::unique_ptr<GridWork> GridWorkPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<GridWork> w = std::move(free_.back());
      free_.pop_back();
      return w;
    }
  }
  return std::make_unique<GridWork>();
}

void GridWorkPool::give(std::unique_ptr<GridWork> work) {
  if (!work) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(work));
}

}  // namespace reyes::render
