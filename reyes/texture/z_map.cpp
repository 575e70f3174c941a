// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/z_map.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/image/image.h"
#include "reyes/image/rows.h"

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

class ZMap::Hand {
 public:
  explicit Hand(const ZMap& map) : map_(map), strips_(map.pages_.size()) {}
  const Strip& strip(size_t face, int number) {
    std::shared_ptr<const Strip>& held =
        strips_[face * static_cast<size_t>(map_.stripsOf()) + static_cast<size_t>(number)];
    if (!held) held = map_.strip(face, number);
    return *held;
  }

 private:
  const ZMap& map_;
  std::vector<std::shared_ptr<const Strip>> strips_;
};

ZMap::~ZMap() {
  for (MapMemory::Page& page : pages_) memory_.forget(page);
  memory_.addFixed(-fixedBytes_);
}

std::string ZMap::open(const std::string& path) {
  path_ = path, rows_ = image::hasRows(path);
  image::Image header;
  if (std::string error = rows_ ? image::readHeaderOf(path, header) : image::readImage(path, header); !error.empty())
    return error;
  const int channel = image::depthChannel(header);
  if (channel < 0) return format("{}: has no depth channel Z", path);
  channel_ = header.channels[static_cast<size_t>(channel)].name;
  if (std::string error = views_.read(header.attributes, header.dataWindow, header.displayWindow); !error.empty())
    return format("{}: {}", path, error);
  header.pixels = {};
  fileTop_ = header.dataWindow.y0;
  const int rows = stripBytes_ / (faceWidth() * static_cast<int>(sizeof(float))) / kBlock * kBlock;
  stripRows_ = rows_ ? std::clamp(rows, kBlock, std::max(kBlock, faceHeight())) : faceHeight();
  pages_.resize(views_.faces().size() * static_cast<size_t>(stripsOf()));
  return readBlocks();
}

/// Goes through the file once. Strips stay in memory as there is room.
std::string ZMap::readBlocks() {
  Blocks empty;
  empty.across = (faceWidth() + kBlock - 1) / kBlock;
  const size_t count = static_cast<size_t>(empty.across) * static_cast<size_t>((faceHeight() + kBlock - 1) / kBlock);
  empty.least.assign(count, kInfinity), empty.greatest.assign(count, 0);
  blocks_.assign(views_.faces().size(), empty);
  fixedBytes_ = static_cast<int64_t>(count * blocks_.size() * 2 * sizeof(float));
  memory_.addFixed(fixedBytes_);
  for (size_t face = 0; face < blocks_.size(); ++face)
    for (int k = 0; k < stripsOf(); ++k) {
      const std::shared_ptr<const Strip> read = strip(face, k);
      if (!error_.empty()) return error_;
      addBlocks(face, k * stripRows_, *read);
    }
  return "";
}

std::string ZMap::error() const {
  const std::lock_guard lock(errorMutex_);
  return error_;
}

/// A strip that can no longer be read shows nothing.
std::shared_ptr<const ZMap::Strip> ZMap::strip(size_t face, int number) const {
  MapMemory::Page& page = pages_[face * static_cast<size_t>(stripsOf()) + static_cast<size_t>(number)];
  return memory_.get<Strip>(page, [&](size_t& bytes) {
    auto made = std::make_shared<Strip>();
    if (std::string why = load(face, number, *made); !why.empty()) {
      const std::lock_guard lock(errorMutex_);
      error_ = why;
    }
    bytes = made->z.size() * sizeof(float);
    return made;
  });
}

std::string ZMap::load(size_t face, int number, Strip& to) const {
  const int first = static_cast<int>(face) * faceHeight() + number * stripRows_;
  const int count = std::min(stripRows_, faceHeight() - number * stripRows_);
  const size_t width = static_cast<size_t>(faceWidth()), pixels = width * static_cast<size_t>(count);
  to.z.assign(pixels + 1, kInfinity);
  std::string error;
  if (rows_) {
    error = image::readRows(path_, channel_, fileTop_ + first, fileTop_ + first + count, to.z.data());
  } else {
    image::Image picture;
    error = image::readImage(path_, picture);
    const int channel = image::depthChannel(picture);
    const size_t n = picture.channels.size(), from = static_cast<size_t>(first) * width;
    if (error.empty() && (channel < 0 || picture.pixels.size() < (from + pixels) * n))
      error = format("{}: is another picture than before", path_);
    for (size_t i = 0; error.empty() && i < pixels; ++i)
      to.z[i] = picture.pixels[(from + i) * n + static_cast<size_t>(channel)];
  }
  // Nothing at all is farther than everything; so is a depth that no camera can see.
  for (size_t i = 0; i < pixels; ++i) to.z[i] = error.empty() && to.z[i] > 0 ? to.z[i] : kInfinity;
  return error;
}

