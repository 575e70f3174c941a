// SPDX-License-Identifier: Apache-2.0
// Chooses the library that writes or reads a picture, and makes every write safe. Called by display/, texture/ and
// tools/.
#include <algorithm>
#include <cstring>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/base/half.h"
#include "reyes/image/image_io.h"
#include "reyes/image/module.h"

namespace reyes::image {
namespace {

PictureFiles* pictureFiles(std::string& error) {
  const auto make = reinterpret_cast<PictureFilesFunction>(moduleSymbol(kPictureFilesSymbol, error));
  return make ? make() : nullptr;
}

std::string writeOther(const std::string& path, const std::string& format, const Image& header, const RowSource& rows) {
  std::string error;
  PictureFiles* files = pictureFiles(error);
  return files ? files->write(path, format, header, rows) : error;
}

std::string readOther(const std::string& path, Image& out) {
  std::string error;
  PictureFiles* files = pictureFiles(error);
  return files ? files->read(path, out) : error;
}

}  // namespace

std::string writableFormat(const std::string& nameOrExtension) {
  std::string name = nameOrExtension;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (!name.empty() && name[0] == '.') name.erase(0, 1);
  if (name.empty()) return "";
  if (name == "exr" || name == "openexr") return "exr";
  std::string error;
  PictureFiles* files = pictureFiles(error);
  return files ? files->writableFormat(name) : "";
}

size_t bytesOf(PixelType type) {
  if (type == PixelType::kUint8) return 1;
  return type == PixelType::kHalf || type == PixelType::kUint16 ? 2 : 4;
}

size_t pixelBytes(const std::vector<Channel>& channels) {
  size_t bytes = 0;
  for (const Channel& c : channels) bytes += bytesOf(c.type);
  return bytes;
}

namespace {
float load(PixelType type, const std::byte* from) {
  const auto get = [from](auto value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  switch (type) {
    case PixelType::kHalf:
      return toFloat(Half{get(uint16_t{})});
    case PixelType::kFloat:
      return get(float{});
    case PixelType::kUint8:
      return static_cast<float>(get(uint8_t{}));
    case PixelType::kUint16:
      return static_cast<float>(get(uint16_t{}));
    case PixelType::kUint32:
      break;
  }
  return static_cast<float>(get(uint32_t{}));
}

}  // namespace

std::string writeRows(const std::string& path, const std::string& format, const Image& header, int threads,
                      const RowSource& rows) {
  if (header.dataWindow.empty()) return reyes::format("{}: no pixels to write", path);
  if (header.channels.empty()) return reyes::format("{}: no channels to write", path);
  const std::string known = writableFormat(format);
  if (known.empty()) return reyes::format("{}: cannot write files of type {}", path, format);
  SafeFile file;
  if (std::string error = file.open(path); !error.empty()) return error;
  std::string error;
  try {
    error = known == "exr" ? writeExr(file.temporaryPath(), header, threads, rows)
                           : writeOther(file.temporaryPath(), known, header, rows);
  } catch (const std::exception& e) {
    error = e.what();
  }
  if (!error.empty()) return reyes::format("{}: {}", path, error);
  return file.commit();
}

std::string writeStored(const std::string& path, const std::string& format, const Image& header, int threads,
                        const std::byte* pixels) {
  const size_t stride = pixelBytes(header.channels) * static_cast<size_t>(header.width());
  return writeRows(path, format, header, threads, [&](int y, float* row) {
    const std::byte* from = pixels + stride * static_cast<size_t>(y - header.dataWindow.y0);
    for (int x = 0; x < header.width(); ++x)
      for (const Channel& c : header.channels) {
        *row++ = load(c.type, from);
        from += bytesOf(c.type);
      }
  });
}

std::string writeImage(const std::string& path, const std::string& format, const Image& image, int threads) {
  const size_t stride = static_cast<size_t>(image.width()) * image.channels.size();
  if (image.pixels.size() < stride * image.height()) return reyes::format("{}: fewer pixels than its window", path);
  return writeRows(path, format, image, threads, [&](int y, float* row) {
    const float* from = image.pixels.data() + stride * (y - image.dataWindow.y0);
    std::copy(from, from + stride, row);
  });
}

namespace {

std::string read(const std::string& path, bool wholeBits, Image& out) {
  std::error_code ec;
  if (!std::filesystem::exists(path, ec)) return reyes::format("{}: no such file", path);
  if (std::filesystem::is_directory(path, ec)) return reyes::format("{}: is a folder", path);
  std::string error;
  try {
    const bool exr = looksLikeExr(path);
    out = Image();
    out.wholeBits = exr && wholeBits;
    error = exr ? readExr(path, out) : readOther(path, out);
  } catch (const std::exception& e) {
    error = e.what();
  }
  return error.empty() ? "" : reyes::format("{}: {}", path, error);
}

}  // namespace

std::string readImage(const std::string& path, Image& out) { return read(path, false, out); }
std::string readExact(const std::string& path, Image& out) { return read(path, true, out); }

int depthChannel(const Image& picture) {
  for (size_t c = 0; c < picture.channels.size(); ++c) {
    const std::string& name = picture.channels[c].name;
    if (name == "Z" || name == "z" || name.ends_with(".Z")) return static_cast<int>(c);
  }
  return picture.channels.size() == 1 ? 0 : -1;
}

std::string checkSize(const std::string& path, int64_t width, int64_t height, int64_t channels) {
  if (width <= 0 || height <= 0 || channels <= 0) return "no pixels";
  constexpr int64_t kMaxSide = 1 << 20, kMaxChannels = 4096, kSmallBytes = int64_t{1} << 28, kMaxRatio = 4000;
  if (width > kMaxSide || height > kMaxSide || channels > kMaxChannels) return "its header states an absurd size";
  const int64_t bytes = width * height * channels * 4;
  std::error_code ec;
  const auto fileBytes = std::filesystem::file_size(path, ec);
  if (!ec && bytes > kSmallBytes && static_cast<int64_t>(fileBytes) < bytes / kMaxRatio)
    return "its header states more pixels than the file can hold";
  return "";
}

namespace {
Matrix4 ndcToScreen() {
  Matrix4 m = Matrix4::scale({2, -2, 1});
  m.m[3][0] = -1, m.m[3][1] = 1;
  return m;
}
}  // namespace

Matrix4 screenFromNdc(const Matrix4& worldToNdc) { return worldToNdc * ndcToScreen(); }
Matrix4 ndcFromScreen(const Matrix4& worldToScreen) { return worldToScreen * inverse(ndcToScreen()); }

}  // namespace reyes::image
