// SPDX-License-Identifier: Apache-2.0
// Deep scanlines out, through OpenEXR, a strip of rows at a time: its threads compress the rows of a strip together.
#include <OpenEXR/ImfDeepScanLineOutputFile.h>

#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/image/deep.h"
#include "reyes/image/deep_strip.h"
#include "reyes/image/exr_header.h"

namespace reyes::image {
namespace {

std::string write(Imf::OStream& stream, const DeepImage& image, int threads, const DeepRowSource& source) {
  Imf::DeepScanLineOutputFile file(stream, deepHeader(image), std::max(threads, 0));
  const int stripRows = 64 * std::clamp(threads, 1, 16);
  DeepStrip strip(image);
  for (int y = image.dataWindow.y0; y < image.dataWindow.y1;) {
    const int rows = strip.fill(y, std::min(stripRows, image.dataWindow.y1 - y), source);
    if (rows < 0) return "a row has not the samples that its counts say";
    file.setFrameBuffer(strip.frame(y));
    file.writePixels(rows);
    y += rows;
  }
  return "";
}

}  // namespace

bool isDeepCompression(const std::string& name) { return name == "none" || name == "rle" || name == "zips"; }

std::string writeDeepRows(const std::string& path, const DeepImage& header, int threads, const DeepRowSource& rows) {
  if (const std::string error = checkDeep(header); !error.empty()) return format("{}: {}", path, error);
  SafeFile file;
  if (std::string error = file.open(path); !error.empty()) return error;
  growThreadPool(threads);
  FileStream stream(file.temporaryPath());
  if (!stream.error().empty()) return format("{}: {}", path, stream.error());
  std::string error;
  try {
    error = write(stream, header, threads, rows);
  } catch (const std::exception& e) {
    error = e.what();
  }
  if (const std::string closing = stream.close(); !closing.empty()) error = closing;
  return error.empty() ? file.commit() : format("{}: {}", path, error);
}

}  // namespace reyes::image
