// SPDX-License-Identifier: Apache-2.0
// Shadow maps that a light asks for: made before the pictures of the same world, as more views of it. Called by the
// scene builder (what is asked for) and the frame runner (making).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "reyes/base/isa.h"
#include "reyes/scene/view.h"

namespace reyes::session {

/// What a light asks for.
struct AutoShadow {
  int light = 0;                  ///< place in World::lights
  std::string file;               ///< the map, as its shader names it; empty: the renderer looks it up by itself
  int resolution = 0;             ///< pixels along a side; 0: 512, or 256 for each sample of an area light
  bool deep = false;              ///< opacities by depth and colour instead of depths
  std::vector<uint64_t> surface;  ///< primitives (paths) that are the light: they do not stand in its way
};

/// Renders a depth view of a world into files.
using RenderView = std::function<void(const scene::World& world, const scene::View& view)>;

/// What a map is made with.
struct AutoShadowJob {
  scene::View camera;  ///< of the pictures: what it sees needs shadows; shutter, buckets
  RenderView render;
  std::function<void(const std::string& file, int resolution)> made;
  std::filesystem::path folder;  ///< for maps without a name of their own
};

/// Makes the maps and tells the lights of `world` their names (Light::ownMap, sampleMaps).
void makeAutoShadows(std::vector<AutoShadow>& wanted, scene::World& world, const AutoShadowJob& job, Isa isa,
                     Diagnostics& diag);

/// The box around all that is there between two times, world space.
Bound3 sceneBound(const scene::World& world, float open, float close);

/// False for primitives that a scene says cast no shadow.
bool castsShadow(const scene::Attributes& attributes);

}  // namespace reyes::session
