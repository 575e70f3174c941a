// SPDX-License-Identifier: Apache-2.0
// From derivatives to the level, the number and the spacing of a lane's probes. A footprint is the ellipse whose matrix
// is J J^T of the derivatives plus the blur's, so width and blur add up as variances do and no axis is preferred.
// Called by the sampler through TapKernels.
#include <bit>
#include "reyes/base/lanes8.h"
#include "reyes/texture/tap_kernels.h"

namespace reyes::texture::REYES_ISA {
using namespace reyes::REYES_ISA;
namespace {

/// Beyond four pictures a footprint is not told from an endless one, nor from one that is no number.
REYES_INLINE F8 tame(F8 x) { return min(max(x, splat(-4.0f)), splat(4.0f)); }

/// Places far outside lose their fraction anyway.
REYES_INLINE F8 clean(F8 x) { return min(max(x, splat(-1e6f)), splat(1e6f)); }

/// log2 of m in [1, 2), exact at both ends, within 2e-4 between.
REYES_INLINE F8 log2Part(F8 m) {
  const F8 z = m - 1.0f;
  return z + z * (1.0f - z) * (0.442695f + z * (-0.247337f + z * 0.083294f));
}

/// A symmetric matrix of the derivatives, in texels, and its squared axes.
struct Ellipse {
  F8 major2, minor2;
  F8 diff, root, xy;

  Ellipse(F8 xx, F8 yy, F8 between) : xy(between) {
    const F8 mean = 0.5f * (xx + yy);
    diff = 0.5f * (xx - yy);
    root = sqrt(diff * diff + xy * xy);
    major2 = mean + root;
    minor2 = max(mean - root, splat(0.0f));
  }
};

/// What is the same for all lanes.
struct Constants {
  F8 sScale, tScale, blurS, blurT, invW, invH;
  F8 aspect, perAspect, mostSmooth;
  bool nearestLevel;
  I8 last;

