// SPDX-License-Identifier: Apache-2.0
// The sampler's look-ups through lattices: taps over the parallelogram that a point's derivatives span, weighted by a
// filter of any shape (filters.h), each a bilinear tap on two levels whose texels are about as wide as taps are apart.
// Where texels are larger than points, the filter's own sum of 16 texels takes over.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "reyes/texture/sampler.h"

namespace reyes::texture {
namespace {

float within(float v, float most) {
  v = v > -most ? v : -most;
  return v < most ? v : most;
}

/// A side of the parallelogram in texels.
struct Side {
  float x, y;
  float length2() const { return x * x + y * y; }
};

/// As much longer as the blur along it asks for; where there is none, the blur alone, along `axis`.
Side blurred(Side side, Side axis, float blurS, float blurT) {
  const float own = side.length2();
  const Side d = own > 0 ? Side{side.x / std::sqrt(own), side.y / std::sqrt(own)} : axis;
  const float x = d.x * blurS, y = d.y * blurT, length = std::sqrt(own + x * x + y * y);
  return {d.x * length, d.y * length};
}

/// Level and weight of the one above for taps so many texels wide, at least one.
void chooseLevel(float width, int last, bool lerp, int32_t& level, float& fraction) {
  const auto word = std::bit_cast<uint32_t>(width);
  level = std::min(static_cast<int>(word >> 23) - 127, last);
  const float m = std::bit_cast<float>((word & 0x7fffff) | 0x3f800000) - 1.0f;
  // log2 of 1 + m, exact at both ends.
  fraction = level >= last ? 0.0f : m + m * (1.0f - m) * (0.442695f + m * (-0.247337f + m * 0.083294f));
  if (lerp) return;
  level += fraction >= 0.5f;
  fraction = 0;
}

}  // namespace

FootprintSums Sampler::latticeFootprints(const FootprintArgs& a, const LatticeFilter& filter, bool lerp, Planes& p) {
  FootprintSums sums;
  const float across = 2 * filter.radius() / static_cast<float>(filter.fewest());  // of a footprint, from tap to tap
  for (int i = 0; i < p.padded; ++i) {
    const bool on = i < a.n && (!a.active || a.active[i]);
    p.active[i] = on ? 1.0f : 0.0f;
    p.s[i] = p.t[i] = p.fraction[i] = p.smooth[i] = 0, p.level[i] = 0, p.probes[i] = p.rows[i] = 1;
    p.stepS[i] = p.stepT[i] = p.acrossS[i] = p.acrossT[i] = 0;
    if (!on) continue;
    ++sums.count;
    p.s[i] = within(a.s[i], 1e6f), p.t[i] = within(a.t[i], 1e6f);
    // 1. The parallelogram, with the blur.
    Side u{within(a.dsdu[i], 4) * a.sWidth * a.width, within(a.dtdu[i], 4) * a.tWidth * a.height};
    Side v{within(a.dsdv[i], 4) * a.sWidth * a.width, within(a.dtdv[i], 4) * a.tWidth * a.height};
    const float blurS = a.sBlur * a.width * (a.sBlurScale ? a.sBlurScale[i] : 1);
    const float blurT = a.tBlur * a.height * (a.tBlurScale ? a.tBlurScale[i] : 1);
    if (blurS > 0 || blurT > 0) u = blurred(u, {1, 0}, blurS, blurT), v = blurred(v, {0, 1}, blurS, blurT);
    // 2. How long and wide it is.
    const float uu = u.length2(), vv = v.length2(), area = std::fabs(u.x * v.y - u.y * v.x);
    const float longest = std::sqrt(std::max(uu, vv));
    if (!(longest > 0)) {
      p.smooth[i] = 1, sums.smooth = true;
      continue;
    }
    const float width = std::max(area / longest, longest / LatticeFilter::kLongest);
    // 3. Level and taps.
    chooseLevel(std::max(width * across, 1.0f), a.lastLevel, lerp, p.level[i], p.fraction[i]);
    p.smooth[i] = std::clamp(2 - 2 * longest, 0.0f, 1.0f);
    const auto taps = [&](float length2) {
      const float wanted = std::ceil(static_cast<float>(filter.fewest()) * std::sqrt(length2) / width - 0.01f);
      return static_cast<int>(
          std::clamp(wanted, static_cast<float>(filter.fewest()), static_cast<float>(filter.most())));
    };
    p.probes[i] = taps(uu), p.rows[i] = taps(vv);
    const float stepU = 2 * filter.radius() / static_cast<float>(p.probes[i]);
    const float stepV = 2 * filter.radius() / static_cast<float>(p.rows[i]);
    p.stepS[i] = u.x * stepU / a.width, p.stepT[i] = u.y * stepU / a.height;
    p.acrossS[i] = v.x * stepV / a.width, p.acrossT[i] = v.y * stepV / a.height;
    sums.mostProbes = std::max(sums.mostProbes, p.probes[i]), sums.mostRows = std::max(sums.mostRows, p.rows[i]);
    sums.fraction |= p.fraction[i] > 0, sums.smooth |= p.smooth[i] > 0;
  }
  return sums;
}

void Sampler::lattice(TapRound& r, const Planes& p, const FootprintSums& todo, const LatticeFilter& filter,
                      int channels) {
  const auto kernel = kernels_.taps[static_cast<size_t>(current_.info->type)][channels - 1];
  for (int c = 0; c < channels; ++c) std::fill_n(r.sums[c], p.padded, 0.0f);
  r.weight = p.weight, r.tap = Tap::kLinear;
  r.probes = p.probes, r.rows = p.rows, r.acrossS = p.acrossS, r.acrossT = p.acrossT;
  // 1. Tap by tap. Lanes of a grid mostly have lattices of one size.
  std::vector<LatticeFilter::Weights> sizes;
  std::vector<uint32_t> sizeOf(static_cast<size_t>(p.n));
  for (size_t i = 0, last = 0; i < sizeOf.size(); ++i) {
    const int nu = p.probes[i], nv = p.rows[i];
    if (last >= sizes.size() || !sizes[last].is(nu, nv)) {
      last = static_cast<size_t>(std::find_if(sizes.begin(), sizes.end(), [&](const auto& w) { return w.is(nu, nv); }) -
                                 sizes.begin());
      if (last == sizes.size()) sizes.emplace_back(filter, nu, nv);
    }
    sizeOf[i] = static_cast<uint32_t>(last);
  }
  std::fill_n(p.weight, p.padded, 0.0f);
  std::vector<float> weights(sizes.size());
  for (r.row = 0; r.row < todo.mostRows; ++r.row)
    for (r.probe = 0; r.probe < todo.mostProbes; ++r.probe) {
      bool any = false;
      for (size_t k = 0; k < sizes.size(); ++k) {
        weights[k] = sizes[k].has(r.probe, r.row) ? sizes[k].at(r.probe, r.row) : 0.0f;
        any |= weights[k] != 0;
      }
      if (!any) continue;
      for (size_t i = 0; i < sizeOf.size(); ++i) p.weight[i] = p.active[i] * weights[sizeOf[i]];
      r.nextLevel = false;
      kernel(r);
      r.nextLevel = true;
      if (todo.fraction) kernel(r);
    }
  r.probes = r.rows = nullptr, r.nextLevel = false;
  if (!todo.smooth) return;
  // 2. Texel by texel.
  r.weight = p.active, r.tap = Tap::kTexel;
  const auto empty = [](const Cubic& c) { return c == Cubic{}; };
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) {
      const Cubic &alongX = filter.texels()[static_cast<size_t>(x)], &alongY = filter.texels()[static_cast<size_t>(y)];
      if (empty(alongX) || empty(alongY)) continue;
      r.texelX = x - 1, r.texelY = y - 1, r.texelPartX = alongX.data(), r.texelPartY = alongY.data();
      kernel(r);
    }
  r.tap = Tap::kPlain;
}

}  // namespace reyes::texture
