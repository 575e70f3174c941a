// SPDX-License-Identifier: Apache-2.0
// What checkpoints need to know of a run: by which words a frame is known again, and which frames of a job of several
// are whole. Called by the frame runner and the session; without checkpoints it does nothing.
#pragma once

#include "reyes/session/run.h"

namespace reyes::session {

/// Files that are read meanwhile are read because buckets asked for them.
class Rendering {
 public:
  explicit Rendering(Run& run) : run_(run) { run_.rendering = true; }
  ~Rendering() { run_.rendering = false; }
  Rendering(const Rendering&) = delete;
  Rendering& operator=(const Rendering&) = delete;

 private:
  Run& run_;
};

/// Adds the run's wish for checkpoints to the options of a picture's frame.
void wantCheckpoint(Run& run, const scene::World& world, const scene::View& view, render::RenderOptions& options);

/// After the last frame: a run that was stopped leaves word of the frames that it has written; one that came to its end
/// removes what the run before it left.
void finishCheckpoints(Run& run);

}  // namespace reyes::session
