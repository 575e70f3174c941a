// SPDX-License-Identifier: Apache-2.0
// Tiled, mip-mapped texture files through OpenImageIO's maketx library. Called by texture/make_maps.cpp.
#include <OpenImageIO/imagebuf.h>
#include <OpenImageIO/imagebufalgo.h>
#include <OpenImageIO/strutil.h>

#include <cmath>
#include <sstream>

#include "reyes/texture/picture_cache.h"

namespace reyes::oiio {
namespace {

using namespace texture;

bool isSrgb(const std::string& space) { return OIIO::Strutil::iequals(space, "sRGB"); }

/// Takes the sRGB curve off the colours, not off alpha.
void linearise(OIIO::ImageBuf& source) {
  const OIIO::ImageSpec spec = source.spec();
  OIIO::ImageBuf floats = OIIO::ImageBufAlgo::copy(source, OIIO::TypeDesc::FLOAT);
  auto* v = static_cast<float*>(floats.localpixels());
  const size_t n = static_cast<size_t>(spec.nchannels), count = static_cast<size_t>(spec.image_pixels()) * n;
  for (size_t i = 0; i < count; ++i) {
    if (static_cast<int>(i % n) == spec.alpha_channel || i % n > 2) continue;
    v[i] = v[i] <= 0.04045f ? v[i] / 12.92f : std::pow((v[i] + 0.055f) / 1.055f, 2.4f);
  }
  source = std::move(floats);
}

OIIO::ImageSpec makeConfig(bool exr, const std::string& kind, const MapOptions& options) {
  OIIO::ImageSpec config;
  config.attribute("maketx:fileformatname", exr ? "openexr" : "tiff");
  config.attribute("maketx:filtername", options.filter);
  config.attribute("maketx:nthreads", options.threads);
  config.attribute("wrapmodes", options.sWrap + "," + options.tWrap);
  config.attribute("textureformat", kind);
  config.tile_width = config.tile_height = 64, config.tile_depth = 1;
  return config;
}

/// The pixels in memory, or those of the file.
std::string openSource(const MapSource& source, OIIO::ImageBuf& out) {
  if (source.pixels) {
    const image::Image& im = *source.pixels;
    const OIIO::ImageSpec spec(im.width(), im.height(), static_cast<int>(im.channels.size()), OIIO::TypeDesc::FLOAT);
    out = OIIO::ImageBuf(spec);
    const bool put = out.set_pixels(OIIO::ROI(), OIIO::TypeDesc::FLOAT, im.pixels.data());
    return put ? "" : out.geterror();
  }
  out = OIIO::ImageBuf(source.path);
  return out.read(0, 0, true) ? "" : out.geterror();
}

std::string makeMap(const MapSource& from, const std::string& temporary, bool exr, const std::string& kind,
                    const MapOptions& options) {
  OIIO::ImageBuf source;
  if (std::string error = openSource(from, source); !error.empty()) return error;
  OIIO::ImageSpec config = makeConfig(exr, kind, options);
  // sRGB needs no configuration of colour spaces; darks of 8 bits need 16 once linear.
  if (isSrgb(options.fromColorSpace)) {
    if (!source.spec().format.is_floating_point()) config.set_format(OIIO::TypeDesc::UINT16);
    linearise(source);
  } else if (!options.fromColorSpace.empty()) {
    config.attribute("maketx:incolorspace", options.fromColorSpace);
    config.attribute("maketx:outcolorspace", options.toColorSpace.empty() ? "linear" : options.toColorSpace);
  }
  std::ostringstream log;
  if (OIIO::ImageBufAlgo::make_texture(OIIO::ImageBufAlgo::MakeTxTexture, source, temporary, config, &log)) return "";
  std::string error = OIIO::geterror();
  if (error.empty()) error = log.str();
  return error.empty() ? "could not be made" : error;
}

}  // namespace
}  // namespace reyes::oiio

extern "C" __attribute__((visibility("default"))) void reyesMakeMap(const reyes::texture::MapSource& source,
                                                                    const std::string& temporary, bool exr,
                                                                    const std::string& kind,
                                                                    const reyes::texture::MapOptions& options,
                                                                    std::string& error) {
  error = reyes::oiio::makeMap(source, temporary, exr, kind, options);
}
