// SPDX-License-Identifier: Apache-2.0
// EXR out, through OpenEXR: half, float and integer channels, windows, and header attributes with the types that
// OpenEXR's standard gives them. Rows are converted a strip at a time, so that no second copy of the picture exists.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFloatAttribute.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfFramesPerSecond.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfMatrixAttribute.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfRational.h>
#include <OpenEXR/ImfRationalAttribute.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfThreading.h>
#include <OpenEXR/ImfVecAttribute.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>

#include "reyes/base/format.h"
#include "reyes/base/half.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
namespace {

/// A stream that keeps the first error, because OpenEXR's closing writes swallow theirs.
class FileStream : public Imf::OStream {
 public:
  explicit FileStream(const std::string& path) : OStream(path.c_str()), file_(std::fopen(path.c_str(), "wb")) {
    if (!file_) error_ = std::strerror(errno);
  }
  ~FileStream() override { close(); }
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;

  void write(const char bytes[], int n) override {
    if (std::fwrite(bytes, 1, static_cast<size_t>(n), file_) != static_cast<size_t>(n)) fail();
  }
  uint64_t tellp() override { return static_cast<uint64_t>(ftello(file_)); }
  void seekp(uint64_t position) override {
    if (fseeko(file_, static_cast<off_t>(position), SEEK_SET) != 0) fail();
  }
  /// Flushes and closes; the first error of the stream's life, or "".
  std::string close() {
    if (file_ && std::fclose(file_) != 0 && error_.empty()) error_ = std::strerror(errno);
    file_ = nullptr;
    return error_;
  }
  const std::string& error() const { return error_; }

