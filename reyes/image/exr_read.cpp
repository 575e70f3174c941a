// SPDX-License-Identifier: Apache-2.0
// EXR in, through OpenEXR: scanline and tiled files (the first part of several), with header attributes of the kinds
// that image::Attribute holds. Called by readImage().
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfTestFile.h>

#include "reyes/base/format.h"
#include "reyes/image/exr_header.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
bool looksLikeExr(const std::string& path) { return Imf::isOpenExrFile(path.c_str()); }

std::string readExr(const std::string& path, Image& out) {
  Imf::InputFile file(path.c_str(), 0);
  const Imf::Header& header = file.header();
  if (std::string error = readHeader(header, out); !error.empty()) return error;
  const auto n = static_cast<int64_t>(out.channels.size());
  if (std::string error = checkSize(path, out.width(), out.height(), n); !error.empty()) return error;
  // Every channel as floats (or the bits of whole numbers), straight into the interleaved pixels.
  out.allocate();
  Imf::FrameBuffer fb;
  const size_t xs = sizeof(float) * out.channels.size(), ys = xs * out.width();
  for (size_t c = 0; c < out.channels.size(); ++c) {
    char* base = reinterpret_cast<char*>(out.pixels.data() + c);
    base -= static_cast<ptrdiff_t>(xs) * out.dataWindow.x0 + static_cast<ptrdiff_t>(ys) * out.dataWindow.y0;
    const bool bits = out.wholeBits && out.channels[c].type == PixelType::kUint32;
    fb.insert(out.channels[c].name, Imf::Slice(bits ? Imf::UINT : Imf::FLOAT, base, xs, ys));
  }
  file.setFrameBuffer(fb);
  file.readPixels(out.dataWindow.y0, out.dataWindow.y1 - 1);
  return "";
}

}  // namespace reyes::image
