// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/rows.h"

#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfInputFile.h>

#include "reyes/base/format.h"
#include "reyes/image/exr_header.h"
#include "reyes/image/image_io.h"

namespace reyes::image {
namespace {

/// Exceptions of the library end here.
template <class F>
std::string guarded(const std::string& path, F&& f) {
  std::string error;
  try {
    error = f();
  } catch (const std::exception& e) {
    error = e.what();
  }
  return error.empty() ? "" : reyes::format("{}: {}", path, error);
}

}  // namespace

bool hasRows(const std::string& path) { return looksLikeExr(path); }

std::string readHeaderOf(const std::string& path, Image& out) {
  return guarded(path, [&] {
    out = Image();
    Imf::InputFile file(path.c_str(), 0);
    if (std::string error = readHeader(file.header(), out); !error.empty()) return error;
    return checkSize(path, out.width(), out.height(), static_cast<int64_t>(out.channels.size()));
  });
}

std::string readRows(const std::string& path, const std::string& channel, int y0, int y1, float* out) {
  return guarded(path, [&]() -> std::string {
    Imf::InputFile file(path.c_str(), 0);
    const Imath::Box2i& window = file.header().dataWindow();
    if (!file.header().channels().findChannel(channel)) return reyes::format("has no channel {}", channel);
    if (y0 < window.min.y || y1 > window.max.y + 1 || y0 >= y1) return "has other rows than before";
    const size_t row = sizeof(float) * (static_cast<size_t>(window.max.x - window.min.x) + 1);
    char* base = reinterpret_cast<char*>(out) - static_cast<ptrdiff_t>(sizeof(float)) * window.min.x -
                 static_cast<ptrdiff_t>(row) * y0;
    Imf::FrameBuffer fb;
    fb.insert(channel, Imf::Slice(Imf::FLOAT, base, sizeof(float), row));
    file.setFrameBuffer(fb);
    file.readPixels(y0, y1 - 1);
    return "";
  });
}

}  // namespace reyes::image
