// SPDX-License-Identifier: Apache-2.0
// Every format but EXR, in and out, through OpenImageIO. Integers are handed over as they were quantised; attributes
// travel under OpenImageIO's names, which become TIFF tags (matrices, crop, software) where the format has them.
// Called by image/, through the module's one door for files.
#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>
#include <OpenImageIO/strutil.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "reyes/base/format.h"
#include "reyes/image/image_io.h"
#include "reyes/image/module.h"
#include "reyes/image/module_stamp.h"

namespace reyes::oiio {
namespace {

using namespace image;

struct NamePair {
  const char *ours, *theirs;
};
constexpr NamePair kNames[] = {{"worldToCamera", "worldtocamera"},
                               {"comments", "ImageDescription"},
                               {"owner", "Copyright"},
                               {"capDate", "DateTime"},
                               {"software", "Software"},
                               {"hostComputer", "HostComputer"}};

OIIO::TypeDesc typeOf(const Image& image) {
  // One type a file: the widest that a channel asks for.
  bool floating = false;
  auto widest = PixelType::kUint8;
  for (const Channel& c : image.channels) {
    if (c.type == PixelType::kHalf || c.type == PixelType::kFloat)
      floating = true;
    else
      widest = std::max(widest, c.type);
  }
  if (floating) return OIIO::TypeDesc::FLOAT;
  if (widest == PixelType::kUint8) return OIIO::TypeDesc::UINT8;
  return widest == PixelType::kUint16 ? OIIO::TypeDesc::UINT16 : OIIO::TypeDesc::UINT32;
}

bool isAlpha(const std::string& name) { return name == "A" || (name.size() > 2 && name.ends_with(".A")); }

void putAttribute(OIIO::ImageSpec& spec, const std::string& name, const Attribute& a) {
  std::string key = name;
  for (const NamePair& p : kNames)
    if (name == p.ours) key = p.theirs;
  if (const int* i = std::get_if<int>(&a)) spec.attribute(key, *i);
  if (const float* f = std::get_if<float>(&a)) spec.attribute(key, *f);
  if (const std::string* s = std::get_if<std::string>(&a)) spec.attribute(key, *s);
  if (const Vec2* v = std::get_if<Vec2>(&a)) spec.attribute(key, OIIO::TypeDesc(OIIO::TypeDesc::FLOAT, 2), v);
  if (const Vec3* v = std::get_if<Vec3>(&a)) spec.attribute(key, OIIO::TypeVector, v);
  if (const Matrix4* m = std::get_if<Matrix4>(&a)) {
    if (name == "worldToNDC") {
      const Matrix4 screen = screenFromNdc(*m);
      spec.attribute("worldtoscreen", OIIO::TypeMatrix, &screen);
    } else {
      spec.attribute(key, OIIO::TypeMatrix, m);
    }
  }
}

OIIO::ImageSpec makeSpec(const std::string& format, const Image& image, int channels) {
  OIIO::ImageSpec spec(image.width(), image.height(), channels, typeOf(image));
  const PixelRect full = image.displayWindow.empty() ? image.dataWindow : image.displayWindow;
  spec.x = image.dataWindow.x0, spec.y = image.dataWindow.y0;
  spec.full_x = full.x0, spec.full_y = full.y0;
  spec.full_width = full.width(), spec.full_height = full.height();
  spec.alpha_channel = spec.z_channel = -1;
  for (int c = 0; c < channels; ++c) {
    spec.channelnames[c] = image.channels[c].name;
    if (isAlpha(image.channels[c].name) && spec.alpha_channel < 0) spec.alpha_channel = c;
  }
  spec.attribute("PixelAspectRatio", image.pixelAspect);
  for (const auto& [name, value] : image.attributes) putAttribute(spec, name, value);
  // EXR's default word means nothing to TIFF; every reader has LZW.
  if (format == "tiff")
    spec.attribute("compression", image.compression == "zips" ? "lzw" : image.compression);
  else if (!isExrCompression(image.compression))
    spec.attribute("compression", image.compression);
  return spec;
}

/// n floats to the file's type, in place of `to`.
void convertRow(OIIO::TypeDesc type, const float* from, size_t n, std::byte* to) {
  const double top = type == OIIO::TypeDesc::UINT8 ? 255 : type == OIIO::TypeDesc::UINT16 ? 65535 : 4294967295.0;
  for (size_t i = 0; i < n; ++i) {
    const float v = std::isnan(from[i]) ? 0.0f : from[i];
    const double whole = v > 0 ? std::min(static_cast<double>(v) + 0.5, top) : 0;
    if (type == OIIO::TypeDesc::FLOAT)
      reinterpret_cast<float*>(to)[i] = v;
    else if (type == OIIO::TypeDesc::UINT8)
      reinterpret_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(whole);
    else if (type == OIIO::TypeDesc::UINT16)
      reinterpret_cast<uint16_t*>(to)[i] = static_cast<uint16_t>(whole);
    else
      reinterpret_cast<uint32_t*>(to)[i] = static_cast<uint32_t>(whole);
  }
}

std::string writeStrips(OIIO::ImageOutput& out, const Image& image, int channels, const RowSource& rows) {
  const OIIO::TypeDesc type = typeOf(image);
  const size_t all = image.channels.size(), width = static_cast<size_t>(image.width());
  const size_t rowBytes = width * channels * type.size();
  std::vector<float> row(width * all);
  constexpr int kStrip = 64;
  std::vector<std::byte> strip(rowBytes * kStrip);
  for (int y = image.dataWindow.y0; y < image.dataWindow.y1; y += kStrip) {
    const int count = std::min(kStrip, image.dataWindow.y1 - y);
    for (int i = 0; i < count; ++i) {
      rows(y + i, row.data());
      // Channels that the format cannot hold are left out.
      for (size_t x = 0; x < width && static_cast<size_t>(channels) < all; ++x)
        std::memmove(&row[x * channels], &row[x * all], sizeof(float) * channels);
      convertRow(type, row.data(), width * channels, strip.data() + rowBytes * i);
    }
    if (!out.write_scanlines(y, y + count, 0, type, strip.data())) return out.geterror();
  }
  return "";
}

std::string writeBytes(const std::string& path, const std::vector<unsigned char>& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return std::strerror(errno);
  const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const int code = errno;
  if (std::fclose(file) != 0) return std::strerror(errno);
  return whole ? "" : std::strerror(code);
}

/// How many of the channels this format takes: colour without alpha where it has no alpha.
int channelsFor(OIIO::ImageOutput& out, const std::string& format, const Image& image) {
  const int n = static_cast<int>(image.channels.size());
  if (out.supports("nchannels")) return n;
  const int most = out.supports("alpha") ? 4 : 3;
  if (format == "jpeg" || format == "hdr") return n >= 3 ? 3 : 1;
  return std::min(n, most);
}

std::string writeFile(const std::string& path, const std::string& format, const Image& image, const RowSource& rows) {
  auto out = OIIO::ImageOutput::create(format);
  if (!out) return OIIO::geterror();
  const int channels = channelsFor(*out, format, image);
  OIIO::ImageSpec spec = makeSpec(format, image, channels);
  // Into memory where the format allows it, so that errors of the disk are the system's own words.
  std::vector<unsigned char> bytes;
  OIIO::Filesystem::IOVecOutput memory(bytes);
  const bool inMemory = out->supports("ioproxy") && out->set_ioproxy(&memory);
  if (!out->open(path, spec)) return out->geterror();
  std::string error = writeStrips(*out, image, channels, rows);
  if (!out->close() && error.empty()) error = out->geterror();
  if (!error.empty() || !inMemory) return error;
  return writeBytes(path, bytes);
}

std::string readFile(const std::string& path, Image& out) {
  auto in = OIIO::ImageInput::open(path);
  if (!in) return OIIO::geterror();
  const OIIO::ImageSpec& spec = in->spec();
  out.dataWindow = {spec.x, spec.y, spec.x + spec.width, spec.y + spec.height};
  out.displayWindow = {spec.full_x, spec.full_y, spec.full_x + spec.full_width, spec.full_y + spec.full_height};
  out.pixelAspect = spec.get_float_attribute("PixelAspectRatio", 1);
  out.compression = spec.get_string_attribute("compression", "none");
  if (std::string error = checkSize(path, spec.width, spec.height, spec.nchannels); !error.empty()) return error;
  // Integers keep their range; OpenImageIO would scale them to 0..1.
  const int bits = static_cast<int>(spec.format.size()) * 8;
  const bool whole = !spec.format.is_floating_point();
  PixelType type = spec.format == OIIO::TypeDesc::HALF ? PixelType::kHalf : PixelType::kFloat;
  if (whole) type = bits <= 8 ? PixelType::kUint8 : bits <= 16 ? PixelType::kUint16 : PixelType::kUint32;
  for (const std::string& name : spec.channelnames) out.channels.push_back({name, type});
  out.allocate();
  if (!in->read_image(0, 0, 0, spec.nchannels, OIIO::TypeDesc::FLOAT, out.pixels.data())) return in->geterror();
  const float range = bits <= 8 ? 255.0f : bits <= 16 ? 65535.0f : 4294967295.0f;
  if (whole)
    for (float& v : out.pixels) v = std::round(v * range);
  // Attributes under their EXR names.
  for (const auto& p : spec.extra_attribs) {
    std::string name(p.name());
    for (const NamePair& pair : kNames)
      if (name == pair.theirs) name = pair.ours;
    if (p.type() == OIIO::TypeInt) out.attributes[name] = p.get_int();
    if (p.type() == OIIO::TypeFloat) out.attributes[name] = p.get_float();
    if (p.type() == OIIO::TypeString) out.attributes[name] = p.get_string();
    if (p.type() == OIIO::TypeMatrix) {
      Matrix4 m;
      std::memcpy(m.m, p.data(), sizeof m.m);
      if (name == "worldtoscreen")
        out.attributes["worldToNDC"] = ndcFromScreen(m);
      else
        out.attributes[name] = m;
    }
  }
  return "";
}

std::string formatToWrite(const std::string& name) {
  // "tiff:tif,tiff,tx,env,sm,vsm;png:png;..."
  const auto outputs = OIIO::Strutil::splitsv(OIIO::get_string_attribute("output_format_list"), ",");
  const std::string list = OIIO::get_string_attribute("extension_list");
  for (const auto& entry : OIIO::Strutil::splitsv(list, ";")) {
    const auto parts = OIIO::Strutil::splitsv(entry, ":");
    if (parts.size() != 2 || std::find(outputs.begin(), outputs.end(), parts[0]) == outputs.end()) continue;
    if (name == parts[0]) return name;
    for (const auto& extension : OIIO::Strutil::splitsv(parts[1], ","))
      if (extension == name) return std::string(parts[0]);
  }
  return "";
}

class Files : public PictureFiles {
 public:
  std::string write(const std::string& path, const std::string& format, const Image& header,
                    const RowSource& rows) override {
    return writeFile(path, format, header, rows);
  }
  std::string read(const std::string& path, Image& out) override { return readFile(path, out); }
  std::string writableFormat(const std::string& name) override { return formatToWrite(name); }
};

}  // namespace
}  // namespace reyes::oiio

extern "C" __attribute__((visibility("default"))) const char* reyesModuleStamp() { return reyes::image::kModuleStamp; }

extern "C" __attribute__((visibility("default"))) reyes::image::PictureFiles* reyesPictureFiles() {
  static reyes::oiio::Files files;
  return &files;
}
