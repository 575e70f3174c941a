// SPDX-License-Identifier: Apache-2.0
// EXR in, through OpenEXR: scanline and tiled files (the first part of several), with header attributes of the kinds
// that image::Attribute holds. Called by readImage().
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFloatAttribute.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfMatrixAttribute.h>
#include <OpenEXR/ImfRationalAttribute.h>
#include <OpenEXR/ImfStringAttribute.h>
#include <OpenEXR/ImfTestFile.h>
#include <OpenEXR/ImfVecAttribute.h>

#include <algorithm>
#include <cstring>

#include "reyes/base/format.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
namespace {

PixelRect rectOf(const Imath::Box2i& b) { return {b.min.x, b.min.y, b.max.x + 1, b.max.y + 1}; }

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

void readAttributes(const Imf::Header& header, Image& out) {
  for (auto it = header.begin(); it != header.end(); ++it) {
    const Imf::Attribute* a = &it.attribute();
    Attribute& slot = out.attributes[it.name()];
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
      out.attributes.erase(it.name());
    }
  }
}

/// Where a channel stands in its layer: files keep names in alphabetical order, pictures are R G B A.
int rankOf(const std::string& name) {
  static const char* const order[] = {"R", "G", "B", "A", "Z"};
  const std::string last = name.substr(name.rfind('.') + 1);
  for (int i = 0; i < 5; ++i)
    if (last == order[i]) return i;
  return 5;
}

void orderChannels(std::vector<Channel>& channels) {
  const auto layer = [](const std::string& n) { return n.rfind('.') == n.npos ? "" : n.substr(0, n.rfind('.')); };
  std::stable_sort(channels.begin(), channels.end(), [&](const Channel& a, const Channel& b) {
    const std::string la = layer(a.name), lb = layer(b.name);
    return la != lb ? la < lb : rankOf(a.name) < rankOf(b.name);
  });
}

}  // namespace

bool looksLikeExr(const std::string& path) { return Imf::isOpenExrFile(path.c_str()); }

std::string readExr(const std::string& path, Image& out) {
  Imf::InputFile file(path.c_str(), 0);
  const Imf::Header& header = file.header();
  out.dataWindow = rectOf(header.dataWindow());
  out.displayWindow = rectOf(header.displayWindow());
  out.pixelAspect = header.pixelAspectRatio();
  out.compression = compressionName(header.compression());
  for (auto it = header.channels().begin(); it != header.channels().end(); ++it) {
    if (it.channel().xSampling != 1 || it.channel().ySampling != 1)
      return format("channel {} is subsampled", it.name());
    const Imf::PixelType t = it.channel().type;
    out.channels.push_back({it.name(), t == Imf::HALF    ? PixelType::kHalf
                                       : t == Imf::FLOAT ? PixelType::kFloat
                                                         : PixelType::kUint32});
  }
  orderChannels(out.channels);
  const auto n = static_cast<int64_t>(out.channels.size());
  if (std::string error = checkSize(path, out.width(), out.height(), n); !error.empty()) return error;
  readAttributes(header, out);
  // Every channel as floats, straight into the interleaved pixels.
  out.allocate();
  Imf::FrameBuffer fb;
  const size_t xs = sizeof(float) * out.channels.size(), ys = xs * out.width();
  for (size_t c = 0; c < out.channels.size(); ++c) {
    char* base = reinterpret_cast<char*>(out.pixels.data() + c);
    base -= static_cast<ptrdiff_t>(xs) * out.dataWindow.x0 + static_cast<ptrdiff_t>(ys) * out.dataWindow.y0;
    fb.insert(out.channels[c].name, Imf::Slice(Imf::FLOAT, base, xs, ys));
  }
  file.setFrameBuffer(fb);
  file.readPixels(out.dataWindow.y0, out.dataWindow.y1 - 1);
  return "";
}

}  // namespace reyes::image
