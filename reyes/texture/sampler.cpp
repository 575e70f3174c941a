// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/sampler.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace reyes::texture {
namespace {

/// Tiles that one thread may hold back from being thrown out.
constexpr int64_t kMostPinned = int64_t(4) << 20;

/// Weights of n probes, and the distance between two of them that gives their sum the footprint's own variance.
struct ProbeTable {
  float weight[kMaxProbes + 1][kMaxProbes] = {};
  float spacing[kMaxProbes + 1] = {};

  explicit ProbeTable(bool gaussian) {
    for (int n = 1; n <= kMaxProbes; ++n) {
      double w[kMaxProbes], sum = 0, variance = 0;
      for (int i = 0; i < n; ++i) {
        const double y = (2.0 * i + 1 - n) / n;
        // Nearly a Gaussian, but without ends that are cut off and alias.
        w[i] = gaussian ? 0.5 + 0.5 * std::cos(std::numbers::pi * y) : 1;
        sum += w[i];
      }
      for (int i = 0; i < n; ++i) {
        const double at = i - 0.5 * (n - 1);
        variance += w[i] / sum * at * at;
        weight[n][i] = static_cast<float>(w[i] / sum);
      }
      // A footprint of length 1 has a variance of 1/12.
      spacing[n] = n > 1 ? static_cast<float>(std::sqrt(1 / (12 * variance))) : 0.0f;
    }
  }
};
const ProbeTable& probeTable(Filter filter) {
  static const ProbeTable gaussian(true), box(false);
  return filter == Filter::kBox ? box : gaussian;
}

float scaleOf(TexelType type) {
  return type == TexelType::kUint8 ? 1 / 255.0f : type == TexelType::kUint16 ? 1 / 65535.0f : 1.0f;
}

float notNegative(float v) { return std::isfinite(v) && v > 0 ? v : 0.0f; }
float saneWidth(float v) { return std::min(notNegative(v), 1e6f); }
float saneBlur(float v) { return std::min(notNegative(v), 4.0f); }

}  // namespace

Sampler::Planes Sampler::planesFor(int n) {
  Planes p;
  p.n = n, p.padded = (n + 7) & ~7;
  const size_t stride = static_cast<size_t>(p.padded) + 8;
  constexpr size_t kFloats = 15, kInts = 3;
  if (floats_.size() < stride * kFloats) {
    floats_.assign(stride * kFloats, 0.0f);
    ints_.assign(stride * kInts, 0);
  }
  float** const all[] = {&p.s,      &p.t,      &p.stepS, &p.stepT,   &p.acrossS, &p.acrossT, &p.fraction, &p.smooth,
                         &p.active, &p.weight, &p.zero,  &p.sums[0], &p.sums[1], &p.sums[2], &p.sums[3]};
  static_assert(std::size(all) == kFloats);
  for (size_t k = 0; k < kFloats; ++k) *all[k] = floats_.data() + k * stride;
  p.level = ints_.data(), p.probes = ints_.data() + stride, p.rows = ints_.data() + 2 * stride;
  return p;
}

/// What does not depend on the filter.
FootprintArgs Sampler::footprintArgs(const TextureBatch& batch, const LookupOptions& options, const float* sBlurScale,
                                     Planes& p) {
  const float* const given[] = {batch.s, batch.t, batch.dsdu, batch.dtdu, batch.dsdv, batch.dtdv};
  if (std::find(std::begin(given), std::end(given), nullptr) != std::end(given)) std::fill_n(p.zero, p.n, 0.0f);
  const auto orZero = [&](const float* plane) { return plane ? plane : p.zero; };
  FootprintArgs a;
  a.n = p.n, a.active = batch.active;
  a.s = orZero(batch.s), a.t = orZero(batch.t);
  a.dsdu = orZero(batch.dsdu), a.dtdu = orZero(batch.dtdu);
  a.dsdv = orZero(batch.dsdv), a.dtdv = orZero(batch.dtdv);
  a.sBlurScale = sBlurScale;
  const PictureInfo& info = *current_.info;
  a.width = static_cast<float>(info.width), a.height = static_cast<float>(info.height);
  a.sWidth = saneWidth(options.sWidth), a.tWidth = saneWidth(options.tWidth);
  a.sBlur = saneBlur(options.sBlur), a.tBlur = saneBlur(options.tBlur);
  a.lastLevel = info.lastLevel;
  a.cleanS = p.s, a.cleanT = p.t, a.stepS = p.stepS, a.stepT = p.stepT;
  a.fraction = p.fraction, a.smooth = p.smooth, a.level = p.level, a.probes = p.probes, a.weight = p.active;
  if (options.sBlurs || options.tBlurs || options.sWidths || options.tWidths) scaleByLane(options, sBlurScale, a);
  return a;
}

