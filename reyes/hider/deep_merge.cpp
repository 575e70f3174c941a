// SPDX-License-Identifier: Apache-2.0
#include "reyes/hider/deep_merge.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reyes/base/half.h"

namespace reyes::hider {
namespace {

constexpr double kNothing = 1e-6;  ///< seen through, below which all is opaque: what floats leave of 1 - 1

// Powers for the tolerance tests alone: good to 1e-9, and the same on every machine, which libraries' are not.
double log2Of(double x) {
  int exponent;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) m *= 2, --exponent;
  const double t = (m - 1) / (m + 1), t2 = t * t;
  return exponent + 2.8853900817779268 * t * (1 + t2 * (1.0 / 3 + t2 * (1.0 / 5 + t2 * (1.0 / 7 + t2 / 9))));
}

constexpr double kInverse[] = {0, 1, 1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7, 1.0 / 8, 1.0 / 9, 1.0 / 10};

double exp2Of(double y) {
  const double bounded = std::max(y, -1000.0);
  const auto whole = static_cast<int64_t>(bounded) - 1;
  const double f = (bounded - static_cast<double>(whole) - 0.5) * 0.69314718055994531;
  double p = 1;
  for (int k = 10; k > 0; --k) p = 1 + p * f * kInverse[k];
  return p * 1.4142135623730951 * std::bit_cast<double>((whole + 1023) << 52);
}

}  // namespace

int DeepSpec::floats() const {
  int n = 3 + (colouredOpacity ? 3 : 0) + (colour ? 3 : 0);
  for (const DeepVariable& v : variables) n += v.width;
  return n;
}

DeepMerger::DeepMerger(const DeepSpec& spec) : spec_(spec) {
  for (const DeepVariable& v : spec.variables) variableFloats_ += static_cast<size_t>(v.width);
  sample_.resize(static_cast<size_t>(spec.floats()));
}

void DeepMerger::clear() { steps_.clear(), variables_.clear(), limit_ = 0; }

void DeepMerger::start(float z, float back, uint64_t key) {
  Step& step = steps_.emplace_back();
  step.z = z, step.back = back, step.key = key;
  limit_ = limitOf(z);
  variables_.resize(steps_.size() * variableFloats_, 0.0);
}

void DeepMerger::add(const float* e, double weight) {
  static_assert(DeepTile::kOpacity == 0 && DeepTile::kOi == 1 && DeepTile::kCi == 4 && DeepTile::kZ == kCurves);
  double* sums = steps_.back().sums;
  if (e[DeepTile::kOpacity] >= 0) {
    for (size_t c = 0; c <= kCurves; ++c) sums[c] += weight * static_cast<double>(e[c]);
  } else if (spec_.matteHides) {
    // What is matte hides at most.
    for (size_t c = 0; c < DeepTile::kCi; ++c) sums[c] -= weight * static_cast<double>(e[c]);
  }
  if (variableFloats_ > 0) addVariables(e, weight);
}

void DeepMerger::addVariables(const float* e, double weight) {
  const float* t = e + DeepTile::kThrough;
  const double seen =
      weight * ((static_cast<double>(t[0]) + static_cast<double>(t[1]) + static_cast<double>(t[2])) / 3);
  steps_.back().seen += seen;
  double* sum = &variables_[(steps_.size() - 1) * variableFloats_];
  for (const DeepVariable& v : spec_.variables)
    for (int i = 0; i < v.width; ++i, ++sum)
      *sum += (v.composited && i < 3 ? weight * static_cast<double>(t[i]) : seen) *
              static_cast<double>(e[DeepTile::kAov + v.plane + i]);
}

void DeepMerger::accumulate(double total) {
  curves_.resize(steps_.size() * kCurves);
  for (size_t k = 0; k < steps_.size(); ++k)
    for (size_t c = 0; c < kCurves; ++c) {
      double v = before(c, k) + steps_[k].sums[c] / total;
      if (c < 4 && 1 - v < kNothing) v = 1;
      curves_[k * kCurves + c] = v;
    }
  const size_t last = steps_.size() - 1;
  for (size_t c = 0; c < kCurves; ++c) {
    const bool wanted = c == 0 || (c < 4 ? spec_.colouredOpacity : spec_.colour);
    scale_[c] = !wanted ? 0 : c < 4 ? 1 : std::max(1.0, std::fabs(after(c, last)));
  }
}

