// SPDX-License-Identifier: Apache-2.0
// The cache of picture tiles and its filtered look-ups: OpenImageIO's texture system. Called by
// texture/texture_system.cpp, one batch of lanes at a time.
#include "reyes/texture/picture_cache.h"

#include <OpenImageIO/texture.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

namespace reyes::oiio {
namespace {

using namespace texture;
using OiioSystem = OIIO::TextureSystem;

float finite(float v) { return std::isfinite(v) ? v : 0.0f; }

OIIO::TextureOpt optionsOf(const LookupOptions& options) {
  OIIO::TextureOpt o;
  o.firstchannel = std::max(0, options.firstChannel);
  o.sblur = std::max(0.0f, finite(options.sBlur)), o.tblur = std::max(0.0f, finite(options.tBlur));
  o.swidth = std::max(0.0f, finite(options.sWidth)), o.twidth = std::max(0.0f, finite(options.tWidth));
  o.fill = options.fill;
  if (options.filter == "point" || options.filter == "nearest" || options.filter == "closest") {
    o.interpmode = OIIO::TextureOpt::InterpClosest;
    o.mipmode = OIIO::TextureOpt::MipModeNoMIP;
  } else if (options.filter == "bilinear") {
    o.interpmode = OIIO::TextureOpt::InterpBilinear;
  }
  return o;
}

/// Gathers one lane's channels into planes.
class LaneResult {
 public:
  explicit LaneResult(int channels) : channels_(channels) {
    if (channels > kFew) many_.resize(static_cast<size_t>(channels));
  }
  float* data() { return channels_ > kFew ? many_.data() : few_; }
  void scatter(float* const* out, int lane) {
    const float* from = data();
    for (int c = 0; c < channels_; ++c) out[c][lane] = from[c];
  }

 private:
  static constexpr int kFew = 16;
  int channels_;
  float few_[kFew] = {};
  std::vector<float> many_;
};

bool readMatrix(const OIIO::ImageSpec& spec, const char* name, Matrix4& to) {
  const OIIO::ParamValue* p = spec.find_attribute(name, OIIO::TypeMatrix);
  if (p) std::memcpy(to.m, p->data(), sizeof to.m);
  return p != nullptr;
}

class Cache : public PictureCache {
 public:
  explicit Cache(int64_t memoryBytes) : oiio_(OiioSystem::create(false)) {
    const float megabytes = memoryBytes > 0 ? static_cast<float>(memoryBytes) / (1 << 20) : 1024.0f;
    oiio_->attribute("max_memory_MB", std::max(megabytes, 16.0f));
    oiio_->attribute("automip", 1);
    oiio_->attribute("autotile", 64);
    oiio_->attribute("accept_untiled", 1);
    oiio_->attribute("accept_unmipped", 1);
  }
  ~Cache() override { OiioSystem::destroy(oiio_, true); }

  Picture* open(const std::string& path, PictureInfo& info, std::string& error) override {
    const OIIO::ustring name(path);
    OiioSystem::TextureHandle* handle = oiio_->get_texture_handle(name);
    OIIO::ImageSpec spec;
    if (!handle || !oiio_->good(handle) || !oiio_->get_imagespec(name, 0, spec)) {
      const std::string why = oiio_->geterror();
      error = why.substr(0, why.find('\n'));
      if (error.empty()) error = "not a picture that can be read";
      return nullptr;
    }
    info.width = spec.width, info.height = spec.height, info.channels = spec.nchannels;
    info.yUp = spec.get_string_attribute("oiio:updirection") == "y";
    info.environment = spec.get_string_attribute("textureformat").find("Environment") != std::string::npos;
    info.hasView = readMatrix(spec, "worldtocamera", info.worldToCamera);
    info.hasProjection = readMatrix(spec, "worldtoscreen", info.worldToScreen);
    return reinterpret_cast<Picture*>(handle);
  }

  int sample(Picture* picture, const TextureBatch& batch, const LookupOptions& options, WrapRule wrap, int channels,
             float* const* out, std::string& error) override {
    OIIO::TextureOpt opt = optionsOf(options);
    if (wrap == WrapRule::kLatLong) {
      opt.swrap = OIIO::TextureOpt::WrapPeriodic;
      opt.twrap = OIIO::TextureOpt::WrapClamp;
    }
    OiioSystem::Perthread* thread = oiio_->get_perthread_info();
    auto* handle = reinterpret_cast<OiioSystem::TextureHandle*>(picture);
    LaneResult result(channels);
    int count = 0;
    const auto at = [](const float* plane, int i) { return plane ? finite(plane[i]) : 0.0f; };
    for (int i = 0; i < batch.n; ++i) {
      if (batch.active && !batch.active[i]) continue;
      oiio_->texture(handle, thread, opt, at(batch.s, i), at(batch.t, i), at(batch.dsdu, i), at(batch.dtdu, i),
                     at(batch.dsdv, i), at(batch.dtdv, i), channels, result.data());
      result.scatter(out, i);
      ++count;
    }
    error = oiio_->geterror();
    return count;
  }

  void invalidate(const std::string& path) override { oiio_->invalidate(OIIO::ustring(path)); }

 private:
  OiioSystem* oiio_;
};

}  // namespace
}  // namespace reyes::oiio

extern "C" __attribute__((visibility("default"))) reyes::texture::PictureCache* reyesMakePictureCache(
    int64_t memoryBytes) {
  return new reyes::oiio::Cache(memoryBytes);
}
