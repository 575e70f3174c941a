// SPDX-License-Identifier: Apache-2.0
// Trim curves of the graphics state, and the region of a NURBS that they leave. Used by makeNuPatch().
#pragma once

#include <memory>
#include <vector>

#include "reyes/base/outline.h"

namespace reyes::geom {

struct Context;

/// The arrays of a TrimCurve request: NURBS curves in (u, v, w), joined end to end into loops.
struct TrimCurves {
  std::vector<int> curves;  ///< a loop: how many
  std::vector<int> order, n;
  std::vector<float> knots, min, max, u, v, w;
};

/// The region of the rectangle umin, umax, vmin, vmax that the curves of `context` leave; null where they make none
/// (their faults are reported).
std::shared_ptr<const Outline> makeTrim(const Context& context, const float range[4]);

}  // namespace reyes::geom
