// SPDX-License-Identifier: Apache-2.0
// Procedurals as parts of the world that are made when a bucket first sees their bound: the archive is read, or the
// program asked, into a builder that stands in the graphics state of the procedural's place. Called by the builder
// (builder_procedurals.cpp) and, through scene::Deferred, by render/ while a frame renders.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "reyes/session/builder.h"

namespace reyes::session {

/// Plays a procedural's requests into `run.gate`.
using Content = std::function<void(Run& run, const SourceLoc& loc)>;

/// `frozen` is the state around the procedural, shared by its neighbours; `state` that of its place.
std::shared_ptr<const scene::Deferred> makeDeferred(Run& run, std::shared_ptr<const FrozenState> frozen,
                                                    const AttributeState& state, uint64_t path, const SourceLoc& loc,
                                                    Content content);

}  // namespace reyes::session
