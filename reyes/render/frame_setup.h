// SPDX-License-Identifier: Apache-2.0
// Before the buckets: every primitive's frame data and root node, in parallel; after them: what is to be said once.
// Called by render_frame.cpp.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "reyes/render/render_frame.h"
#include "reyes/render/slots.h"
#include "reyes/render/worker.h"

namespace reyes::render {

/// All primitives of a frame, by their place in the world.
struct FramePrimitives {
  int count = 0;
  Slots<PrimitiveFrame> frames;
  Slots<Node> roots;
};

hider::SamplingSpec samplingOf(const scene::View& view, const Projector& projector, const OutputPlan& outputs, Isa isa);

/// One worker's answers about attributes, which many primitives share.
class AttributeFacts {
 public:
  /// `expanded`: of what a procedural made.
  AttributeFacts(const GridShader& shader, const OutputPlan& outputs, bool expanded)
      : shader_(shader), outputs_(outputs), expanded_(expanded) {}
  struct Facts {
    bool displaces = false;
    std::vector<Name> primvars;
    uint32_t tag = 0;  ///< for id mattes
  };
  const Facts& of(const scene::Attributes& a);

 private:
  const GridShader& shader_;
  const OutputPlan& outputs_;
  bool expanded_;
  std::map<const scene::Attributes*, Facts> known_;
};

/// Fills the frame data of one primitive and makes its root node; failed where there is nothing to see.
void preparePrimitive(Worker& worker, AttributeFacts& facts, const scene::Primitive& p, float rateScale,
                      PrimitiveFrame& frame, Node& root);
FramePrimitives preparePrimitives(FrameShared& shared, std::vector<Worker>& workers, Parallel& parallel);

/// Displacement bounds that were passed or found, parts lost at the eye plane, points that are no numbers.
void reportPrimitives(std::span<const PrimitiveFrame> primitives, Diagnostics& diag, Stats& stats);

/// A Warning for each output variable of a display that no shader and no primitive variable of the world can fill.
void reportUnwritten(const scene::World& world, const scene::View& view, Diagnostics& diag);

}  // namespace reyes::render