/// A sample's curve is 1 - r^x over its depths, r what is seen through it.
bool DeepMerger::follows(size_t curve, size_t first, size_t last) const {
  const double from = before(curve, first), to = after(curve, last);
  const double tolerance = static_cast<double>(spec_.tolerance) * scale_[curve];
  const auto near = [&](double a, double b) { return std::fabs(a - b) <= tolerance; };
  // 1. Opacities rise: within the tolerance any way is near enough. At the ends, steps show whole.
  if (curve < 4 && to - from <= tolerance) return true;
  if (!near(after(curve, first), from) || !near(before(curve, last), to)) return false;
  // 2. The steps between. Colours come as the mean opacity does.
  const size_t opacity = curve < 4 ? curve : 0;
  const double in = 1 - before(opacity, first), out = 1 - after(opacity, last);
  const double logRatio = out > 0 ? log2Of(out / in) : 0, whole = 1 - out / in;
  const double z0 = static_cast<double>(steps_[first].z), depth = static_cast<double>(steps_[last].back) - z0;
  const auto at = [&](float z) {
    const double x = (static_cast<double>(z) - z0) / depth;
    const double share = out <= 0 ? (x > 0 ? 1 : 0) : whole > 1e-9 ? (1 - exp2Of(x * logRatio)) / whole : x;
    return from + (to - from) * share;
  };
  for (size_t k = first; k <= last; ++k)
    if ((k > first && !near(at(steps_[k].z), before(curve, k))) ||
        (k < last && !near(at(steps_[k].back), after(curve, k))))
      return false;
  return true;
}

bool DeepMerger::together(size_t first, size_t last) const {
  for (size_t c = 0; c < kCurves; ++c)
    if (scale_[c] > 0 && !follows(c, first, last)) return false;
  return true;
}

/// The furthest step in front of `end` that goes with `first`, looked for in growing, then shrinking strides.
size_t DeepMerger::lastTogether(size_t first, size_t end) const {
  size_t last = first, stride = 1;
  while (last + stride < end && together(first, last + stride)) last += stride, stride *= 2;
  for (; stride > 0; stride /= 2)
    if (last + stride < end && together(first, last + stride)) last += stride;
  return last;
}

inline float DeepMerger::rounded(float v) const {
  if (!spec_.half) return v;
  // Most are halves with all their bits: rounded to even where they are.
  const uint32_t bits = std::bit_cast<uint32_t>(v), size = bits & 0x7fffffff;
  if (size - 0x38800000u <= 0x477fe000u - 0x38800000u)
    return std::bit_cast<float>((bits + 0xfff + ((bits >> 13) & 1)) & ~0x1fffu);
  return toFloat(toHalf(std::clamp(v, -65504.0f, 65504.0f)));
}

/// Opacity that leads from what is really seen through the rounded samples in front to what should be. Rounding never
/// hides what is still to come.
float DeepMerger::opacityOf(double front, double back, bool isLast) const {
  if (front <= 0) return 1;
  const double exact = std::clamp(1 - back / front, 0.0, 1.0);
  const float a = rounded(static_cast<float>(exact));
  if (a < 1 || back <= 0 || isLast) return a;
  return spec_.half ? 1 - 0x1p-11f : 1 - 0x1p-24f;
}

void DeepMerger::emit(size_t first, size_t last, double total, DeepPixels& out) {
  const bool isLast = last + 1 == steps_.size();
  const double front = through_[0];
  float* to = sample_.data();
  bool anything = false;
  const auto put = [&](float v) { anything |= v != 0, *to++ = v; };
  *to++ = steps_[first].z, *to++ = steps_[last].back;
  for (size_t c = 0; c < (spec_.colouredOpacity ? 4u : 1u); ++c) {
    const float a = opacityOf(through_[c], 1 - after(c, last), isLast);
    through_[c] *= 1 - static_cast<double>(a);
    put(a);
  }
  if (spec_.colour)
    for (size_t c = 4; c < kCurves; ++c)
      put(rounded(static_cast<float>((after(c, last) - before(c, first)) / front * static_cast<double>(spec_.gain))));
  size_t at = 0;
  for (const DeepVariable& v : spec_.variables)
    for (int i = 0; i < v.width; ++i, ++at) {
      double sum = 0, seen = 0;
      for (size_t k = first; k <= last; ++k) sum += variables_[k * variableFloats_ + at], seen += steps_[k].seen;
      const double value = v.composited ? sum / total / front : seen > 0 ? sum / seen : 0;
      const float f = static_cast<float>(value);
      *to = v.half ? toFloat(toHalf(std::clamp(f, -65504.0f, 65504.0f))) : f;
      anything |= v.composited && *to != 0;
      ++to;
    }
  if (!anything) return;
  out.values.insert(out.values.end(), sample_.begin(), sample_.end());
  if (spec_.tags) out.tags.push_back(static_cast<uint32_t>(steps_[first].key));
  if (spec_.wholePlane >= 0) out.wholes.push_back(static_cast<uint32_t>(steps_[first].key >> 32));
  ++out.counts.back();
}

void DeepMerger::write(double total, DeepPixels& out) {
  out.counts.push_back(0);
  if (steps_.empty() || !(total > 0)) return;
  accumulate(total);
  std::fill(std::begin(through_), std::end(through_), 1.0);
  for (size_t first = 0, end = 0; first < steps_.size() && through_[0] > 0;) {
    // Steps of one key alone become one sample.
    while (end < steps_.size() && (end <= first || steps_[end].key == steps_[first].key)) ++end;
    const size_t last = lastTogether(first, end);
    emit(first, last, total, out);
    first = last + 1;
  }
}

}  // namespace reyes::hider
