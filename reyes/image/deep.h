// SPDX-License-Identifier: Apache-2.0
// Deep pictures as plain data, and their way in and out of deep EXR files. A pixel has any number of samples, each with
// its own depth. Written by display/ (what the renderer saw) and tools/ (joined tiles); read by texture/ (deep
// shadows).
//
// Channels of the files that this program writes: Z and ZBack (float; camera depth where a sample begins and ends:
// equal for a surface, apart for what was merged, whose opacity grows as 1 - (1-A)^x between them), A (the sample's own
// opacity, not accumulated), R G B (premultiplied by A). Deep shadows of colours have AR AG AB (opacity a channel) as
// well. So what is seen through the samples 0..i is the product of their 1 - A. Samples are sorted and do not overlap.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>

#include "reyes/base/half.h"
#include "reyes/image/image.h"

namespace reyes::image {

/// Samples of all pixels of dataWindow, a plane a channel in the file's own type, pixel after pixel, row by row.
struct DeepImage {
  PixelRect dataWindow, displayWindow;
  std::vector<Channel> channels;  ///< half, float or uint32
  float pixelAspect = 1;
  std::map<std::string, Attribute> attributes;
  std::string compression = "zips";
  bool tidy = false;  ///< every pixel is sorted and without overlaps: deepImageState

  std::vector<uint64_t> starts;                ///< first sample of each pixel, and at the end the number of all
  std::vector<std::vector<std::byte>> planes;  ///< as channels

  int width() const { return dataWindow.width(); }
  int height() const { return dataWindow.height(); }
  size_t pixelAt(int x, int y) const {
    return static_cast<size_t>(y - dataWindow.y0) * static_cast<size_t>(width()) +
           static_cast<size_t>(x - dataWindow.x0);
  }
  /// First sample of a pixel of the data window, and how many it has.
  uint64_t first(int x, int y) const { return starts[pixelAt(x, y)]; }
  size_t count(int x, int y) const { return static_cast<size_t>(starts[pixelAt(x, y) + 1] - first(x, y)); }
  uint64_t samples() const { return starts.empty() ? 0 : starts.back(); }
  /// -1 where there is none of this name.
  int channel(const std::string& name) const;
  float value(size_t channel, uint64_t sample) const;
  void set(size_t channel, uint64_t sample, float v);
  /// Room for as many samples as each pixel is to have: sets starts and zeroed planes.
  void allocate(const std::vector<uint32_t>& counts);
};

/// One sample of a plane. Halves saturate, numbers that are none become 0; whole numbers are rounded.
float deepValue(PixelType type, const std::byte* at);
void putDeepValue(PixelType type, float v, std::byte* at);

/// One row of a deep picture: samples a pixel, and their values, a plane a channel.
struct DeepRow {
  std::vector<uint32_t> counts;
  std::vector<std::vector<std::byte>> planes;
};
/// Fills row y, asked for once each, top down. Counts and planes come empty, with one plane a channel.
using DeepRowSource = std::function<void(int y, DeepRow& row)>;

/// "none" "rle" "zips": all that deep files can be compressed with.
bool isDeepCompression(const std::string& name);
/// Writes deep scanlines through SafeFile; of `header`, samples are not used. Error text or "".
std::string writeDeepRows(const std::string& path, const DeepImage& header, int threads, const DeepRowSource& rows);
std::string writeDeep(const std::string& path, const DeepImage& image, int threads);

/// True of an EXR file whose first part is deep.
bool isDeepFile(const std::string& path);
/// Reads deep scanlines or (level 0 of) deep tiles. A file whose header promises more samples than it can hold is
/// refused before memory is taken for them. Error text or "".
std::string readDeep(const std::string& path, DeepImage& out, int threads = 0);

}  // namespace reyes::image
