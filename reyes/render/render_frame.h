// SPDX-License-Identifier: Apache-2.0
// The conductor: renders one View of one World to its displays. The file render_frame.cpp reads like the 1987 paper.
#pragma once

#include <functional>
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
};

struct RenderResult {
  std::vector<std::string> files;  ///< written, in order of displays
  Stats stats;
  double seconds = 0;
  int64_t peakGridBytes = 0;
  bool stopped = false;
};

/// Blocks until every display is finished. Faults go to options.diag.
RenderResult renderFrame(const scene::World& world, const scene::View& view, const RenderOptions& options);

}  // namespace reyes::render