 private:
  void fail() {
    if (error_.empty()) error_ = std::strerror(errno);
    throw std::runtime_error(error_);
  }
  std::FILE* file_;
  std::string error_;
};

struct CompressionName {
  const char* name;
  Imf::Compression value;
};
constexpr CompressionName kCompressions[] = {
    {"none", Imf::NO_COMPRESSION},   {"rle", Imf::RLE_COMPRESSION},   {"zip", Imf::ZIP_COMPRESSION},
    {"zips", Imf::ZIPS_COMPRESSION}, {"piz", Imf::PIZ_COMPRESSION},   {"pxr24", Imf::PXR24_COMPRESSION},
    {"b44", Imf::B44_COMPRESSION},   {"b44a", Imf::B44A_COMPRESSION}, {"dwaa", Imf::DWAA_COMPRESSION},
    {"dwab", Imf::DWAB_COMPRESSION},
};

Imf::PixelType exrType(PixelType t) {
  if (t == PixelType::kHalf) return Imf::HALF;
  return t == PixelType::kFloat ? Imf::FLOAT : Imf::UINT;
}

double numberOf(const Attribute& a) {
  if (const int* i = std::get_if<int>(&a)) return *i;
  if (const float* f = std::get_if<float>(&a)) return *f;
  if (const std::string* s = std::get_if<std::string>(&a)) {
    int n = 0, d = 1;
    if (std::sscanf(s->c_str(), "%d/%d", &n, &d) >= 1 && d != 0) return static_cast<double>(n) / d;
  }
  return 0;
}

/// Names whose values the file itself states elsewhere or that this writer must not set.
bool isReserved(const std::string& name) {
  static const std::set<std::string> reserved = {
      "channels",   "compression",   "dataWindow",     "displayWindow", "lineOrder", "pixelAspectRatio",
      "tiles",      "type",          "version",        "chunkCount",    "preview",   "maxSamplesPerPixel",
      "multiView",  "envmap",        "chromaticities", "timeCode",      "keyCode",   "deepImageState",
      "idManifest", "adoptedNeutral"};
  return name.empty() || name.size() > 255 || reserved.count(name) > 0;
}

/// Standard attributes that are floats whatever kind of number they were given as.
bool isStandardFloat(const std::string& name) {
  static const std::set<std::string> floats = {"screenWindowWidth", "whiteLuminance", "xDensity", "longitude",
                                               "latitude",          "altitude",       "focus",    "expTime",
                                               "aperture",          "isoSpeed",       "utcOffset"};
  return floats.count(name) > 0;
}

void insertAttribute(Imf::Header& header, const std::string& name, const Attribute& a) {
  const char* key = name.c_str();
  if (isReserved(name)) return;
  if (name == "framesPerSecond") {
    const double fps = numberOf(a);
    if (fps > 0) header.insert(key, Imf::RationalAttribute(Imf::guessExactFps(fps)));
  } else if (isStandardFloat(name)) {
    header.insert(key, Imf::FloatAttribute(static_cast<float>(numberOf(a))));
  } else if (name == "screenWindowCenter" && !std::holds_alternative<Vec2>(a)) {
    return;
  } else if (const int* i = std::get_if<int>(&a)) {
    header.insert(key, Imf::IntAttribute(*i));
  } else if (const float* f = std::get_if<float>(&a)) {
    header.insert(key, Imf::FloatAttribute(*f));
  } else if (const std::string* s = std::get_if<std::string>(&a)) {
    header.insert(key, Imf::StringAttribute(*s));
  } else if (const Matrix4* m = std::get_if<Matrix4>(&a)) {
    header.insert(key, Imf::M44fAttribute(Imath::M44f(m->m)));
  } else if (const Vec2* v2 = std::get_if<Vec2>(&a)) {
    header.insert(key, Imf::V2fAttribute(Imath::V2f(v2->x, v2->y)));
  } else if (const Vec3* v3 = std::get_if<Vec3>(&a)) {
    header.insert(key, Imf::V3fAttribute(Imath::V3f(v3->x, v3->y, v3->z)));
  }
}

Imath::Box2i boxOf(const PixelRect& r) { return {Imath::V2i(r.x0, r.y0), Imath::V2i(r.x1 - 1, r.y1 - 1)}; }

Imf::Header makeHeader(const Image& image) {
  const PixelRect display = image.displayWindow.empty() ? image.dataWindow : image.displayWindow;
  const float aspect = image.pixelAspect > 0 && std::isfinite(image.pixelAspect) ? image.pixelAspect : 1;
  Imf::Header header(boxOf(display), boxOf(image.dataWindow), aspect);
  for (const CompressionName& c : kCompressions)
    if (image.compression == c.name) header.compression() = c.value;
  for (const Channel& c : image.channels) header.channels().insert(c.name, Imf::Channel(exrType(c.type)));
  for (const auto& [name, value] : image.attributes) insertAttribute(header, name, value);
  return header;
}

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
      for (int x = 0; x < width_; ++x) {
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

/// OpenEXR has one thread pool a process; it only ever grows.
void growThreadPool(int threads) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (threads > 1 && Imf::globalThreadCount() < threads) Imf::setGlobalThreadCount(threads);
}

std::string checkChannels(const Image& image) {
  std::set<std::string> names;
  for (const Channel& c : image.channels) {
    if (c.name.empty() || c.name.size() > 255) return "a channel has no usable name";
    if (!names.insert(c.name).second) return format("two channels are named {}", c.name);
  }
  if (!isExrCompression(image.compression)) return format("EXR has no compression {}", image.compression);
  return "";
}

}  // namespace

bool isExrCompression(const std::string& name) {
  for (const CompressionName& c : kCompressions)
    if (name == c.name) return true;
  return false;
}

std::string writeExr(const std::string& path, const Image& image, int threads, const RowSource& rows) {
  if (std::string error = checkChannels(image); !error.empty()) return error;
  growThreadPool(threads);
  FileStream stream(path);
  if (!stream.error().empty()) return stream.error();
  std::string error;
  try {
    Imf::OutputFile file(stream, makeHeader(image), std::max(threads, 0));
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
