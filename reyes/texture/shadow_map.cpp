// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/shadow_map.h"

#include <algorithm>

#include "reyes/base/format.h"
#include "reyes/image/deep.h"
#include "reyes/image/image.h"
#include "reyes/texture/deep_shadow.h"
#include "reyes/texture/z_map.h"

namespace reyes::texture {

namespace {

/// A deep map as one page of the pool: read, thrown out and read again as a whole.
class DeepFile final : public ShadowMap {
 public:
  DeepFile(std::string path, int64_t bytes, MapMemory& memory)
      : path_(std::move(path)), bytes_(bytes), memory_(memory) {}
  ~DeepFile() override { memory_.forget(page_); }

  std::string open() {
    const std::shared_ptr<const DeepShadow> map = get();
    if (!map) return error();
    width_ = map->width(), height_ = map->height(), channels_ = map->channels();
    camera_ = map->worldToCamera(), ndc_ = map->worldToNdc();
    if (const int lost = map->levelsLost(); lost > 0)
      remark_ =
          format("{}: the map is larger than the {} KB that texturememory leaves it: it is seen with {} x {} pixels",
                 path_, bytes_ >> 10, std::max(1, width_ >> lost), std::max(1, height_ >> lost));
    return "";
  }

  int look(const ShadowBatch& batch, const ShadowOptions& options, int channels, float* const* out) const override {
    if (const std::shared_ptr<const DeepShadow> map = get()) return map->look(batch, options, channels, out);
    for (int c = 0; c < channels; ++c)
      for (int i = 0; i < batch.n; ++i)
        if (!batch.active || batch.active[i]) out[c][i] = 0;
    return 0;
  }
  int width() const override { return width_; }
  int height() const override { return height_; }
  int channels() const override { return channels_; }
  const Matrix4& worldToCamera() const override { return camera_; }
  const Matrix4& worldToNdc() const override { return ndc_; }
  std::string remark() const override { return remark_; }
  std::string error() const override {
    const std::lock_guard lock(errorMutex_);
    return error_;
  }

 private:
  std::shared_ptr<const DeepShadow> get() const {
    return memory_.get<DeepShadow>(page_, [this](size_t& bytes) -> std::shared_ptr<const DeepShadow> {
      image::DeepImage deep;
      std::string why = image::readDeep(path_, deep);
      auto map = std::make_shared<DeepShadow>();
      if (why.empty()) {
        why = map->take(deep, bytes_);
        if (!why.empty()) why = format("{}: {}", path_, why);
      }
      bytes = map->bytes();
      if (why.empty()) return map;
      const std::lock_guard lock(errorMutex_);
      error_ = why;
      return nullptr;
    });
  }

  const std::string path_;
  const int64_t bytes_;
  MapMemory& memory_;
  mutable MapMemory::Page page_;
  int width_ = 0, height_ = 0, channels_ = 1;
  Matrix4 camera_, ndc_;
  std::string remark_;
  mutable std::mutex errorMutex_;
  mutable std::string error_;
};

}  // namespace

std::unique_ptr<const ShadowMap> openShadowMap(const std::string& path, int64_t bytes, MapMemory& memory,
                                               std::string& error) {
  if (image::isDeepFile(path)) {
    auto map = std::make_unique<DeepFile>(path, bytes, memory);
    error = map->open();
    if (error.empty()) return map;
    return nullptr;
  }
  auto map = std::make_unique<ZMap>(memory);
  error = map->open(path);
  if (error.empty()) return map;
  return nullptr;
}

std::string makeCubeShadow(const std::array<std::string, 6>& pictures, const std::string& shadowMap,
                           const std::string& compression) {
  image::Image out;
  for (size_t f = 0; f < 6; ++f) {
    image::Image in;
    if (std::string error = image::readImage(pictures[f], in); !error.empty()) return error;
    size_t depth = in.channels.size() == 1 ? 0 : in.channels.size();
    for (size_t c = 0; c < in.channels.size(); ++c)
      if (in.channels[c].name == "Z" || in.channels[c].name == "z") depth = c;
    if (depth == in.channels.size()) return format("{}: has no depth channel Z", pictures[f]);
    for (const char* name : {"worldToCamera", "worldToNDC"}) {
      if (!in.attributes.count(name)) return format("{}: its header lacks {}", pictures[f], name);
      out.attributes[format("{}{}", name, f)] = in.attributes[name];
    }
    const int w = in.width(), h = in.height();
    if (f == 0) {
      out.channels = {{"Z", image::PixelType::kFloat}};
      out.dataWindow = out.displayWindow = {0, 0, w, h * 6};
      out.allocate();
    }
    if (w != out.width() || h * 6 != out.height() || in.dataWindow.x0 || in.dataWindow.y0 ||
        in.displayWindow.width() != w || in.displayWindow.height() != h)
      return format("{}: the faces of a cube are whole pictures of the same size", pictures[f]);
    const size_t pixels = static_cast<size_t>(w) * static_cast<size_t>(h);
    for (size_t i = 0; i < pixels; ++i) out.pixels[f * pixels + i] = in.pixels[i * in.channels.size() + depth];
  }
  out.attributes["reyes/mapType"] = std::string("cubeshadow");
  out.compression = compression;
  return image::writeImage(shadowMap, "exr", out, 1);
}

}  // namespace reyes::texture
