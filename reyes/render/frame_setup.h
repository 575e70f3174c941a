// SPDX-License-Identifier: Apache-2.0
// Before the buckets: every primitive's frame data and root node, in parallel; after them: what is to be said once.
// Called by render_frame.cpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "reyes/render/render_frame.h"
#include "reyes/render/slots.h"
#include "reyes/render/worker.h"

namespace reyes::render {

/// A primitive with its frame data and root of its own.
struct OwnRoot {
  PrimitiveFrame frame;
  Node root;
};

/// All primitives of a frame: those with a root of their own, in the order of the world, and crowds (crowd.h).
struct FramePrimitives {
  std::vector<std::unique_ptr<OwnRoot>> own;
  std::unique_ptr<Node[]> crowds;
  int crowdCount = 0;
};

hider::SamplingSpec samplingOf(const scene::View& view, const Projector& projector, const OutputPlan& outputs, Isa isa);

/// Fills the frame data of one primitive and makes its root node; failed where there is nothing to see.
void preparePrimitive(Worker& worker, AttributeFacts& facts, const scene::Primitive& p, PrimitiveFrame& frame,
                      Node& root);
/// Adds a prepared primitive to the report's counts.
void countPrimitive(Stats& stats, const Node& root);
FramePrimitives preparePrimitives(FrameShared& shared, std::vector<Worker>& workers, Parallel& parallel);

/// Displacement bounds that were passed or found, parts lost at the eye plane, points that are no numbers.
void reportPrimitives(std::span<const PrimitiveFrame* const> primitives, Diagnostics& diag, Stats& stats);

/// A Warning for each output variable of a display that no shader and no primitive variable of the world can fill.
void reportUnwritten(const scene::World& world, const scene::View& view, Diagnostics& diag);

}  // namespace reyes::render
