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

namespace {

const char* const kMatrices[] = {"worldToCamera", "worldToNDC"};

/// The matrices of one face, under its number. Error text or "".
std::string takeMatrices(const std::string& file, const std::map<std::string, image::Attribute>& from, size_t face,
                         std::map<std::string, image::Attribute>& to) {
  for (const char* name : kMatrices) {
    const auto it = from.find(name);
    if (it == from.end()) return format("{}: its header lacks {}", file, name);
    to[format("{}{}", name, face)] = it->second;
  }
  return "";
}

std::string unlike(const std::string& file) {
  return format("{}: the faces of a cube are whole pictures of the same size", file);
}

bool whole(const PixelRect& data, const PixelRect& display) {
  return data.x0 == 0 && data.y0 == 0 && data.width() == display.width() && data.height() == display.height();
}

std::string makeFlatCube(const std::array<std::string, 6>& pictures, image::Image& out) {
  for (size_t f = 0; f < 6; ++f) {
    image::Image in;
    if (image::isDeepFile(pictures[f])) return format("{}: is deep as the other faces are not", pictures[f]);
    if (std::string error = image::readImage(pictures[f], in); !error.empty()) return error;
    const int depth = image::depthChannel(in);
    if (depth < 0) return format("{}: has no depth channel Z", pictures[f]);
    if (std::string error = takeMatrices(pictures[f], in.attributes, f, out.attributes); !error.empty()) return error;
    const int w = in.width(), h = in.height();
    if (f == 0) {
      out.channels = {{"Z", image::PixelType::kFloat}};
      out.dataWindow = out.displayWindow = {0, 0, w, h * 6};
      out.allocate();
    }
    if (w != out.width() || h * 6 != out.height() || !whole(in.dataWindow, in.displayWindow))
      return unlike(pictures[f]);
    const size_t pixels = static_cast<size_t>(w) * static_cast<size_t>(h);
    for (size_t i = 0; i < pixels; ++i)
      out.pixels[f * pixels + i] = in.pixels[i * in.channels.size() + static_cast<size_t>(depth)];
  }
  return "";
}

/// What a deep shadow is made of, of the channels that the first face has.
std::string makeDeepCube(const std::array<std::string, 6>& pictures, image::DeepImage& out) {
  for (size_t f = 0; f < 6; ++f) {
    image::DeepImage in;
    if (!image::isDeepFile(pictures[f])) return format("{}: is not deep as the other faces are", pictures[f]);
    if (std::string error = image::readDeep(pictures[f], in); !error.empty()) return error;
    if (std::string error = takeMatrices(pictures[f], in.attributes, f, out.attributes); !error.empty()) return error;
    if (f == 0) {
      for (const image::Channel& c : in.channels)
        for (const char* name : {"Z", "ZBack", "A", "AR", "AG", "AB"})
          if (c.name == name) out.channels.push_back(c);
      if (out.channel("Z") < 0 || (out.channel("A") < 0 && out.channel("AR") < 0))
        return format("{}: has no deep channels Z and A", pictures[f]);
      out.planes.resize(out.channels.size());
      out.dataWindow = out.displayWindow = {0, 0, in.width(), in.height() * 6};
      out.starts = {0};
    }
    if (in.width() != out.width() || in.height() * 6 != out.height() || !whole(in.dataWindow, in.displayWindow))
      return unlike(pictures[f]);
    const uint64_t before = out.starts.back();
    for (size_t i = 1; i < in.starts.size(); ++i) out.starts.push_back(before + in.starts[i]);
    for (size_t c = 0; c < out.channels.size(); ++c) {
      const int from = in.channel(out.channels[c].name);
      if (from < 0 || in.channels[static_cast<size_t>(from)].type != out.channels[c].type)
        return format("{}: its channel {} is not that of the other faces", pictures[f], out.channels[c].name);
      const std::vector<std::byte>& plane = in.planes[static_cast<size_t>(from)];
      out.planes[c].insert(out.planes[c].end(), plane.begin(), plane.end());
    }
  }
  return "";
}

}  // namespace

std::string makeCubeShadow(const std::array<std::string, 6>& pictures, const std::string& shadowMap,
                           const std::string& compression) {
  if (image::isDeepFile(pictures[0])) {
    image::DeepImage out;
    if (std::string error = makeDeepCube(pictures, out); !error.empty()) return error;
    out.attributes["reyes/mapType"] = std::string("cubeshadow");
    out.compression = image::isDeepCompression(compression) ? compression : "zips";
    return image::writeDeep(shadowMap, out, 1);
  }
  image::Image out;
  if (std::string error = makeFlatCube(pictures, out); !error.empty()) return error;
  out.attributes["reyes/mapType"] = std::string("cubeshadow");
  out.compression = compression;
  return image::writeImage(shadowMap, "exr", out, 1);
}

}  // namespace reyes::texture
