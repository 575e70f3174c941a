// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/line.h"

#include <algorithm>
#include <cmath>

#include "reyes/render/dice_rate.h"
#include "reyes/render/plain_view.h"

namespace reyes::render {
namespace {

constexpr int kSamples = 5;         ///< fixed parameters at which a leaf is measured
constexpr int kLeafMax = 16;        ///< micropolygons a leaf, at most
constexpr float kLeast = 0x1p-22f;  ///< length of a leaf in the line's parameter that is not halved: as of a face's
                                    ///< smallest piece, which so has few points on each of its sides

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

/// Lengths of the four chords of a leaf at one motion key; `whole` with what is outside the window.
struct Chords {
  float sum = 0, most = 0, wholeSum = 0, wholeMost = 0;
  int least = 1;  ///< steps, where the leaf turns
};
Chords chordsOf(const PrimitiveFrame& prim, int k, const Vec3* p) {
  Chords c;
  float x[kSamples], y[kSamples];
  if (prim.dicedByRaster() && projectPlain(prim.projector(), p, kSamples, x, y)) {
    for (int i = 0; i + 1 < kSamples; ++i) {
      const float l = plainLength(x[i], y[i], x[i + 1], y[i + 1]);
      c.sum += l, c.most = std::max(c.most, l);
    }
    c.wholeSum = c.sum, c.wholeMost = c.most;
    c.least = leastSteps(c.sum, plainLength(x[0], y[0], x[kSamples - 1], y[kSamples - 1]));
    return c;
  }
  for (int i = 0; i + 1 < kSamples; ++i) {
    float all = 0;
    const float l = prim.diceLength(p[i], p[i + 1], k, &all);
    c.sum += l, c.most = std::max(c.most, l);
    c.wholeSum += all, c.wholeMost = std::max(c.wholeMost, all);
  }
  c.least = leastSteps(c.sum, prim.diceLength(p[0], p[kSamples - 1], k));
  return c;
}

/// `samples`: kSamples points a key.
LeafRate leafRate(const PrimitiveFrame& prim, std::span<const Vec3> samples) {
  const Projector& view = prim.projector();
  float wanted = 0, whole = 0, blur = 0, nearest = 1e30f, farthest = -1e30f;
  bool wholeUneven = false;
  int least = 1;
  LeafRate r;
  for (int k = 0; k < prim.keyCount(); ++k) {
    const Vec3* p = &samples[static_cast<size_t>(k * kSamples)];
    const Chords c = chordsOf(prim, k, p);
    for (int i = 0; i < kSamples; ++i) nearest = std::min(nearest, p[i].z), farthest = std::max(farthest, p[i].z);
    for (int i = 0; k > 0 && i + 1 < kSamples; ++i)
      blur = std::max(blur, view.rasterLength(samples[static_cast<size_t>(i)], p[i]));
    least = std::max(least, c.least);
    const float length = (c.sum + c.most * (kSamples - 1)) / 2;
    r.crossesEye = r.crossesEye || (length > 0.25f && crossesEye(view, p[0], p[kSamples - 1]));
    if (length > wanted) wanted = length, r.uneven = c.most * (kSamples - 1) > 1.6f * c.sum;
    const float wholeLength = (c.wholeSum + c.wholeMost * (kSamples - 1)) / 2;
    if (wholeLength > whole) whole = wholeLength, wholeUneven = c.wholeMost * (kSamples - 1) > 1.6f * c.wholeSum;
  }
  // Chords outside the window say nothing of a curve that may enter it between them.
  if (whole > wanted && view.mayEnterWindow(samples, kSamples)) wanted = whole, r.uneven = wholeUneven;
  r.count = stepCount(prim, wanted, blur, view.leastLensX(nearest, farthest), least);
  if (prim.attributes().binaryDice) r.count = toPowerOfTwo(r.count);
  r.uneven = (r.uneven && r.count > 3) || r.crossesEye;
  r.count = std::max(r.count, least);
  return r;
}

/// The samples of a leaf at all keys: on the stack for up to two keys.
class Samples {
 public:
  explicit Samples(int keys)
      : count_(static_cast<size_t>(keys) * kSamples),
        many_(keys > kFew ? count_ : 0),
        at_(keys > kFew ? many_.data() : few_) {}
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;
  Vec3* at(int key) { return at_ + static_cast<size_t>(key) * kSamples; }
  std::span<const Vec3> all() const { return {at_, count_}; }

 private:
  static constexpr int kFew = 2;
  size_t count_;
  std::vector<Vec3> many_;
  Vec3 few_[kFew * kSamples];
  Vec3* at_;
};

}  // namespace

LinePtr Line::makeEdge(const PrimitiveFrame& prim, int face, geom::Side side, Anchor atStart, Anchor atEnd) {
  Course c;
  c.face = face, c.isEdge = true, c.side = side;
  return std::make_shared<const Line>(Key(), prim, c, std::move(atStart), std::move(atEnd));
}

LinePtr Line::makeCut(const PrimitiveFrame& prim, int face, Axis axis, float at, float lo, float hi, Anchor atStart,
                      Anchor atEnd) {
  Course c;
  c.face = face, c.axis = axis, c.at = at, c.lo = lo, c.hi = hi;
  return std::make_shared<const Line>(Key(), prim, c, std::move(atStart), std::move(atEnd));
}

Line::Line(Key, const PrimitiveFrame& prim, const Course& course, Anchor atStart, Anchor atEnd)
    : prim_(&prim), course_(course), anchors_{std::move(atStart), std::move(atEnd)} {
  // 1. The dyadic tree of leaves.
  const float span = course.hi - course.lo;
  float t[kSamples];
  for (int i = 0; i < kSamples; ++i) t[i] = course.lo + span * (static_cast<float>(i) / (kSamples - 1));
  Samples samples(prim.keyCount());
  for (int k = 0; k < prim.keyCount(); ++k) evaluate(t, k, samples.at(k));
  growLeaves(course.lo, course.hi, samples.all());
  // 2. T and its positions.
  t_.reserve(static_cast<size_t>(leaves_.back().first + leaves_.back().count) + 1);
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

void Line::growLeaves(float t0, float t1, std::span<const Vec3> samples) {
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
  Samples lower(prim_->keyCount()), upper(prim_->keyCount());
  for (int k = 0; k < prim_->keyCount(); ++k) {
    Vec3 fresh[4];
    evaluate(t, k, fresh);
    const Vec3* old = &samples[static_cast<size_t>(k) * kSamples];
    for (int i = 0; i < 3; ++i) lower.at(k)[2 * i] = old[i], upper.at(k)[2 * i] = old[2 + i];
    for (int i = 0; i < 2; ++i) lower.at(k)[2 * i + 1] = fresh[i], upper.at(k)[2 * i + 1] = fresh[i + 2];
  }
  growLeaves(t0, mid, lower.all());
  growLeaves(mid, t1, upper.all());
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
  if (n == m)  // there is no choice
    for (int j = 1; j <= n; ++j) index[j] = side.ia + j * step;
  for (int j = 1; j <= n && n != m; ++j) {
    const float t = side.a + (side.b - side.a) * (static_cast<float>(j) / static_cast<float>(n));
    const int wish = (side.line->nearest(t) - side.ia) * step;
    const int least = std::max(last, m - (n - j)), most = std::min(last + 1, m);
    last = std::clamp(wish, least, std::max(least, most));
    index[j] = side.ia + last * step;
  }
}

}  // namespace reyes::render
