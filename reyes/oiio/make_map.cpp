// SPDX-License-Identifier: Apache-2.0
// Tiled, mip-mapped texture files through OpenImageIO's maketx library. Called by texture/make_maps.cpp.
#include <OpenImageIO/imagebuf.h>
#include <OpenImageIO/imagebufalgo.h>
#include <OpenImageIO/imagecache.h>
#include <OpenImageIO/strutil.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <sstream>

#include "reyes/texture/picture_cache.h"

namespace reyes::oiio {
namespace {

using namespace texture;

/// Spaces whose curve is known without a configuration of colour spaces; their primaries are taken for ours.
enum class Curve { kNone, kLinear, kSrgb, kRec709, kGamma18, kGamma22 };
Curve curveOf(const std::string& space) {
  struct Named {
    const char* name;
    Curve curve;
  };
  static constexpr Named kNames[] = {{"linear", Curve::kLinear},    {"scene_linear", Curve::kLinear},
                                     {"srgb", Curve::kSrgb},        {"rec709", Curve::kRec709},
                                     {"gamma1.8", Curve::kGamma18}, {"gamma2.2", Curve::kGamma22}};
  for (const Named& n : kNames)
    if (OIIO::Strutil::iequals(space, n.name)) return n.curve;
  return Curve::kNone;
}

float linear(float v, Curve curve) {
  const float a = std::fabs(v);
  float r = a;
  if (curve == Curve::kSrgb) r = a <= 0.04045f ? a / 12.92f : std::pow((a + 0.055f) / 1.055f, 2.4f);
  if (curve == Curve::kRec709) r = a < 0.081f ? a / 4.5f : std::pow((a + 0.099f) / 1.099f, 1 / 0.45f);
  if (curve == Curve::kGamma18) r = std::pow(a, 1.8f);
  if (curve == Curve::kGamma22) r = std::pow(a, 2.2f);
  return std::copysign(r, v);
}

/// Takes the curve off the colours, not off alpha.
void linearise(OIIO::ImageBuf& source, Curve curve) {
  const OIIO::ImageSpec spec = source.spec();
  OIIO::ImageBuf floats = OIIO::ImageBufAlgo::copy(source, OIIO::TypeDesc::FLOAT);
  auto* v = static_cast<float*>(floats.localpixels());
  const size_t n = static_cast<size_t>(spec.nchannels), count = static_cast<size_t>(spec.image_pixels()) * n;
  for (size_t i = 0; i < count; ++i)
    if (static_cast<int>(i % n) != spec.alpha_channel && i % n <= 2) v[i] = linear(v[i], curve);
  source = std::move(floats);
}

/// The full window as pixels, from 0, black where the file has none: a map has no place of its own.
void fillWindow(OIIO::ImageBuf& source) {
  const OIIO::ROI full = source.roi_full();
  OIIO::ROI pixels = source.roi();
  pixels.chbegin = full.chbegin, pixels.chend = full.chend;
  if (pixels == full && full.xbegin == 0 && full.ybegin == 0) return;
  source = OIIO::ImageBufAlgo::cut(source, full);
}

OIIO::ImageSpec makeConfig(bool exr, const std::string& kind, const MapOptions& options) {
  OIIO::ImageSpec config;
  config.attribute("maketx:fileformatname", exr ? "openexr" : "tiff");
  config.attribute("maketx:filtername", options.filter);
  config.attribute("maketx:nthreads", options.threads);
  config.attribute("wrapmodes", options.sWrap + "," + options.tWrap);
  config.attribute("textureformat", kind);
  // Halves stay such, in a file that only we read.
  config.attribute("tiff:half", 1);
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
  // Another pass of this run may have written the file again: what is known of it is forgotten.
  OIIO::ImageCache* known = OIIO::ImageCache::create(true);
  known->invalidate(OIIO::ustring(source.path), true);
  out = OIIO::ImageBuf(source.path);
  return out.read(0, 0, true) ? "" : out.geterror();
}

std::string makeMap(const MapSource& from, const std::string& temporary, bool exr, const std::string& kind,
                    const MapOptions& options) {
  OIIO::ImageBuf source;
  if (std::string error = openSource(from, source); !error.empty()) return error;
  OIIO::ImageSpec config = makeConfig(exr, kind, options);
  // Four types are kept; tiles of others are no tiles that look-ups can read.
  const OIIO::TypeDesc type = source.spec().format;
  const OIIO::TypeDesc kept[] = {OIIO::TypeDesc::UINT8, OIIO::TypeDesc::UINT16, OIIO::TypeDesc::HALF};
  if (std::find(std::begin(kept), std::end(kept), type) == std::end(kept)) config.set_format(OIIO::TypeDesc::FLOAT);
  const Curve curve = curveOf(options.fromColorSpace);
  if (curve != Curve::kNone) {
    // Darks of 8 bits need 16 once linear.
    const bool whole = !source.spec().format.is_floating_point();
    if (curve != Curve::kLinear && whole) config.set_format(OIIO::TypeDesc::UINT16);
    if (curve != Curve::kLinear) linearise(source, curve);
  } else if (!options.fromColorSpace.empty()) {
    if (!std::getenv("OCIO"))
      return "no colour space " + options.fromColorSpace +
             " is known (linear sRGB Rec709 Gamma1.8 Gamma2.2; others by the configuration that $OCIO names)";
    config.attribute("maketx:incolorspace", options.fromColorSpace);
    config.attribute("maketx:outcolorspace", options.toColorSpace.empty() ? "linear" : options.toColorSpace);
  }
  fillWindow(source);
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
