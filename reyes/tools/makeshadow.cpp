// SPDX-License-Identifier: Apache-2.0
// `reyes makeshadow`: a shadow map from a depth picture, the same code as the RIB request MakeShadow.
#include <cstdio>
#include <string>

#include "reyes/texture/texture_system.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"

namespace reyes::tools {
namespace {

constexpr const char* kUsage =
    "usage: reyes makeshadow PICTURE SHADOWMAP\n"
    "\n"
    "Makes the map that shadow() reads from a depth picture: an EXR with a channel Z whose header holds worldToCamera\n"
    "and worldToNDC, as Display types zfile and shadow write it.\n"
    "\n"
    "examples:\n"
    "  reyes makeshadow spot.z spot.shd\n";

}  // namespace

int runMakeShadow(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag != "--help" && flag != "-h") continue;
    std::fputs(kUsage, stdout);
    return kExitOk;
  }
  if (argc != 3) {
    std::fputs(kUsage, stderr);
    return kExitUsage;
  }
  const std::string picture = argv[1], map = argv[2];
  if (const std::string error = texture::makeShadow(picture, map); !error.empty()) {
    std::fprintf(stderr, "Error: %s\n", error.c_str());
    return error.starts_with(picture + ":") ? kExitInput : kExitEnvironment;
  }
  std::printf("wrote %s\n", map.c_str());
  return kExitOk;
}

}  // namespace reyes::tools
