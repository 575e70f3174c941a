// SPDX-License-Identifier: Apache-2.0
// `reyes maketx`: textures and environments from pictures, the same code as the RIB requests MakeTexture,
// MakeLatLongEnvironment and MakeCubeFaceEnvironment.
#include <algorithm>
#include <array>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/base/parallel.h"
#include "reyes/texture/make_maps.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"

namespace reyes::tools {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage =
    "usage: reyes maketx [flags] PICTURE [TEXTURE]\n"
    "       reyes maketx --latlong [flags] PICTURE [ENVIRONMENT]\n"
    "       reyes maketx --cube [flags] PX NX PY NY PZ NZ ENVIRONMENT\n"
    "\n"
    "Makes a tiled, mip-mapped texture that texture() and environment() read fastest. Without a second name the\n"
    "picture's own is used with .tx at its end. Numbers are kept as stored unless a colour space is given.\n\n";

constexpr const char* kExamples =
    "\nexamples:\n"
    "  reyes maketx wood.tif\n"
    "  reyes maketx --wrap periodic tiles.png tiles.tx\n"
    "  reyes maketx --colorspace sRGB photo.jpg photo.tx\n"
    "  reyes maketx --latlong sky.exr sky.env\n"
    "  reyes maketx --cube px.tif nx.tif py.tif ny.tif pz.tif nz.tif room.env\n";

int fail(const std::string& text, int status) {
  std::fprintf(stderr, "Error: %s\n", text.c_str());
  return status;
}

/// Whether `error` is about what was read rather than about writing.
int statusFor(const std::vector<std::string>& inputs, const std::string& error) {
  for (const char* usage : {"no wrap mode", "do not meet", "no colour space", "Could not make filter"})
    if (error.find(usage) != std::string::npos) return kExitUsage;
  for (const std::string& in : inputs)
    if (error.starts_with(in + ":")) return kExitInput;
  return kExitEnvironment;
}

texture::MapOptions optionsFrom(const po::variables_map& flags) {
  texture::MapOptions o;
  if (flags.count("wrap")) o.sWrap = o.tWrap = flags["wrap"].as<std::string>();
  if (flags.count("swrap")) o.sWrap = flags["swrap"].as<std::string>();
  if (flags.count("twrap")) o.tWrap = flags["twrap"].as<std::string>();
  o.filter = flags["filter"].as<std::string>();
  if (flags.count("colorspace")) o.fromColorSpace = flags["colorspace"].as<std::string>();
  o.threads = std::max(1, flags["threads"].as<int>());
  return o;
}

int make(const po::variables_map& flags, std::vector<std::string> files) {
  const texture::MapOptions options = optionsFrom(flags);
  const bool cube = flags.count("cube") > 0;
  const size_t inputs = cube ? 6 : 1;
  if (!cube && files.size() == 1) files.push_back(std::filesystem::path(files[0]).replace_extension(".tx").string());
  if (files.size() != inputs + 1)
    return fail(cube ? "--cube takes six faces and a name to write" : "one picture and one name to write", kExitUsage);
  const std::string output = files.back();
  files.pop_back();
  std::string error;
  if (cube) {
    std::array<std::string, 6> faces;
    std::copy(files.begin(), files.end(), faces.begin());
    error = texture::makeCubeFace(faces, output, flags["fov"].as<float>(), options);
  } else if (flags.count("latlong")) {
    error = texture::makeLatLong(files[0], output, options);
  } else {
    error = texture::makeTexture(files[0], output, options);
  }
  if (!error.empty()) return fail(error, statusFor(files, error));
  std::printf("wrote %s\n", output.c_str());
  return kExitOk;
}

}  // namespace

int runMakeTx(int argc, char** argv) {
  po::options_description visible("flags");
  visible.add_options()("help,h", "this text")("wrap", po::value<std::string>(), "black, periodic, clamp or mirror")(
      "swrap", po::value<std::string>(), "as --wrap, along s alone")(
      "twrap", po::value<std::string>(), "along t alone")("filter", po::value<std::string>()->default_value("box"),
                                                          "filter for smaller levels: box gaussian lanczos3 ...")(
      "colorspace", po::value<std::string>(), "convert from this colour space to linear, e.g. sRGB")(
      "latlong", "PICTURE is a latitude-longitude environment, +z on top")("cube", "six faces become an environment")(
      "fov", po::value<float>()->default_value(90), "width of a cube face in degrees")(
      "threads,t", po::value<int>()->default_value(availableThreads()), "threads");
  po::options_description all;
  all.add(visible).add_options()("file", po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add("file", -1);
  try {
    po::variables_map flags;
    po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), flags);
    po::notify(flags);
    const bool none = !flags.count("file");
    if (flags.count("help") || none) {
      std::fprintf(none && !flags.count("help") ? stderr : stdout, "%s%s%s", kUsage,
                   (std::ostringstream() << visible).str().c_str(), kExamples);
      return flags.count("help") ? kExitOk : kExitUsage;
    }
    return make(flags, flags["file"].as<std::vector<std::string>>());
  } catch (const std::exception& e) {
    return fail(format("{} (try reyes maketx --help)", e.what()), kExitUsage);
  }
}

}  // namespace reyes::tools
