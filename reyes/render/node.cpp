// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/node.h"

#include <cmath>

namespace reyes::render {

void Node::setBound(const ViewBound& b) {
  bound = b.box;
  straddles = b.straddles;
  if (bound.empty()) {
    pixels = PixelRect{};
    return;
  }
  pixels = {static_cast<int>(std::floor(bound.x0)), static_cast<int>(std::floor(bound.y0)),
            static_cast<int>(std::floor(bound.x1)) + 1, static_cast<int>(std::floor(bound.y1)) + 1};
}

}  // namespace reyes::render