  explicit Constants(const FootprintArgs& a)
      : sScale(splat(a.sWidth * a.width)),
        tScale(splat(a.tWidth * a.height)),
        blurS(splat(a.sBlur * a.width)),
        blurT(splat(a.tBlur * a.height)),
        invW(splat(1 / a.width)),
        invH(splat(1 / a.height)),
        aspect(splat(a.isotropic ? 1.0f : 1.0f / kMaxAspect)),
        perAspect(splat(a.isotropic ? 0.0f : a.probesPerAspect)),
        mostSmooth(splat(a.neverSmooth ? 0.0f : 1.0f)),
        nearestLevel(a.nearestLevel),
        last(splat(a.lastLevel)) {}
};

/// The level on which a probe is one to two texels wide.
REYES_INLINE void chooseLevel(const Constants& k, const FootprintArgs& a, F8 width, F8 own, F8& fraction, F8& smooth) {
  const I8 word = asInts(width);
  fraction = log2Part(asFloats((word & 0x7fffff) | 0x3f800000));
  I8 level = min((word >> 23) - 127, k.last);
  // Bicubic where texels of that level are larger than what the derivatives alone span.
  const F8 texels = own * asFloats((127 - level) << 23);
  fraction = level >= k.last ? splat(0.0f) : fraction;
  if (k.nearestLevel) {
    level -= fraction >= 0.5f;
    fraction = splat(0.0f);
  }
  smooth = min(max(2.0f - 2.0f * texels, splat(0.0f)), k.mostSmooth);
  store(a.fraction, fraction);
  store(a.smooth, smooth);
  store(a.level, level);
}

struct Group {
  F8 fraction, smooth;
  I8 probes;
};

/// kBlur: something is added to the derivatives. kIsotropic: one probe as wide as the footprint is long.
template <bool kBlur, bool kIsotropic>
REYES_INLINE Group eight(const Constants& k, const FootprintArgs& a) {
  const F8 ux = tame(load(a.dsdu)) * k.sScale, uy = tame(load(a.dtdu)) * k.tScale;
  const F8 vx = tame(load(a.dsdv)) * k.sScale, vy = tame(load(a.dtdv)) * k.tScale;
  const F8 xx = ux * ux + vx * vx, yy = uy * uy + vy * vy, xy = ux * uy + vx * vy;
  const F8 blurS = kBlur ? k.blurS * (a.sBlurScale ? load(a.sBlurScale) : splat(1.0f)) : splat(0.0f);
  const F8 blurT = kBlur ? k.blurT * (a.tBlurScale ? load(a.tBlurScale) : splat(1.0f)) : splat(0.0f);
  const Ellipse e(xx + blurS * blurS, yy + blurT * blurT, xy);
  const F8 major = sqrt(e.major2);
  Group g;
  g.probes = splat(1);
  if constexpr (kIsotropic) {
    F8 own = major;
    if constexpr (kBlur) own = sqrt(Ellipse(xx, yy, xy).major2);
    chooseLevel(k, a, max(major, splat(1.0f)), own, g.fraction, g.smooth);
    store(a.probes, g.probes);
    return g;
  } else {
    // A probe is at least a texel wide, and no thinner than the aspect allows.
    F8 own = max(major * k.aspect, sqrt(e.minor2));
    const F8 width = max(own, splat(1.0f));
    if constexpr (kBlur) {
      const Ellipse plain(xx, yy, xy);
      own = max(sqrt(plain.major2) * k.aspect, sqrt(plain.minor2));
    }
    chooseLevel(k, a, width, own, g.fraction, g.smooth);
    // Probes along the major axis.
    const F8 more = min(max((major / width - 1.25f) * k.perAspect, splat(0.0f)), splat(float{kMaxProbes - 1}));
    const I8 whole = toInts(more);
    g.probes = 1 + whole - (toFloats(whole) < more);
    // Its direction: the eigenvector whose terms do not cancel.
    const I8 wide = e.diff >= 0.0f;
    const F8 dx = wide ? e.diff + e.root : e.xy, dy = wide ? e.xy : e.root - e.diff;
    const F8 length2 = dx * dx + dy * dy, rest2 = e.major2 - width * width;
    const I8 longer = (rest2 > 0.0f) & (length2 > 0.0f);
    const F8 rest = longer ? sqrt(rest2 / length2) : splat(0.0f);
    store(a.stepS, dx * rest * k.invW);
    store(a.stepT, dy * rest * k.invH);
    store(a.probes, g.probes);
    return g;
  }
}

/// 1 where a lane is wanted, and its bits.
REYES_INLINE I8 activeLanes(const uint8_t* active, int count) {
  typedef uint8_t B8 __attribute__((vector_size(8)));
  B8 b = {1, 1, 1, 1, 1, 1, 1, 1};
  const size_t n = count < 8 ? static_cast<size_t>(count) : 8;
  if (n < 8) b = B8{};
  if (active)
    std::memcpy(&b, active, n);
  else
    std::memset(&b, 1, n);
  return __builtin_convertvector(b, I8) != 0;
}

template <bool kBlur, bool kIsotropic>
FootprintSums run(const FootprintArgs& all) {
  const Constants k(all);
  FootprintArgs a = all;
  FootprintSums sums;
  const float** const in[] = {&a.s, &a.t, &a.dsdu, &a.dtdu, &a.dsdv, &a.dtdv, &a.sBlurScale, &a.tBlurScale};
  float tail[8][8] = {};
  F8 fraction = splat(0.0f), smooth = splat(0.0f);
  I8 probes = splat(1);
  for (int done = 0; done < all.n; done += 8) {
    const int left = all.n - done;
    // Planes need not reach beyond n.
    for (int p = 0; p < 8 && left < 8; ++p) {
      if (!*in[p]) continue;
      std::memcpy(tail[p], *in[p], sizeof(float) * static_cast<size_t>(left));
      *in[p] = tail[p];
    }
    const I8 on = activeLanes(a.active, left);
    store(a.cleanS, clean(load(a.s)));
    store(a.cleanT, clean(load(a.t)));
    store(a.weight, on ? splat(1.0f) : splat(0.0f));
    const Group g = eight<kBlur, kIsotropic>(k, a);
    sums.count += __builtin_popcount(bits(on));
    fraction = max(fraction, on ? g.fraction : splat(0.0f));
    smooth = max(smooth, on ? g.smooth : splat(0.0f));
    probes = max(probes, on ? g.probes : splat(1));
    for (const float** plane : in)
      if (*plane) *plane += 8;
    for (float** plane : {&a.cleanS, &a.cleanT, &a.stepS, &a.stepT, &a.fraction, &a.smooth, &a.weight}) *plane += 8;
    a.level += 8, a.probes += 8;
    if (a.active) a.active += 8;
  }
  sums.fraction = bits(fraction > 0.0f), sums.smooth = bits(smooth > 0.0f);
  for (int l = 0; l < 8; ++l) sums.mostProbes = probes[l] > sums.mostProbes ? probes[l] : sums.mostProbes;
  return sums;
}

}  // namespace

FootprintSums footprints(const FootprintArgs& a) {
  const bool blur = a.sBlur > 0 || a.tBlur > 0;
  if (a.isotropic) return blur ? run<true, true>(a) : run<false, true>(a);
  return blur ? run<true, false>(a) : run<false, false>(a);
}

}  // namespace reyes::texture::REYES_ISA
