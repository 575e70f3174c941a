// SPDX-License-Identifier: Apache-2.0
// The conductor: renders one View of one World to its displays. The file render_frame.cpp reads like the 1987 paper.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/isa.h"
#include "reyes/base/parallel.h"
#include "reyes/base/stats.h"
#include "reyes/scene/view.h"
#include "reyes/scene/world.h"

namespace reyes::vm {
class Profile;
}
namespace reyes::texture {
class TextureSystem;
}

namespace reyes::render {

/// Finished pixels kept in a file beside the picture, from which a later run of the same frame goes on.
struct CheckpointOptions {
  double seconds = 0;           ///< between two; 0: none are written
  bool recover = false;         ///< go on from the one that is there
  std::string words;            ///< a line each: what decides about the picture besides the view
  std::function<bool()> asked;  ///< true: one is wanted now. Called ten times a second, from a thread of its own
};

struct RenderOptions {
  Parallel* parallel = nullptr;
  Isa isa = Isa::kSse4;
  texture::TextureSystem* textures = nullptr;
  Diagnostics* diag = nullptr;
  vm::Profile* profile = nullptr;            ///< times every instruction of shaders
  float rateScale = 1;                       ///< multiplies ShadingRate
  int64_t memoryLimitBytes = 0;              ///< 0: none
  std::function<void(float done)> progress;  ///< 0..1, called from any thread, one call at a time
  std::function<bool()> stop;                ///< true: give up at the next bucket
  std::string sceneFile, sceneHash;          ///< for headers
  CheckpointOptions checkpoint;
};

struct RenderResult {
  std::vector<std::string> files;  ///< written, in order of displays
  Stats stats;
  double seconds = 0;
  int64_t peakGridBytes = 0;
  bool stopped = false;
  std::string checkpoint, checkpointWords;  ///< its file and what it says of the frame, where one was asked for
  bool whole = false, wasWhole = false;     ///< all files are written; by an earlier run, as the checkpoint said
};

/// Removes a checkpoint of this frame; one of another frame stays.
void removeCheckpoint(const std::string& path, const std::string& words);
/// Leaves one that says that the frame's files are written, and with which messages: for jobs of several frames. Error
/// text or "".
std::string markWhole(const std::string& path, const std::string& words, std::span<const Diagnostic> messages);

/// Blocks until every display is finished. Faults go to options.diag.
RenderResult renderFrame(const scene::World& world, const scene::View& view, const RenderOptions& options);

}  // namespace reyes::render