/// Widths and blurs that differ from lane to lane: into the derivatives, and factors of a blur of 1.
void Sampler::scaleByLane(const LookupOptions& options, const float* sBlurScale, FootprintArgs& a) {
  const auto n = static_cast<size_t>(a.n);
  byLane_.resize(n * 6);
  const auto scaled = [&](size_t k, const float*& derivative, const float* widths) {
    if (!widths) return;
    float* to = byLane_.data() + k * n;
    for (size_t i = 0; i < n; ++i) to[i] = derivative[i] * saneWidth(widths[i]);
    derivative = to;
  };
  scaled(0, a.dsdu, options.sWidths), scaled(1, a.dsdv, options.sWidths);
  scaled(2, a.dtdu, options.tWidths), scaled(3, a.dtdv, options.tWidths);
  if (options.sWidths) a.sWidth = 1;
  if (options.tWidths) a.tWidth = 1;
  if (options.sBlurs) {
    float* to = byLane_.data() + 4 * n;
    for (size_t i = 0; i < n; ++i) to[i] = saneBlur(options.sBlurs[i]) * (sBlurScale ? sBlurScale[i] : 1);
    a.sBlurScale = to, a.sBlur = 1;
  }
  if (options.tBlurs) {
    float* to = byLane_.data() + 5 * n;
    for (size_t i = 0; i < n; ++i) to[i] = saneBlur(options.tBlurs[i]);
    a.tBlurScale = to, a.tBlur = 1;
  }
}

FootprintSums Sampler::footprints(FootprintArgs& a, const LookupOptions& options, Filter filter, Planes& p) {
  a.probesPerAspect = filter == Filter::kGaussian ? 1.5f : 1.0f;
  a.isotropic = filter == Filter::kTrilinear || filter == Filter::kNearest;
  a.neverSmooth = filter == Filter::kBilinear || filter == Filter::kNearest;
  a.nearestLevel = !options.lerp;
  FootprintSums sums = kernels_.footprints(a);
  if (filter == Filter::kNearest) {
    std::fill_n(p.level, p.padded, 0);
    std::fill_n(p.fraction, p.padded, 0.0f);
    sums.fraction = false;
  }
  return sums;
}

TapRound Sampler::roundOf(const SampledPicture& picture, const Planes& p, bool severalProbes, bool nearest) {
  const PictureInfo& info = *picture.info;
  TapRound r;
  r.n = p.padded;
  r.s = p.s, r.t = p.t, r.stepS = p.stepS, r.stepT = p.stepT;
  r.fraction = p.fraction, r.smooth = p.smooth, r.level = p.level;
  r.probes = severalProbes ? p.probes : nullptr;
  r.nearest = nearest;
  r.width = info.width, r.height = info.height, r.lastLevel = info.lastLevel;
  r.tileShiftX = info.tileShiftX, r.tileShiftY = info.tileShiftY;
  r.sWrap = picture.sWrap, r.tWrap = picture.tWrap;
  r.stride = info.channels, r.scale = scaleOf(info.type);
  r.slots = slots_.data(), r.pictureKey = static_cast<int64_t>(picture.number) << 32;
  r.host = this, r.fetch = fetchTile, r.edge = addEdge, r.tileRequests = &tileRequests_;
  return r;
}

