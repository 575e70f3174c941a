// SPDX-License-Identifier: Apache-2.0
// Deep EXR in, through OpenEXR. Counts are read first and judged against the size of the file, then memory is taken
// once, and the samples go straight to where they stay.
#include <OpenEXR/ImfDeepFrameBuffer.h>
#include <OpenEXR/ImfDeepImageState.h>
#include <OpenEXR/ImfDeepImageStateAttribute.h>
#include <OpenEXR/ImfDeepScanLineInputPart.h>
#include <OpenEXR/ImfDeepTiledInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfTestFile.h>

#include <algorithm>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/image/deep.h"
#include "reyes/image/exr_check.h"
#include "reyes/image/exr_header.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
namespace {

constexpr uint32_t kMostInPixel = 1u << 24;
constexpr int64_t kSmallBytes = int64_t{1} << 28;
constexpr int64_t kBestRatio = 1100;  ///< deflate makes 1032 of one byte at best

// Scanlines, and rows of tiles, alike.
int rowsAtOnce(const Imf::DeepScanLineInputPart&) { return 64; }
int rowsAtOnce(const Imf::DeepTiledInputPart& f) { return static_cast<int>(f.tileYSize()); }
void readCounts(Imf::DeepScanLineInputPart& f, int y0, int y1, int) { f.readPixelSampleCounts(y0, y1 - 1); }
void readCounts(Imf::DeepTiledInputPart& f, int, int, int tileRow) {
  f.readPixelSampleCounts(0, f.numXTiles() - 1, tileRow, tileRow);
}
void readValues(Imf::DeepScanLineInputPart& f, int y0, int y1, int) { f.readPixels(y0, y1 - 1); }
void readValues(Imf::DeepTiledInputPart& f, int, int, int tileRow) {
  f.readTiles(0, f.numXTiles() - 1, tileRow, tileRow);
}

std::string readHeader(const std::string& path, const Imf::Header& header, DeepImage& out) {
  if (std::string error = readHeader(header, out); !error.empty()) return error;
  const auto* state = header.findTypedAttribute<Imf::DeepImageStateAttribute>("deepImageState");
  out.tidy = state && state->value() == Imf::DIS_TIDY;
  const int64_t w = int64_t{header.dataWindow().max.x} - header.dataWindow().min.x + 1;
  const int64_t h = int64_t{header.dataWindow().max.y} - header.dataWindow().min.y + 1;
  if (out.channels.size() > 1024) return "its header states an absurd number of channels";
  return checkSize(path, w, h, 1);
}

/// Why these counts cannot be those of a file of this size, or "".
std::string judgeCounts(const std::string& path, const DeepImage& image, const std::vector<uint32_t>& counts) {
  int64_t samples = 0, bytes = 0;
  for (const uint32_t n : counts) {
    if (n > kMostInPixel) return format("a pixel of {} samples", n);
    samples += n;
  }
  for (const Channel& c : image.channels) bytes += samples * static_cast<int64_t>(bytesOf(c.type));
  std::error_code ec;
  const auto fileBytes = static_cast<int64_t>(std::filesystem::file_size(path, ec));
  if (!ec && bytes > kSmallBytes && bytes / kBestRatio > fileBytes)
    return format("{} samples are more than the file can hold", samples);
  return "";
}

/// What OpenEXR reads rows y0..y1-1 into.
class RowBuffer {
 public:
  RowBuffer(DeepImage& image, std::vector<uint32_t>& counts) : image_(image), counts_(counts) {}

