// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/z_map.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/image/image.h"

namespace reyes::texture {
namespace {

constexpr float kInfinity = Bound3::kInf;

}  // namespace

ShadowStrata::ShadowStrata(int samples) {
  const int wanted = std::clamp(samples, 1, 4096);
  const int columns = std::max(1, static_cast<int>(std::lround(std::sqrt(static_cast<double>(wanted)))));
  const int rows = (wanted + columns - 1) / columns;
  stepS = 1 / static_cast<float>(columns), stepT = 1 / static_cast<float>(rows);
  for (int i = 0; i < rows * columns; ++i) {
    s.push_back(static_cast<float>(i % columns) * stepS - 0.5f);
    t.push_back(static_cast<float>(i / columns) * stepT - 0.5f);
  }
}

std::string ZMap::take(const image::Image& picture) {
  const int channel = image::depthChannel(picture);
  if (channel < 0) return "has no depth channel Z";
  if (std::string error = views_.read(picture.attributes, picture.dataWindow, picture.displayWindow); !error.empty())
    return error;
  // Nothing at all is farther than everything; so is a depth that no camera can see.
  const size_t n = picture.channels.size();
  const PixelRect& window = views_.faces()[0].window;
  const size_t pixels = static_cast<size_t>(window.width()) * static_cast<size_t>(window.height());
  z_.assign(views_.faces().size(), {});
  blocks_.assign(z_.size(), {});
  for (size_t f = 0; f < z_.size(); ++f) {
    z_[f].resize(pixels + 1, kInfinity);
    for (size_t i = 0; i < pixels; ++i) {
      const float z = picture.pixels[(f * pixels + i) * n + static_cast<size_t>(channel)];
      z_[f][i] = z > 0 ? z : kInfinity;
    }
    buildBlocks(f);
  }
  return "";
}

void ZMap::buildBlocks(size_t face) {
  const PixelRect& window = views_.faces()[face].window;
  Blocks& b = blocks_[face];
  b.across = (window.width() + kBlock - 1) / kBlock;
  const int down = (window.height() + kBlock - 1) / kBlock;
  b.least.assign(static_cast<size_t>(b.across) * static_cast<size_t>(down), kInfinity);
  b.greatest.assign(b.least.size(), 0);
  for (int y = 0; y < window.height(); ++y)
    for (int x = 0; x < window.width(); ++x) {
      const size_t block =
          static_cast<size_t>(y / kBlock) * static_cast<size_t>(b.across) + static_cast<size_t>(x / kBlock);
      const float z = z_[face][static_cast<size_t>(y) * static_cast<size_t>(window.width()) + static_cast<size_t>(x)];
      b.least[block] = std::min(b.least[block], z);
      b.greatest[block] = std::max(b.greatest[block], z);
    }
}

bool ZMap::blockRange(const ShadowArea& a, float& least, float& greatest) const {
  const PixelRect& window = views_.faces()[static_cast<size_t>(a.face)].window;
  const Blocks& b = blocks_[static_cast<size_t>(a.face)];
  const float x0 = std::floor(a.x - a.halfX()) - static_cast<float>(window.x0),
              x1 = a.x + a.halfX() - static_cast<float>(window.x0);
  const float y0 = std::floor(a.y - a.halfY()) - static_cast<float>(window.y0),
              y1 = a.y + a.halfY() - static_cast<float>(window.y0);
  if (!(x0 >= 0 && y0 >= 0 && x1 < static_cast<float>(window.width()) && y1 < static_cast<float>(window.height())))
    return false;
  const int bx0 = static_cast<int>(x0) / kBlock, bx1 = static_cast<int>(x1) / kBlock;
  const int by0 = static_cast<int>(y0) / kBlock, by1 = static_cast<int>(y1) / kBlock;
  if ((bx1 - bx0 + 1) * (by1 - by0 + 1) > 36) return false;
  least = kInfinity, greatest = 0;
  for (int y = by0; y <= by1; ++y)
    for (int x = bx0; x <= bx1; ++x) {
      const size_t k = static_cast<size_t>(y) * static_cast<size_t>(b.across) + static_cast<size_t>(x);
      least = std::min(least, b.least[k]);
      greatest = std::max(greatest, b.greatest[k]);
    }
  return true;
}

bool ZMap::insideFace(const ShadowArea& a) const {
  const PixelRect& w = views_.faces()[static_cast<size_t>(a.face)].window;
  return a.x - a.halfX() >= static_cast<float>(w.x0) && a.x + a.halfX() < static_cast<float>(w.x1) &&
         a.y - a.halfY() >= static_cast<float>(w.y0) && a.y + a.halfY() < static_cast<float>(w.y1);
}

/// Samples beyond the border of a cube's face are looked up in the face that sees them.
int ZMap::darkOverFaces(const ShadowArea& a, const ShadowPattern& pattern, uint32_t seed,
                        const ShadowKernels& kernels) const {
  constexpr int kChunk = 64;
  float x[kChunk], y[kChunk], z[kChunk], bias[kChunk];
  int count = 0;
  for (int base = 0; base < pattern.samples; base += kChunk) {
    const int end = std::min(base + kChunk, pattern.samples);
    kernels.place(a, pattern, seed, base, end, x, y, z, bias);
    for (int i = 0; i < end - base; ++i) {
      int face = a.face;
      float px = x[i], py = y[i], pz = z[i];
      const PixelRect& window = views_.faces()[0].window;
      const auto outside = [&] {
        return !(px >= 0 && py >= 0 && px < static_cast<float>(window.width()) &&
                 py < static_cast<float>(window.height()));
      };
      if (outside() && (!views_.otherFace(a.face, x[i], y[i], z[i], face, px, py, pz) || outside())) continue;
      const size_t at = static_cast<size_t>(py) * static_cast<size_t>(window.width()) + static_cast<size_t>(px);
      if (z_[static_cast<size_t>(face)][at] < pz - bias[i]) ++count;
    }
  }
  return count;
}

float ZMap::occlusion(const ShadowArea& a, const ShadowPattern& pattern, uint32_t seed,
                      const ShadowKernels& kernels) const {
  // Most areas are wholly lit or wholly dark: the depths of their blocks say so.
  float least, greatest;
  if (blockRange(a, least, greatest)) {
    const float slack = a.halfZ() + 1e-5f * a.z;
    if (a.z + slack - a.bias0 <= least) return 0;
    if (a.z - slack - a.bias1 - a.cone * (a.halfX() + a.halfY() + 1) > greatest) return 1;
  }
  const ShadowFace& face = views_.faces()[static_cast<size_t>(a.face)];
  const ShadowDepths depths{z_[static_cast<size_t>(a.face)].data(), face.window.x0, face.window.y0, face.window.width(),
                            face.window.height()};
  const int dark = views_.cube() && !insideFace(a) ? darkOverFaces(a, pattern, seed, kernels)
                                                   : kernels.dark(depths, a, pattern, seed);
  return static_cast<float>(dark) / static_cast<float>(pattern.samples);
}

int ZMap::look(const ShadowBatch& batch, const ShadowOptions& options, int channels, float* const* out) const {
  const ShadowStrata strata(options.samples);
  const ShadowPattern pattern = strata.pattern();
  const ShadowKernels& kernels = shadowKernels(options.isa);
  std::vector<ShadowArea> areas;
  views_.areas(batch, options, areas);
  int count = 0;
  for (int i = 0; i < batch.n; ++i) {
    if (batch.active && !batch.active[i]) continue;
    ++count;
    const ShadowArea& a = areas[static_cast<size_t>(i)];
    const float dark = a.face < 0 ? 0.0f : occlusion(a, pattern, batch.seed ? batch.seed[i] : 0u, kernels);
    for (int c = 0; c < channels; ++c) out[c][i] = dark;
  }
  return count;
}

}  // namespace reyes::texture