int Sampler::sample(const SampledPicture& picture, const TextureBatch& batch, const LookupOptions& options,
                    Filter filter, const float* sBlurScale, int channels, float* const* out) {
  if (batch.n <= 0) return 0;
  current_ = picture;
  Planes p = planesFor(batch.n);
  FootprintArgs a = footprintArgs(batch, options, sBlurScale, p);
  const LatticeFilter* wide = latticeFilter(filter);
  const FootprintSums todo = wide ? latticeFootprints(a, *wide, options.lerp, p) : footprints(a, options, filter, p);
  if (todo.count == 0) return 0;
  if (todo.mostProbes > 1 && !wide) {
    const float* spacing = probeTable(filter).spacing;
    for (int i = 0; i < p.padded; ++i) p.stepS[i] *= spacing[p.probes[i]], p.stepT[i] *= spacing[p.probes[i]];
  }
  if (todo.smooth && picture.tWrap == Wrap::kPole) {
    // At a pole all longitudes meet: straight to the mean of the row beside it, as the bilinear taps go.
    for (int i = 0; i < p.padded; ++i) {
      const float rows = static_cast<float>(std::max(1, picture.info->height >> p.level[i]));
      const float y = p.t[i] * rows, away = std::min(y, rows - y);
      p.smooth[i] *= std::clamp(away - 1, 0.0f, 1.0f);
    }
  }
  TapRound r = roundOf(picture, p, todo.mostProbes > 1, filter == Filter::kNearest);
  // Straight into the result where every float of it is wanted.
  const bool direct = todo.count == p.padded;
  const auto copyOut = [&](float* to, const float* from) {
    for (int i = 0; i < p.n; ++i) to[i] = p.active[i] != 0 ? from[i] : to[i];
  };
  // A few channels at a time; what the picture lacks is filled.
  for (int c = 0; c < channels; c += kChannelGroup) {
    const int wanted = std::min(kChannelGroup, channels - c);
    r.first = std::max(0, options.firstChannel) + c;
    const int there = std::clamp(picture.info->channels - r.first, 0, wanted);
    for (int k = 0; k < there; ++k) r.sums[k] = direct ? out[c + k] : p.sums[k];
    groupChannels_ = there;
    if (there > 0 && wide) lattice(r, p, todo, *wide, there);
    if (there > 0 && !wide) probes(r, p, todo, filter, there);
    for (int k = 0; k < there && !direct; ++k) copyOut(out[c + k], p.sums[k]);
    if (there == wanted) continue;
    std::fill_n(p.weight, p.n, options.fill);
    for (int k = there; k < wanted; ++k) copyOut(out[c + k], p.weight);
  }
  return todo.count;
}

void Sampler::probes(TapRound& r, const Planes& p, const FootprintSums& todo, Filter filter, int channels) {
  r.weight = p.active;
  if (todo.mostProbes == 1 && !todo.smooth && !r.nearest)
    return kernels_.single[static_cast<size_t>(current_.info->type)][channels - 1](r);
  for (int c = 0; c < channels; ++c) std::fill_n(r.sums[c], p.padded, 0.0f);
  for (r.probe = 0; r.probe < todo.mostProbes; ++r.probe) {
    if (todo.mostProbes > 1) {
      const ProbeTable& table = probeTable(filter);
      for (int i = 0; i < p.padded; ++i) p.weight[i] = p.active[i] * table.weight[p.probes[i]][r.probe];
      r.weight = p.weight;
    }
    r.nextLevel = false;
    levels(r, todo.smooth, channels);
    r.nextLevel = true;
    if (todo.fraction) levels(r, todo.smooth, channels);
  }
}

void Sampler::levels(TapRound& round, bool anySmooth, int channels) {
  const auto kernel = kernels_.taps[static_cast<size_t>(current_.info->type)][channels - 1];
  round.tap = anySmooth ? Tap::kLinear : Tap::kPlain;
  kernel(round);
  if (!anySmooth) return;
  for (const Tap tap : {Tap::kCubic0, Tap::kCubic1, Tap::kCubic2, Tap::kCubic3}) {
    round.tap = tap;
    kernel(round);
  }
}

const char* Sampler::fetchTile(void* self, int64_t key) { return static_cast<Sampler*>(self)->tile(key); }

/// The tile of a key of the current picture, into its slot.
const char* Sampler::tile(int64_t key) {
  const int at = slotOf(key);
  TileSlot& slot = slots_[static_cast<size_t>(at)];
  if (slot.key == key) return slot.texels;
  release(at);
  while (pinnedBytes_ > kMostPinned) release(nextRelease_ = (nextRelease_ + 1) % kTileSlots);
  const auto place = static_cast<uint32_t>(key);
  PinnedTile& held = pinned_[static_cast<size_t>(at)];
  held = cache_.pin(current_.picture, static_cast<int>(place >> 26), static_cast<int>(place & 0x1fff),
                    static_cast<int>((place >> 13) & 0x1fff), error_);
  ++tilesPinned_;
  pinnedBytes_ += held.bytes;
  slot.key = key;
  slot.texels = static_cast<const char*>(held.texels);
  return slot.texels;
}

void Sampler::release(int slot) {
  const auto at = static_cast<size_t>(slot);
  if (pinned_[at].owner) cache_.unpin(pinned_[at]);
  pinnedBytes_ -= pinned_[at].bytes;
  pinned_[at] = {};
  slots_[at] = {};
}

void Sampler::dropTiles() {
  for (int k = 0; k < kTileSlots; ++k) release(k);
}

std::string Sampler::takeError() {
  std::string e;
  std::swap(e, error_);
  return e;
}

}  // namespace reyes::texture
