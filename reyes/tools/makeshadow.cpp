// SPDX-License-Identifier: Apache-2.0
// `reyes makeshadow`: a shadow map from a depth picture, the same code as the RIB request MakeShadow.
#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "reyes/texture/shadow_map.h"
#include "reyes/texture/texture_system.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"

namespace reyes::tools {
namespace {

constexpr const char* kUsage =
    "usage: reyes makeshadow PICTURE SHADOWMAP\n"
    "       reyes makeshadow PX NX PY NY PZ NZ SHADOWMAP\n"
    "\n"
    "Makes the map that shadow() reads from a depth picture: an EXR with a channel Z whose header holds worldToCamera\n"
    "and worldToNDC, as Display types zfile and shadow write it, or a deep one, as deepshad does. Six pictures of the\n"
    "same size around a point, along +x -x +y -y +z -z of the world, make the map of a lamp that shines all around.\n"
    "\n"
    "examples:\n"
    "  reyes makeshadow spot.z spot.shd\n"
    "  reyes makeshadow px.z nx.z py.z ny.z pz.z nz.z lamp.shd\n";

}  // namespace

int runMakeShadow(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag != "--help" && flag != "-h") continue;
    std::fputs(kUsage, stdout);
    return kExitOk;
  }
  if (argc != 3 && argc != 8) {
    std::fputs(kUsage, stderr);
    return kExitUsage;
  }
  const std::string map = argv[argc - 1];
  std::string error;
  if (argc == 3) {
    error = texture::makeShadow(argv[1], map);
  } else {
    std::array<std::string, 6> faces;
    for (size_t f = 0; f < 6; ++f) faces[f] = argv[f + 1];
    error = texture::makeCubeShadow(faces, map);
  }
  if (!error.empty()) {
    std::fprintf(stderr, "Error: %s\n", error.c_str());
    const auto blamed = [&](const char* picture) { return error.starts_with(std::string(picture) + ":"); };
    return std::any_of(argv + 1, argv + argc - 1, blamed) ? kExitInput : kExitEnvironment;
  }
  std::printf("wrote %s\n", map.c_str());
  return kExitOk;
}

}  // namespace reyes::tools