void ZMap::addBlocks(size_t face, int firstRow, const Strip& strip) {
  Blocks& b = blocks_[face];
  const size_t width = static_cast<size_t>(faceWidth());
  for (size_t i = 0; i + 1 < strip.z.size(); ++i) {
    const size_t y = static_cast<size_t>(firstRow) + i / width, x = i % width;
    const size_t block = y / kBlock * static_cast<size_t>(b.across) + x / kBlock;
    b.least[block] = std::min(b.least[block], strip.z[i]);
    b.greatest[block] = std::max(b.greatest[block], strip.z[i]);
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

/// Sample by sample, wherever it falls; beyond the border of a cube's face in the face that sees it.
int ZMap::darkAnywhere(const ShadowArea& a, const ShadowPattern& pattern, uint32_t seed, const ShadowKernels& kernels,
                       Hand& hand) const {
  constexpr int kChunk = 64;
  float x[kChunk], y[kChunk], z[kChunk], bias[kChunk];
  int count = 0;
  const PixelRect& window = views_.faces()[0].window;
  const float left = static_cast<float>(window.x0), top = static_cast<float>(window.y0);
  const float width = static_cast<float>(window.width()), height = static_cast<float>(window.height());
  for (int base = 0; base < pattern.samples; base += kChunk) {
    const int end = std::min(base + kChunk, pattern.samples);
    kernels.place(a, pattern, seed, base, end, x, y, z, bias);
    for (int i = 0; i < end - base; ++i) {
      int face = a.face;
      float px = std::floor(x[i]) - left, py = std::floor(y[i]) - top, pz = z[i];
      const auto outside = [&] { return !(px >= 0 && py >= 0 && px < width && py < height); };
      if (outside()) {
        if (!views_.cube() || !views_.otherFace(a.face, x[i], y[i], z[i], face, px, py, pz) || outside()) continue;
      }
      const int row = static_cast<int>(py), strip = row / stripRows_;
      const size_t at =
          static_cast<size_t>(row - strip * stripRows_) * static_cast<size_t>(window.width()) + static_cast<size_t>(px);
      if (hand.strip(static_cast<size_t>(face), strip).z[at] < pz - bias[i]) ++count;
    }
  }
  return count;
}

float ZMap::occlusion(const ShadowArea& a, const ShadowPattern& pattern, uint32_t seed, const ShadowKernels& kernels,
                      Hand& hand) const {
  // Most areas are wholly lit or wholly dark: the depths of their blocks say so.
  float least, greatest;
  if (blockRange(a, least, greatest)) {
    const float wx = a.halfX() + 0.5f, wy = a.halfY() + 0.5f;
    const float slack = a.halfZ() + 1e-5f * a.z;
    if (a.z + slack - a.bias0 <= least) return 0;
    if (a.z - slack - a.bias1 - a.corner(wx, wy) - a.bend(wx, wy) > greatest) return 1;
  }
  // The rest mostly in one strip, a little rounding away from its borders.
  const PixelRect& w = views_.faces()[static_cast<size_t>(a.face)].window;
  const float top = a.y - a.halfY() - static_cast<float>(w.y0) - 0.01f,
              bottom = a.y + a.halfY() - static_cast<float>(w.y0) + 0.01f;
  const float last = static_cast<float>(w.height() - 1);
  const int first = static_cast<int>(std::clamp(top, 0.0f, last)) / stripRows_;
  const bool one = static_cast<int>(std::clamp(bottom, 0.0f, last)) / stripRows_ == first;
  const bool inside = top >= 0 && bottom < last + 1 && a.x - a.halfX() >= static_cast<float>(w.x0) &&
                      a.x + a.halfX() < static_cast<float>(w.x1);
  int dark = 0;
  if (one && (inside || !views_.cube())) {
    const int y0 = w.y0 + first * stripRows_;
    const ShadowDepths depths{hand.strip(static_cast<size_t>(a.face), first).z.data(), w.x0, y0, w.width(),
                              std::min(stripRows_, w.y1 - y0)};
    dark = kernels.dark(depths, a, pattern, seed);
  } else {
    dark = darkAnywhere(a, pattern, seed, kernels, hand);
  }
  return static_cast<float>(dark) / static_cast<float>(pattern.samples);
}

int ZMap::look(const ShadowBatch& batch, const ShadowOptions& options, int channels, float* const* out) const {
  const ShadowStrata strata(options.samples);
  const ShadowPattern pattern = strata.pattern();
  const ShadowKernels& kernels = shadowKernels(options.isa);
  std::vector<ShadowArea> areas;
  views_.areas(batch, options, areas);
  Hand hand(*this);
  int count = 0;
  for (int i = 0; i < batch.n; ++i) {
    if (batch.active && !batch.active[i]) continue;
    ++count;
    const ShadowArea& a = areas[static_cast<size_t>(i)];
    const float dark = a.face < 0 ? 0.0f : occlusion(a, pattern, batch.seed ? batch.seed[i] : 0u, kernels, hand);
    for (int c = 0; c < channels; ++c) out[c][i] = dark;
  }
  return count;
}

}  // namespace reyes::texture