  Imf::DeepFrameBuffer frame(int y0, int y1, bool values) {
    Imf::DeepFrameBuffer fb;
    const auto width = static_cast<ptrdiff_t>(image_.width());
    const ptrdiff_t first = static_cast<ptrdiff_t>(image_.pixelAt(image_.dataWindow.x0, y0));
    const ptrdiff_t ofOrigin = image_.dataWindow.x0 + image_.dataWindow.y0 * width;
    fb.insertSampleCountSlice(Imf::Slice(Imf::UINT, reinterpret_cast<char*>(counts_.data() - ofOrigin),
                                         sizeof(uint32_t), sizeof(uint32_t) * static_cast<size_t>(width)));
    pointers_.assign(image_.channels.size(), {});
    for (size_t c = 0; c < image_.channels.size(); ++c) {
      const PixelType type = image_.channels[c].type;
      pointers_[c].assign(static_cast<size_t>((y1 - y0) * width), nullptr);
      if (values)
        for (size_t p = 0; p < pointers_[c].size(); ++p)
          pointers_[c][p] = reinterpret_cast<char*>(image_.planes[c].data()) +
                            image_.starts[static_cast<size_t>(first) + p] * bytesOf(type);
      char** base = pointers_[c].data() - (image_.dataWindow.x0 + static_cast<ptrdiff_t>(y0) * width);
      fb.insert(image_.channels[c].name, Imf::DeepSlice(exrType(type), reinterpret_cast<char*>(base), sizeof(char*),
                                                        sizeof(char*) * static_cast<size_t>(width), bytesOf(type)));
    }
    return fb;
  }

 private:
  DeepImage& image_;
  std::vector<uint32_t>& counts_;
  std::vector<std::vector<char*>> pointers_;
};

template <class File>
std::string readFile(const std::string& path, File& file, DeepImage& out) {
  if (std::string error = readHeader(path, file.header(), out); !error.empty()) return error;
  std::vector<uint32_t> counts(static_cast<size_t>(out.width()) * static_cast<size_t>(out.height()), 0);
  RowBuffer rows(out, counts);
  const int step = rowsAtOnce(file), y0 = out.dataWindow.y0;
  const auto forRows = [&](auto&& read) {
    for (int y = y0, n = 0; y < out.dataWindow.y1; y += step, ++n) read(y, std::min(y + step, out.dataWindow.y1), n);
  };
  forRows([&](int from, int to, int n) {
    file.setFrameBuffer(rows.frame(from, to, false));
    readCounts(file, from, to, n);
  });
  if (std::string error = judgeCounts(path, out, counts); !error.empty()) return error;
  out.allocate(counts);
  // A new place to read to asks for the counts again: memory was taken for the first ones.
  const std::vector<uint32_t> known = counts;
  bool same = true;
  forRows([&](int from, int to, int n) {
    file.setFrameBuffer(rows.frame(from, to, true));
    readCounts(file, from, to, n);
    const auto a = static_cast<ptrdiff_t>(out.pixelAt(out.dataWindow.x0, from));
    const ptrdiff_t b = a + static_cast<ptrdiff_t>(to - from) * out.width();
    same = same && std::equal(known.begin() + a, known.begin() + b, counts.begin() + a);
    if (same) readValues(file, from, to, n);
  });
  return same ? "" : "it changes while it is read";
}

}  // namespace

bool isDeepFile(const std::string& path) { return Imf::isDeepOpenExrFile(path.c_str()); }

std::string readDeep(const std::string& path, DeepImage& out, int threads) {
  std::error_code ec;
  out = DeepImage();
  if (!std::filesystem::exists(path, ec)) return format("{}: no such file", path);
  if (std::filesystem::is_directory(path, ec)) return format("{}: is a folder", path);
  std::string error;
  try {
    if (!Imf::isDeepOpenExrFile(path.c_str())) return format("{}: is no deep EXR", path);
    if (error = checkDeepFile(path); !error.empty()) return format("{}: {}", path, error);
    growThreadPool(threads);
    Imf::MultiPartInputFile parts(path.c_str(), std::max(threads, 0));
    const std::string type = parts.header(0).hasType() ? parts.header(0).type() : "";
    if (!parts.partComplete(0)) {
      error = "it is not complete";
    } else if (type == Imf::DEEPTILE) {
      Imf::DeepTiledInputPart file(parts, 0);
      error = readFile(path, file, out);
    } else if (type == Imf::DEEPSCANLINE) {
      Imf::DeepScanLineInputPart file(parts, 0);
      error = readFile(path, file, out);
    } else {
      error = "its first part is not deep";
    }
  } catch (const std::exception& e) {
    error = e.what();
  }
  if (error.empty()) return "";
  out = DeepImage();
  return format("{}: {}", path, error);
}

}  // namespace reyes::image
