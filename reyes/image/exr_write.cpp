// SPDX-License-Identifier: Apache-2.0
// EXR out of rows of floats, through OpenEXR: half, float and integer channels. Rows are converted a strip at a time,
// so that no second copy of the picture exists.
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfOutputFile.h>

#include <bit>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/base/half.h"
#include "reyes/image/exr_header.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
namespace {

/// One strip of rows, a plane a channel, in the file's own types.
class Strip {
 public:
  Strip(const Image& image, int rows) : image_(image), width_(image.width()) {
    for (const Channel& c : image.channels) {
      offsets_.push_back(bytes_);
      bytes_ += static_cast<size_t>(width_) * rows * (c.type == PixelType::kHalf ? 2 : 4);
      bytes_ = (bytes_ + 15) & ~size_t{15};
    }
    data_.resize(bytes_);
    row_.resize(static_cast<size_t>(width_) * image.channels.size());
  }

  /// Fetches row y as row `at` of the strip.
  void fill(int y, int at, const RowSource& rows) {
    rows(y, row_.data());
    for (size_t c = 0; c < offsets_.size(); ++c) convert(c, at);
  }

  /// Slices for a strip whose first row is y0.
  Imf::FrameBuffer frame(int y0) {
    Imf::FrameBuffer fb;
    for (size_t c = 0; c < offsets_.size(); ++c) {
      const size_t size = image_.channels[c].type == PixelType::kHalf ? 2 : 4;
      char* base = data_.data() + offsets_[c];
      base -= static_cast<ptrdiff_t>(size) * (image_.dataWindow.x0 + static_cast<ptrdiff_t>(y0) * width_);
      fb.insert(image_.channels[c].name, Imf::Slice(exrType(image_.channels[c].type), base, size, size * width_));
    }
    return fb;
  }

 private:
  void convert(size_t c, int at) {
    const size_t n = image_.channels.size(), first = static_cast<size_t>(at) * width_;
    const float* from = row_.data() + c;
    char* plane = data_.data() + offsets_[c];
    const PixelType type = image_.channels[c].type;
    if (type == PixelType::kHalf) {
      auto* to = reinterpret_cast<uint16_t*>(plane) + first;
      for (int x = 0; x < width_; ++x) to[x] = toHalf(saturateHalf(from[x * n])).bits;
    } else if (type == PixelType::kFloat) {
      auto* to = reinterpret_cast<float*>(plane) + first;
      for (int x = 0; x < width_; ++x) to[x] = std::isnan(from[x * n]) ? 0.0f : from[x * n];
    } else {
      auto* to = reinterpret_cast<uint32_t*>(plane) + first;
      for (int x = 0; x < width_ && image_.wholeBits; ++x) to[x] = std::bit_cast<uint32_t>(from[x * n]);
      for (int x = 0; x < width_ && !image_.wholeBits; ++x) {
        const double v = from[x * n];
        to[x] = v > 0 ? static_cast<uint32_t>(std::min(v + 0.5, 4294967295.0)) : 0u;
      }
    }
  }

  const Image& image_;
  int width_;
  size_t bytes_ = 0;
  std::vector<size_t> offsets_;
  std::vector<char> data_;
  std::vector<float> row_;
};

}  // namespace

std::string writeExr(const std::string& path, const Image& image, int threads, const RowSource& rows) {
  if (std::string error = checkChannels(image.channels); !error.empty()) return error;
  if (!isExrCompression(image.compression)) return format("EXR has no compression {}", image.compression);
  growThreadPool(threads);
  FileStream stream(path);
  if (!stream.error().empty()) return stream.error();
  std::string error;
  try {
    Imf::OutputFile file(stream,
                         makeHeader(image.dataWindow, image.displayWindow, image.pixelAspect, image.channels,
                                    image.compression, image.attributes),
                         std::max(threads, 0));
    // Whole compression blocks for every thread.
    const int stripRows = std::min(image.height(), 64 * std::max(1, std::min(threads, 16)));
    Strip strip(image, stripRows);
    for (int y = image.dataWindow.y0; y < image.dataWindow.y1; y += stripRows) {
      const int count = std::min(stripRows, image.dataWindow.y1 - y);
      for (int i = 0; i < count; ++i) strip.fill(y + i, i, rows);
      file.setFrameBuffer(strip.frame(y));
      file.writePixels(count);
    }
  } catch (const std::exception& e) {
    error = e.what();
  }
  // The table of lines is written as the file closes; its fate is known to the stream alone.
  const std::string closing = stream.close();
  return closing.empty() ? error : closing;
}

}  // namespace reyes::image
