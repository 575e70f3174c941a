// SPDX-License-Identifier: Apache-2.0
// Before the buckets: every primitive's frame data and root node, in parallel; after them: what is to be said once.
// Called by render_frame.cpp.
#pragma once

#include <memory>

#include "reyes/render/render_frame.h"
#include "reyes/render/worker.h"

namespace reyes::render {

/// All primitives of a frame, by their place in the world.
struct FramePrimitives {
  int count = 0;
  std::unique_ptr<PrimitiveFrame[]> frames;
  std::unique_ptr<Node[]> roots;
};

hider::SamplingSpec samplingOf(const scene::View& view, const Projector& projector, const OutputPlan& outputs, Isa isa);

FramePrimitives preparePrimitives(FrameShared& shared, std::vector<Worker>& workers, Parallel& parallel,
                                  float rateScale);

/// Displacement bounds that were passed or found, parts lost at the eye plane, points that are no numbers.
void reportPrimitives(const FramePrimitives& primitives, Diagnostics& diag, Stats& stats);

/// A Warning for each output variable of a display that no shader and no primitive variable of the world can fill.
void reportUnwritten(const scene::World& world, const scene::View& view, Diagnostics& diag);

}  // namespace reyes::render
