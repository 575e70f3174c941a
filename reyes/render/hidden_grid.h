// SPDX-License-Identifier: Apache-2.0
// Whether anything of a grid could be seen in a bucket, asked before it is shaded.
#pragma once

#include "reyes/render/node.h"

namespace reyes::render {

/// True where what the bucket has already hides the grid: its box, or all of the small boxes around parts of it, which
/// leave out the corners of the large one.
bool isHidden(const hider::BucketHider& hider, const Node& node);

}  // namespace reyes::render
