// SPDX-License-Identifier: Apache-2.0
#include "tests/render/harness.h"

#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "reyes/base/format.h"
#include "reyes/base/parallel.h"
#include "reyes/session/session.h"

namespace reyes::test {
namespace {
/// A folder of this process that goes away with it.
const std::filesystem::path& scratch() {
  struct Folder {
    std::filesystem::path path = std::filesystem::temp_directory_path() / format("reyes-test-{}", getpid());
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
  };
  static const Folder folder;
  return folder.path;
}
}  // namespace

int Picture::channel(const std::string& name) const {
  for (size_t i = 0; i < image.channels.size(); ++i)
    if (image.channels[i].name == name) return static_cast<int>(i);
  throw std::runtime_error("no channel " + name);
}

float Picture::at(int x, int y, const std::string& name) const {
  return image.dataWindow.contains(x, y) ? image.pixel(x, y)[channel(name)] : 0.0f;
}

double Picture::mean(const std::string& name) const {
  const int c = channel(name);
  double sum = 0;
  for (int y = image.dataWindow.y0; y < image.dataWindow.y1; ++y)
    for (int x = image.dataWindow.x0; x < image.dataWindow.x1; ++x) sum += image.pixel(x, y)[c];
  return sum / (static_cast<double>(image.width()) * image.height());
}

bool Picture::hasCode(const std::string& code) const {
  for (const Diagnostic& d : messages)
    if (d.code == code) return true;
  return false;
}

Picture picture(const std::string& rib, const Setup& setup, const std::string& mode) {
  static std::atomic<int> serial{0};
  const std::string stem = (scratch() / format("{}", serial++)).string();
  std::ofstream(stem + ".rib") << rib;

  Diagnostics diag;
  diag.setPrinter({});
  Parallel parallel(setup.threads);
  session::SessionOptions options;
  options.parallel = &parallel;
  options.isa = setup.isa;
  options.diag = &diag;
  options.installedShaderFolders = {REYES_SOURCE_DIR "/shaders", REYES_SOURCE_DIR "/tests/render/shaders"};
  std::string extra = format("Display \"{}.exr\" \"openexr\" \"{}\" \"string exrpixeltype\" [\"float\"]\n", stem, mode);
  if (setup.bucketWidth > 0)
    extra += format("Option \"limits\" \"integer[2] bucketsize\" [{} {}]\n", setup.bucketWidth, setup.bucketHeight);
  if (setup.gridSize > 0) extra += format("Option \"limits\" \"integer gridsize\" [{}]\n", setup.gridSize);
  options.optionRib = {extra + setup.options};
  session::Session session(options);
  session.run({stem + ".rib"});

  Picture result;
  result.messages = diag.all();
  if (!session.frames().empty()) result.result = session.frames().back().result;
  if (const std::string error = image::readExact(stem + ".exr", result.image); !error.empty()) {
    std::string text = error;
    for (const Diagnostic& d : result.messages) text += "\n" + Diagnostics::format(d);
    throw std::runtime_error(text);
  }
  std::filesystem::remove(stem + ".rib");
  std::filesystem::remove(stem + ".exr");
  return result;
}

int64_t differences(const image::Image& a, const image::Image& b) {
  if (!(a.dataWindow == b.dataWindow) || a.pixels.size() != b.pixels.size()) return -1;
  int64_t n = 0;
  for (size_t i = 0; i < a.pixels.size(); ++i) n += std::memcmp(&a.pixels[i], &b.pixels[i], sizeof(float)) != 0;
  return n;
}

int64_t differencesWhereBoth(const image::Image& a, const image::Image& b) {
  if (a.channels.size() != b.channels.size()) return -1;
  const PixelRect r = intersect(a.dataWindow, b.dataWindow);
  if (r.empty()) return -1;
  int64_t n = 0;
  for (int y = r.y0; y < r.y1; ++y)
    for (int x = r.x0; x < r.x1; ++x)
      n += std::memcmp(a.pixel(x, y), b.pixel(x, y), a.channels.size() * sizeof(float)) != 0;
  return n;
}

}  // namespace reyes::test
