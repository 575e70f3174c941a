// SPDX-License-Identifier: Apache-2.0
// Deep scanlines out, through OpenEXR, a strip of rows at a time: its threads compress the rows of a strip together.
#include <OpenEXR/ImfDeepFrameBuffer.h>
#include <OpenEXR/ImfDeepImageState.h>
#include <OpenEXR/ImfDeepImageStateAttribute.h>
#include <OpenEXR/ImfDeepScanLineOutputFile.h>
#include <OpenEXR/ImfPartType.h>

#include <algorithm>
#include <numeric>

#include "reyes/base/format.h"
#include "reyes/image/deep.h"
#include "reyes/image/exr_header.h"

namespace reyes::image {
namespace {

constexpr size_t kStripBytes = size_t{32} << 20;  ///< of samples, from which a strip takes no further row

/// Rows on their way to the file: what OpenEXR wants is a pointer a pixel and channel.
class DeepStrip {
 public:
  explicit DeepStrip(const DeepImage& header) : header_(header), width_(static_cast<size_t>(header.width())) {}

  /// Takes rows from y on; how many, or -1 where a row is not as it should be.
  int fill(int y, int most, const DeepRowSource& source);
  Imf::DeepFrameBuffer frame(int y0);

 private:
  bool fits(const DeepRow& row) const;

  const DeepImage& header_;
  size_t width_;
  std::vector<DeepRow> rows_;
  std::vector<uint32_t> counts_;
  std::vector<std::vector<char*>> pointers_;
};

bool DeepStrip::fits(const DeepRow& row) const {
  if (row.counts.size() != width_ || row.planes.size() != header_.channels.size()) return false;
  const size_t samples = std::accumulate(row.counts.begin(), row.counts.end(), size_t{0});
  for (size_t c = 0; c < row.planes.size(); ++c)
    if (row.planes[c].size() != samples * bytesOf(header_.channels[c].type)) return false;
  return true;
}

int DeepStrip::fill(int y, int most, const DeepRowSource& source) {
  rows_.clear(), counts_.clear();
  pointers_.assign(header_.channels.size(), {});
  size_t bytes = 0;
  for (int n = 0; n < most && bytes < kStripBytes; ++n) {
    DeepRow row;
    row.planes.resize(header_.channels.size());
    source(y + n, row);
    if (!fits(row)) return -1;
    for (const std::vector<std::byte>& plane : row.planes) bytes += plane.size();
    counts_.insert(counts_.end(), row.counts.begin(), row.counts.end());
    rows_.push_back(std::move(row));
  }
  for (size_t c = 0; c < pointers_.size(); ++c)
    for (DeepRow& row : rows_) {
      char* at = reinterpret_cast<char*>(row.planes[c].data());
      for (const uint32_t n : row.counts) {
        pointers_[c].push_back(at);
        at += n * bytesOf(header_.channels[c].type);
      }
    }
  return static_cast<int>(rows_.size());
}

Imf::DeepFrameBuffer DeepStrip::frame(int y0) {
  Imf::DeepFrameBuffer fb;
  const ptrdiff_t before = header_.dataWindow.x0 + static_cast<ptrdiff_t>(y0) * static_cast<ptrdiff_t>(width_);
  fb.insertSampleCountSlice(Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts_.data() - before), sizeof(uint32_t),
                                       sizeof(uint32_t) * width_));
  for (size_t c = 0; c < pointers_.size(); ++c) {
    const Channel& channel = header_.channels[c];
    fb.insert(channel.name, Imf::DeepSlice(exrType(channel.type), reinterpret_cast<char*>(pointers_[c].data() - before),
                                           sizeof(char*), sizeof(char*) * width_, bytesOf(channel.type)));
  }
  return fb;
}

std::string write(Imf::OStream& stream, const DeepImage& image, int threads, const DeepRowSource& source) {
  Imf::Header header = makeHeader(image.dataWindow, image.displayWindow, image.pixelAspect, image.channels,
                                  image.compression, image.attributes);
  header.setType(Imf::DEEPSCANLINE);
  header.insert("deepImageState", Imf::DeepImageStateAttribute(image.tidy ? Imf::DIS_TIDY : Imf::DIS_MESSY));
  Imf::DeepScanLineOutputFile file(stream, header, std::max(threads, 0));
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
  if (header.dataWindow.empty()) return format("{}: no pixels to write", path);
  if (header.channels.empty()) return format("{}: no channels to write", path);
  if (std::string error = checkChannels(header.channels); !error.empty()) return format("{}: {}", path, error);
  for (const Channel& c : header.channels)
    if (c.type != PixelType::kHalf && c.type != PixelType::kFloat && c.type != PixelType::kUint32)
      return format("{}: channel {} has a type that EXR has not", path, c.name);
  if (!isDeepCompression(header.compression))
    return format("{}: a deep EXR cannot be compressed with {} (none, rle and zips can be)", path, header.compression);
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
