// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/line.h"

#include <algorithm>
#include <cmath>

namespace reyes::render {
namespace {

constexpr int kSamples = 5;         ///< fixed parameters at which a leaf is measured
constexpr int kLeafMax = 16;        ///< micropolygons a leaf, at most
constexpr float kLeast = 0x1p-22f;  ///< length of a leaf in the line's parameter that is not halved: as of a face's
                                    ///< smallest piece, which so has few points on each of its sides

int toPowerOfTwo(int n) {
  int p = 1;
  while (p < n) p *= 2;
  return p;
}

/// Micropolygons wanted along a leaf, and whether they would come out uneven.
struct LeafRate {
  int count = 1;
  bool uneven = false;
  bool crossesEye = false;
};

/// From behind the eye to where something may be seen.
bool crossesEye(const Projector& view, Vec3 a, Vec3 b) {
  return view.perspective() && std::min(a.z, b.z) < view.eyeDepth() && std::max(a.z, b.z) >= view.near();
}

LeafRate leafRate(const PrimitiveFrame& prim, const std::vector<Vec3>& samples) {
  const Projector& view = prim.projector();
  float wanted = 0, whole = 0, blur = 0;
  bool wholeUneven = false;
  LeafRate r;
  for (int k = 0; k < prim.keyCount(); ++k) {
    const Vec3* p = &samples[static_cast<size_t>(k * kSamples)];
    float sum = 0, most = 0, wholeSum = 0, wholeMost = 0;
    for (int i = 0; i + 1 < kSamples; ++i) {
      float all = 0;
      const float l = view.rasterLength(p[i], p[i + 1], &all);
      sum += l, most = std::max(most, l);
      wholeSum += all, wholeMost = std::max(wholeMost, all);
      if (k > 0) blur = std::max(blur, view.rasterLength(samples[static_cast<size_t>(i)], p[i]));
    }
    const float length = (sum + most * (kSamples - 1)) / 2;
    r.crossesEye = r.crossesEye || (length > 0.25f && crossesEye(view, p[0], p[kSamples - 1]));
    if (length > wanted) wanted = length, r.uneven = most * (kSamples - 1) > 1.6f * sum;
    const float wholeLength = (wholeSum + wholeMost * (kSamples - 1)) / 2;
    if (wholeLength > whole) whole = wholeLength, wholeUneven = wholeMost * (kSamples - 1) > 1.6f * wholeSum;
  }
  // Chords outside the window say nothing of a curve that may enter it between them.
  if (whole > wanted && view.mayEnterWindow(samples, kSamples)) wanted = whole, r.uneven = wholeUneven;
  const float n = std::ceil(wanted / prim.edgePixels(blur) - 1e-3f);
  r.count = n > 1 ? static_cast<int>(std::min(n, 1e6f)) : 1;
  if (prim.attributes().binaryDice) r.count = toPowerOfTwo(r.count);
  r.uneven = (r.uneven && r.count > 3) || r.crossesEye;
  return r;
}

}  // namespace

LinePtr Line::makeEdge(const PrimitiveFrame& prim, int face, geom::Side side, Anchor atStart, Anchor atEnd) {
  Course c;
  c.face = face, c.isEdge = true, c.side = side;
  return LinePtr(new Line(prim, c, std::move(atStart), std::move(atEnd)));
}

LinePtr Line::makeCut(const PrimitiveFrame& prim, int face, Axis axis, float at, float lo, float hi, Anchor atStart,
                      Anchor atEnd) {
  Course c;
  c.face = face, c.axis = axis, c.at = at, c.lo = lo, c.hi = hi;
  return LinePtr(new Line(prim, c, std::move(atStart), std::move(atEnd)));
}

Line::Line(const PrimitiveFrame& prim, const Course& course, Anchor atStart, Anchor atEnd)
    : prim_(&prim), course_(course), anchors_{std::move(atStart), std::move(atEnd)} {
  // 1. The dyadic tree of leaves.
  const float span = course.hi - course.lo;
  float t[kSamples];
  for (int i = 0; i < kSamples; ++i) t[i] = course.lo + span * (static_cast<float>(i) / (kSamples - 1));
  std::vector<Vec3> samples(static_cast<size_t>(prim.keyCount()) * kSamples);
  for (int k = 0; k < prim.keyCount(); ++k) evaluate(t, k, &samples[static_cast<size_t>(k * kSamples)]);
  growLeaves(course.lo, course.hi, samples);
  // 2. T and its positions.
  for (const LineLeaf& leaf : leaves_)
    for (int i = 0; i < leaf.count; ++i)
      t_.push_back(leaf.t0 + (leaf.t1 - leaf.t0) * (static_cast<float>(i) / static_cast<float>(leaf.count)));
  t_.push_back(course.hi);
  points_.resize(t_.size() * static_cast<size_t>(prim.keyCount()));
  for (int k = 0; k < prim.keyCount(); ++k) {
    Vec3* p = &points_[static_cast<size_t>(k) * t_.size()];
    evaluate(t_, k, p);
    // 3. Ends that lie on an older line are points of that line.
    if (anchors_[0].line) p[0] = anchors_[0].line->point(anchors_[0].index, k);
    if (anchors_[1].line) p[t_.size() - 1] = anchors_[1].line->point(anchors_[1].index, k);
  }
}

void Line::evaluate(std::span<const float> t, int k, Vec3* out) const {
  if (course_.isEdge) {
    prim_->edgePoints(course_.face, course_.side, t, k, out);
    return;
  }
  Vec2 uv[64];
  for (size_t done = 0; done < t.size();) {
    const size_t n = std::min<size_t>(64, t.size() - done);
    for (size_t i = 0; i < n; ++i)
      uv[i] = course_.axis == Axis::kU ? Vec2{course_.at, t[done + i]} : Vec2{t[done + i], course_.at};
    prim_->points(course_.face, {uv, n}, k, out + done);
    done += n;
  }
}

void Line::growLeaves(float t0, float t1, const std::vector<Vec3>& samples) {
  const LeafRate rate = leafRate(*prim_, samples);
  const float mid = (t0 + t1) / 2;
  if ((rate.count <= kLeafMax && !rate.uneven) || t1 - t0 <= kLeast) {
    const int first = leaves_.empty() ? 0 : leaves_.back().first + leaves_.back().count;
    leaves_.push_back({t0, t1, first, std::min(rate.count, kLeafMax)});
    return;
  }
  // Halve: two of the five samples of each half are new.
  float t[4];
  for (int i = 0; i < 4; ++i) t[i] = t0 + (t1 - t0) * (static_cast<float>(2 * i + 1) / 8);
  std::vector<Vec3> lower(samples.size()), upper(samples.size());
  for (int k = 0; k < prim_->keyCount(); ++k) {
    Vec3 fresh[4];
    evaluate(t, k, fresh);
    const size_t o = static_cast<size_t>(k * kSamples);
    for (size_t i = 0; i < 3; ++i) lower[o + 2 * i] = samples[o + i], upper[o + 2 * i] = samples[o + 2 + i];
    for (size_t i = 0; i < 2; ++i) lower[o + 2 * i + 1] = fresh[i], upper[o + 2 * i + 1] = fresh[i + 2];
  }
  growLeaves(t0, mid, lower);
  growLeaves(mid, t1, upper);
}

int Line::nearest(float t) const {
  const auto hi = std::lower_bound(t_.begin(), t_.end(), t);
  if (hi == t_.begin()) return 0;
  if (hi == t_.end()) return count() - 1;
  const auto i = static_cast<int>(hi - t_.begin());
  return t - t_[static_cast<size_t>(i) - 1] <= t_[static_cast<size_t>(i)] - t ? i - 1 : i;
}

void snapSide(const SideRef& side, int n, int* index) {
  const int m = side.segments(), step = side.ia <= side.ib ? 1 : -1;
  int last = 0;
  index[0] = side.ia;
  for (int j = 1; j <= n; ++j) {
    const float t = side.a + (side.b - side.a) * (static_cast<float>(j) / static_cast<float>(n));
    const int wish = (side.line->nearest(t) - side.ia) * step;
    const int least = std::max(last, m - (n - j)), most = std::min(last + 1, m);
    last = std::clamp(wish, least, std::max(least, most));
    index[j] = side.ia + last * step;
  }
}

}  // namespace reyes::render
