// SPDX-License-Identifier: Apache-2.0
// `reyes merge`: crop tiles of one frame become the file that one run would have written (image/join.h).
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/base/parallel.h"
#include "reyes/image/join.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"

namespace reyes::tools {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage =
    "usage: reyes merge -o OUT TILE...\n"
    "\n"
    "Joins tiles that were rendered with -crop or -region into the picture that one run would have written, bit for\n"
    "bit. Tiles of different scenes, cameras, versions or instruction sets are refused, and so are gaps and tiles "
    "that\n"
    "disagree where they overlap. Tiles may be deep: all of them, then.\n\n";

constexpr const char* kExamples =
    "\nexamples:\n"
    "  reyes render -crop 0 0.5 0 1 -o left.exr shot.rib\n"
    "  reyes render -crop 0.5 1 0 1 -o right.exr shot.rib\n"
    "  reyes merge -o shot.exr left.exr right.exr\n";

int fail(const std::string& text, int status) {
  std::fprintf(stderr, "Error: %s\n", text.c_str());
  return status;
}

int failTile(const std::string& error) { return fail(error, kExitInput); }

template <class Joiner, class Picture, class Read>
std::string joinAll(const std::vector<std::string>& tiles, Picture& whole, const Read& read) {
  Joiner joiner;
  for (const std::string& name : tiles) {
    Picture tile;
    if (std::string error = read(name, tile); !error.empty()) return error;
    if (std::string error = joiner.add(name, std::move(tile)); !error.empty()) return error;
  }
  return joiner.finish(whole);
}

int wrote(const std::string& output, const PixelRect& window, const std::string& error) {
  if (!error.empty()) return fail(error, kExitEnvironment);
  std::printf("wrote %s (%d x %d)\n", output.c_str(), window.width(), window.height());
  return kExitOk;
}

int joinDeep(const std::string& output, const std::vector<std::string>& tiles) {
  image::DeepImage whole;
  const auto read = [](const std::string& name, image::DeepImage& tile) {
    return image::readDeep(name, tile, availableThreads());
  };
  const std::string error = joinAll<image::DeepJoiner>(tiles, whole, read);
  if (!error.empty()) return failTile(error);
  return wrote(output, whole.dataWindow, image::writeDeep(output, whole, availableThreads()));
}

int join(const std::string& output, const std::vector<std::string>& tiles) {
  const std::string format = image::writableFormat(std::filesystem::path(output).extension().string());
  size_t deep = 0;
  for (const std::string& name : tiles) deep += image::isDeepFile(name) ? 1 : 0;
  if (deep > 0) {
    if (deep < tiles.size()) return failTile("some of the tiles are deep, others are not");
    if (format != "exr") return fail(reyes::format("{}: only an EXR can be deep", output), kExitUsage);
    return joinDeep(output, tiles);
  }
  image::Image whole;
  const std::string error = joinAll<image::Joiner>(tiles, whole, format == "exr" ? image::readExact : image::readImage);
  if (!error.empty()) return failTile(error);
  if (format.empty()) return fail(reyes::format("{}: its extension names no format", output), kExitUsage);
  return wrote(output, whole.dataWindow, image::writeImage(output, format, whole, availableThreads()));
}

}  // namespace

int runMerge(int argc, char** argv) {
  po::options_description visible("flags");
  visible.add_options()("help,h", "this text")("output,o", po::value<std::string>(), "the picture to write");
  po::options_description all;
  all.add(visible).add_options()("tile", po::value<std::vector<std::string>>(), "");
  po::positional_options_description positional;
  positional.add("tile", -1);
  try {
    po::variables_map flags;
    po::store(po::command_line_parser(argc, argv).options(all).positional(positional).run(), flags);
    po::notify(flags);
    const bool complete = flags.count("tile") && flags.count("output");
    if (flags.count("help") || !complete) {
      std::fprintf(flags.count("help") ? stdout : stderr, "%s%s%s", kUsage,
                   (std::ostringstream() << visible).str().c_str(), kExamples);
      return flags.count("help") ? kExitOk : kExitUsage;
    }
    return join(flags["output"].as<std::string>(), flags["tile"].as<std::vector<std::string>>());
  } catch (const std::exception& e) {
    return fail(format("{} (try reyes merge --help)", e.what()), kExitUsage);
  }
}

}  // namespace reyes::tools
