// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/z_map.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/image/image.h"

namespace reyes::texture {
namespace {

constexpr float kInfinity = Bound3::kInf;

int depthChannel(const image::Image& picture) {
  for (size_t c = 0; c < picture.channels.size(); ++c) {
    const std::string& name = picture.channels[c].name;
    if (name == "Z" || name == "z" || name.ends_with(".Z")) return static_cast<int>(c);
  }
  return picture.channels.size() == 1 ? 0 : -1;
}

const Matrix4* matrixOf(const image::Image& picture, const char* name) {
  const auto it = picture.attributes.find(name);
  return it == picture.attributes.end() ? nullptr : std::get_if<Matrix4>(&it->second);
}

}  // namespace

std::string ZMap::read(const std::string& path) {
  image::Image picture;
  if (std::string error = image::readImage(path, picture); !error.empty()) return error;
  const int channel = depthChannel(picture);
  if (channel < 0) return format("{}: has no depth channel Z", path);
  const Matrix4* camera = matrixOf(picture, "worldToCamera");
  const Matrix4* ndc = matrixOf(picture, "worldToNDC");
  if (!camera || !ndc) return format("{}: has no worldToCamera and worldToNDC matrices", path);
  camera_ = *camera, ndc_ = *ndc;
  window_ = picture.dataWindow, display_ = picture.displayWindow;
  // Nothing at all is farther than everything; so is a depth that no camera can see.
  const size_t n = picture.channels.size(), pixels = static_cast<size_t>(width()) * height();
  z_.resize(pixels);
  for (size_t i = 0; i < pixels; ++i) {
    const float z = picture.pixels[i * n + channel];
    z_[i] = z > 0 ? z : kInfinity;
  }
  buildBlocks();
  return "";
}

void ZMap::buildBlocks() {
  blocksX_ = (width() + kBlock - 1) / kBlock, blocksY_ = (height() + kBlock - 1) / kBlock;
  least_.assign(static_cast<size_t>(blocksX_) * blocksY_, kInfinity);
  greatest_.assign(least_.size(), 0);
  for (int y = 0; y < height(); ++y) {
    for (int x = 0; x < width(); ++x) {
      const size_t block = static_cast<size_t>(y / kBlock) * blocksX_ + x / kBlock;
      const float z = z_[static_cast<size_t>(y) * width() + x];
      least_[block] = std::min(least_[block], z);
      greatest_[block] = std::max(greatest_[block], z);
    }
  }
}

ZMap::Point ZMap::project(Vec3 p) const {
  const Vec4 h = transformHomogeneous(ndc_, {p.x, p.y, p.z, 1});
  const float z = transformPoint(camera_, p).z;
  if (!(h.w > 1e-12f)) return {0, 0, z, false};
  const auto w = static_cast<float>(display_.width()), height = static_cast<float>(display_.height());
  return {static_cast<float>(display_.x0) + h.x / h.w * w, static_cast<float>(display_.y0) + h.y / h.w * height, z,
          true};
}

/// The area to look at, in pixels: the parallelogram of the point's surroundings, grown on every side by the blur (and
/// to at least a pixel). Depth follows the receiver's own plane across it, so that a wide area does not shade itself.
struct ZMap::Area {
  float x, y, z;
  float ux = 0, uy = 0, uz = 0;  ///< across the parallelogram
  float vx = 0, vy = 0, vz = 0;
  float growX = 0, growY = 0;    ///< full width of the blur
  float slopeX = 0, slopeY = 0;  ///< change of depth a pixel on the receiver's plane
  float halfX() const { return 0.5f * (std::fabs(ux) + std::fabs(vx) + growX); }
  float halfY() const { return 0.5f * (std::fabs(uy) + std::fabs(vy) + growY); }
  float halfZ() const {
    return 0.5f * (std::fabs(uz) + std::fabs(vz) + std::fabs(slopeX) * growX + std::fabs(slopeY) * growY);
  }
};

ZMap::Area ZMap::filterArea(const Point& at, Vec3 worldP, const Vec3* du, const Vec3* dv,
                            const ShadowOptions& options) const {
  Area a{at.x, at.y, at.z};
  const float blur = std::max(options.blur, 0.0f), width = std::max(options.width, 0.0f);
  if (du && dv && width > 0) {
    const Point u = project(worldP + *du), v = project(worldP + *dv);
    if (u.ahead && v.ahead) {
      a.ux = (u.x - at.x) * width, a.uy = (u.y - at.y) * width, a.uz = (u.z - at.z) * width;
      a.vx = (v.x - at.x) * width, a.vy = (v.y - at.y) * width, a.vz = (v.z - at.z) * width;
    }
  }
  const float spanX = std::fabs(a.ux) + std::fabs(a.vx), spanY = std::fabs(a.uy) + std::fabs(a.vy);
  a.growX = std::max(blur * static_cast<float>(display_.width()), 1 - spanX);
  a.growY = std::max(blur * static_cast<float>(display_.height()), 1 - spanY);
  a.growX = std::max(a.growX, 0.0f), a.growY = std::max(a.growY, 0.0f);
  // Slope of the receiver where its two extents span a plane that is not edge-on to the light.
  const float det = a.ux * a.vy - a.uy * a.vx;
  if (std::fabs(det) > 1e-3f * (spanX * spanX + spanY * spanY) && std::fabs(det) > 1e-12f) {
    a.slopeX = (a.uz * a.vy - a.vz * a.uy) / det;
    a.slopeY = (a.vz * a.ux - a.uz * a.vx) / det;
    // A plane nearly edge-on says little about the depths around it.
    const float reach = 0.5f * (std::fabs(a.slopeX) * a.growX + std::fabs(a.slopeY) * a.growY), most = 0.1f * at.z;
    if (reach > most) a.slopeX *= most / reach, a.slopeY *= most / reach;
  }
  return a;
}

bool ZMap::blockRange(const Area& a, float& least, float& greatest) const {
  const float x0 = std::floor(a.x - a.halfX()) - static_cast<float>(window_.x0),
              x1 = a.x + a.halfX() - static_cast<float>(window_.x0);
  const float y0 = std::floor(a.y - a.halfY()) - static_cast<float>(window_.y0),
              y1 = a.y + a.halfY() - static_cast<float>(window_.y0);
  if (!(x0 >= 0 && y0 >= 0 && x1 < static_cast<float>(width()) && y1 < static_cast<float>(height()))) return false;
  const int bx0 = static_cast<int>(x0) / kBlock, bx1 = static_cast<int>(x1) / kBlock;
  const int by0 = static_cast<int>(y0) / kBlock, by1 = static_cast<int>(y1) / kBlock;
  if ((bx1 - bx0 + 1) * (by1 - by0 + 1) > 36) return false;
  least = kInfinity, greatest = 0;
  for (int y = by0; y <= by1; ++y) {
    for (int x = bx0; x <= bx1; ++x) {
      least = std::min(least, least_[static_cast<size_t>(y) * blocksX_ + x]);
      greatest = std::max(greatest, greatest_[static_cast<size_t>(y) * blocksX_ + x]);
    }
  }
  return true;
}

float ZMap::depth(int x, int y) const {
  if (!window_.contains(x, y)) return kInfinity;
  return z_[static_cast<size_t>(y - window_.y0) * width() + (x - window_.x0)];
}

float ZMap::occlusion(Vec3 worldP, const Vec3* du, const Vec3* dv, uint32_t seed, const ShadowOptions& options) const {
  const Point at = project(worldP);
  if (!at.ahead || !(at.z > 0)) return 0;
  const Area a = filterArea(at, worldP, du, dv, options);
  if (!(std::isfinite(a.halfX()) && std::isfinite(a.halfY()))) return 0;
  if (a.x + a.halfX() < static_cast<float>(window_.x0) || a.x - a.halfX() > static_cast<float>(window_.x1)) return 0;
  if (a.y + a.halfY() < static_cast<float>(window_.y0) || a.y - a.halfY() > static_cast<float>(window_.y1)) return 0;

  // Most areas are wholly lit or wholly dark: the depths of their blocks say so.
  const float biasLow = std::min(options.bias0, options.bias1), biasHigh = std::max(options.bias0, options.bias1);
  float least, greatest;
  if (blockRange(a, least, greatest)) {
    const float slack = a.halfZ() + 1e-5f * at.z;
    if (at.z + slack - biasLow <= least) return 0;
    if (at.z - slack - biasHigh > greatest) return 1;
  }

  // One jittered sample in each cell of a grid over the area.
  const int samples = std::clamp(options.samples, 1, 4096);
  const int columns = std::max(1, static_cast<int>(std::lround(std::sqrt(static_cast<double>(samples)))));
  const int rows = (samples + columns - 1) / columns, total = rows * columns;
  constexpr float kUnit = 1.0f / (1 << 21);
  int dark = 0;
  for (int i = 0; i < total; ++i) {
    const uint64_t h = mix64((static_cast<uint64_t>(seed) << 32) | static_cast<uint32_t>(i));
    const float jx = static_cast<float>(h & 0x1fffff) * kUnit, jy = static_cast<float>((h >> 21) & 0x1fffff) * kUnit;
    const float jb = static_cast<float>(h >> 43) * kUnit;
    const float s = (static_cast<float>(i % columns) + jx) / static_cast<float>(columns) - 0.5f;
    const float t = (static_cast<float>(i / columns) + jy) / static_cast<float>(rows) - 0.5f;
    // The same stratum places a sample in the parallelogram and in the blur around it.
    const float ox = a.growX * s, oy = a.growY * t;
    const float x = a.x + a.ux * s + a.vx * t + ox, y = a.y + a.uy * s + a.vy * t + oy;
    const float z = a.z + a.uz * s + a.vz * t + a.slopeX * ox + a.slopeY * oy;
    const float bias = biasLow + (biasHigh - biasLow) * jb;
    if (depth(static_cast<int>(std::floor(x)), static_cast<int>(std::floor(y))) < z - bias) ++dark;
  }
  return static_cast<float>(dark) / static_cast<float>(total);
}

}  // namespace reyes::texture
