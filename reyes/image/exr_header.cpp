// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/exr_header.h"

#include <OpenEXR/ImfFloatAttribute.h>
#include <OpenEXR/ImfFramesPerSecond.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfMatrixAttribute.h>
#include <OpenEXR/ImfRational.h>
#include <OpenEXR/ImfRationalAttribute.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfThreading.h>
#include <OpenEXR/ImfVecAttribute.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <mutex>
#include <set>
#include <stdexcept>

#include "reyes/base/format.h"
#include "reyes/image/deep.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
namespace {

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

/// Where a channel stands in its layer: files keep names in alphabetical order, pictures are R G B A.
int rankOf(const std::string& name) {
  static const char* const order[] = {"R", "G", "B", "A", "Z"};
  const std::string last = name.substr(name.rfind('.') + 1);
  for (int i = 0; i < 5; ++i)
    if (last == order[i]) return i;
  return 5;
}

}  // namespace

FileStream::FileStream(const std::string& path) : OStream(path.c_str()), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) error_ = std::strerror(errno);
}

void FileStream::write(const char bytes[], int n) {
  if (std::fwrite(bytes, 1, static_cast<size_t>(n), file_) != static_cast<size_t>(n)) fail();
}

void FileStream::seekp(uint64_t position) {
  if (fseeko(file_, static_cast<off_t>(position), SEEK_SET) != 0) fail();
}

std::string FileStream::close() {
  if (file_ && std::fclose(file_) != 0 && error_.empty()) error_ = std::strerror(errno);
  file_ = nullptr;
  return error_;
}

void FileStream::fail() {
  if (error_.empty()) error_ = std::strerror(errno);
  throw std::runtime_error(error_);
}

Imf::PixelType exrType(PixelType t) {
  if (t == PixelType::kHalf) return Imf::HALF;
  return t == PixelType::kFloat ? Imf::FLOAT : Imf::UINT;
}

PixelType typeOfExr(Imf::PixelType t) {
  if (t == Imf::HALF) return PixelType::kHalf;
  return t == Imf::FLOAT ? PixelType::kFloat : PixelType::kUint32;
}

const char* compressionName(Imf::Compression c) {
  switch (c) {
    case Imf::NO_COMPRESSION:
      return "none";
    case Imf::RLE_COMPRESSION:
      return "rle";
    case Imf::ZIP_COMPRESSION:
      return "zip";
    case Imf::PIZ_COMPRESSION:
      return "piz";
    case Imf::PXR24_COMPRESSION:
      return "pxr24";
    case Imf::B44_COMPRESSION:
      return "b44";
    case Imf::B44A_COMPRESSION:
      return "b44a";
    case Imf::DWAA_COMPRESSION:
      return "dwaa";
    case Imf::DWAB_COMPRESSION:
      return "dwab";
    default:
      return "zips";
  }
}

bool isExrCompression(const std::string& name) {
  for (const CompressionName& c : kCompressions)
    if (name == c.name) return true;
  return false;
}

std::string checkChannels(const std::vector<Channel>& channels) {
  std::set<std::string> names;
  for (const Channel& c : channels) {
    if (c.name.empty() || c.name.size() > 255) return "a channel has no usable name";
    if (!names.insert(c.name).second) return format("two channels are named {}", c.name);
  }
  return "";
}

Imf::Header makeHeader(const PixelRect& data, const PixelRect& display, float pixelAspect,
                       const std::vector<Channel>& channels, const std::string& compression,
                       const std::map<std::string, Attribute>& attributes) {
  const float aspect = pixelAspect > 0 && std::isfinite(pixelAspect) ? pixelAspect : 1;
  Imf::Header header(boxOf(display.empty() ? data : display), boxOf(data), aspect);
  for (const CompressionName& c : kCompressions)
    if (compression == c.name) header.compression() = c.value;
  for (const Channel& c : channels) header.channels().insert(c.name, Imf::Channel(exrType(c.type)));
  for (const auto& [name, value] : attributes) insertAttribute(header, name, value);
  // What the numbers of a picture mean: linear, with the primaries of Rec. 709 and the white of D65.
  const auto has = [&](const char* name) {
    return std::any_of(channels.begin(), channels.end(), [&](const Channel& c) { return c.name == name; });
  };
  if (has("R") && has("G") && has("B")) Imf::addChromaticities(header, Imf::Chromaticities());
  return header;
}

PixelRect rectOf(const Imath::Box2i& b) { return {b.min.x, b.min.y, b.max.x + 1, b.max.y + 1}; }

void readAttributes(const Imf::Header& header, std::map<std::string, Attribute>& out) {
  for (auto it = header.begin(); it != header.end(); ++it) {
    if (isReserved(it.name())) continue;
    const Imf::Attribute* a = &it.attribute();
    Attribute& slot = out[it.name()];
    if (const auto* i = dynamic_cast<const Imf::IntAttribute*>(a)) {
      slot = i->value();
    } else if (const auto* f = dynamic_cast<const Imf::FloatAttribute*>(a)) {
      slot = f->value();
    } else if (const auto* s = dynamic_cast<const Imf::StringAttribute*>(a)) {
      slot = s->value();
    } else if (const auto* r = dynamic_cast<const Imf::RationalAttribute*>(a)) {
      slot = static_cast<float>(static_cast<double>(r->value()));
    } else if (const auto* v2 = dynamic_cast<const Imf::V2fAttribute*>(a)) {
      slot = Vec2{v2->value().x, v2->value().y};
    } else if (const auto* v3 = dynamic_cast<const Imf::V3fAttribute*>(a)) {
      slot = Vec3{v3->value().x, v3->value().y, v3->value().z};
    } else if (const auto* m = dynamic_cast<const Imf::M44fAttribute*>(a)) {
      Matrix4 matrix;
      std::memcpy(matrix.m, m->value().x, sizeof matrix.m);
      slot = matrix;
    } else {
      out.erase(it.name());
    }
  }
}

void orderChannels(std::vector<Channel>& channels) {
  const auto layer = [](const std::string& n) { return n.rfind('.') == n.npos ? "" : n.substr(0, n.rfind('.')); };
  std::stable_sort(channels.begin(), channels.end(), [&](const Channel& a, const Channel& b) {
    const std::string la = layer(a.name), lb = layer(b.name);
    return la != lb ? la < lb : rankOf(a.name) < rankOf(b.name);
  });
}

/// OpenEXR has one thread pool a process; it only ever grows.
void growThreadPool(int threads) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (threads > 1 && Imf::globalThreadCount() < threads) Imf::setGlobalThreadCount(threads);
}

template <class Picture>
std::string readHeader(const Imf::Header& header, Picture& out) {
  out.dataWindow = rectOf(header.dataWindow());
  out.displayWindow = rectOf(header.displayWindow());
  out.pixelAspect = header.pixelAspectRatio();
  out.compression = compressionName(header.compression());
  for (auto it = header.channels().begin(); it != header.channels().end(); ++it) {
    if (it.channel().xSampling != 1 || it.channel().ySampling != 1)
      return format("channel {} is subsampled", it.name());
    out.channels.push_back({it.name(), typeOfExr(it.channel().type)});
  }
  orderChannels(out.channels);
  readAttributes(header, out.attributes);
  return "";
}
template std::string readHeader(const Imf::Header& header, Image& out);
template std::string readHeader(const Imf::Header& header, DeepImage& out);

}  // namespace reyes::image
