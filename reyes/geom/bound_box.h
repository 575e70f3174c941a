// SPDX-License-Identifier: Apache-2.0
// A shape that is nothing but its bound: what stands in the tree for a procedural until it is made. Never diced.
// Called by session/.
#pragma once

#include "reyes/geom/factory.h"

namespace reyes::geom {

GeometryPtr makeBoundBox(const Bound3& box);

}  // namespace reyes::geom
