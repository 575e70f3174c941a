// SPDX-License-Identifier: Apache-2.0
// Loop surfaces: quartic triangles, of which each face (a quad at a corner of its triangle) shows a third.
#include <algorithm>
#include <cmath>

#include "reyes/geom/hull_bound.h"
#include "reyes/geom/patch_set.h"

namespace reyes::geom {
namespace {

/// Bezier values are indexed by the powers of s and t: (i, j) at kQuarticRow[j] + i.
constexpr int kQuarticRow[5] = {0, 5, 9, 12, 14};
constexpr int at(int i, int j) { return kQuarticRow[j] + i; }
/// Inner values near corner 0 (s = t = 0), 1 (s = 1), 2 (t = 1).
constexpr int kInner[3] = {at(1, 1), at(2, 1), at(1, 2)};
/// Rounding (hull_bound.h); several times what it can be.
constexpr float kRounding = 2e-5f;

/// Value and slopes by de Casteljau.
void quartic(const float cv[15], float s, float t, float out[3]) {
  float b[15];
  std::copy_n(cv, 15, b);
  const float r = 1 - s - t;
  for (int degree = 4; degree > 1; --degree)
    for (int j = 0; j < degree; ++j)
      for (int i = 0; i < degree - j; ++i) b[at(i, j)] = r * b[at(i, j)] + s * b[at(i + 1, j)] + t * b[at(i, j + 1)];
  out[0] = r * b[at(0, 0)] + s * b[at(1, 0)] + t * b[at(0, 1)];
  out[1] = 4 * (b[at(1, 0)] - b[at(0, 0)]);
  out[2] = 4 * (b[at(0, 1)] - b[at(0, 0)]);
}

/// Inner values of a Gregory triangle at (s, t) and their slopes.
void blendInner(const QuarticHull& h, float s, float t, float f[3], float fs[3], float ft[3]) {
  const float r = 1 - s - t;
  // A corner's value is by how far the place is towards the next corner, and towards the previous one.
  const float next[3] = {s, t, r}, previous[3] = {t, r, s};
  constexpr float kS[3] = {1, 0, -1}, kT[3] = {0, 1, -1}, kPreviousS[3] = {0, -1, 1}, kPreviousT[3] = {1, -1, 0};
  for (int k = 0; k < 3; ++k) {
    const float a = next[k], b = previous[k], sum = a + b, x = h.next[k], y = h.previous[k];
    f[k] = sum > 0 ? (a * x + b * y) / sum : x;
    const float slope = sum > 0 ? (x - y) / (sum * sum) : 0;
    fs[k] = slope * (kS[k] * b - kPreviousS[k] * a);
    ft[k] = slope * (kT[k] * b - kPreviousT[k] * a);
  }
}

void evaluateHull(QuarticHull& h, float s, float t, float out[3]) {
  if (!h.gregory) return quartic(h.cv, s, t, out);
  float f[3], fs[3], ft[3];
  blendInner(h, s, t, f, fs, ft);
  for (int k = 0; k < 3; ++k) h.cv[kInner[k]] = f[k];
  quartic(h.cv, s, t, out);
  // 4! / (2! 1! 1!) of s, t and r, with the square at the value's own corner.
  const float r = 1 - s - t, w = 12 * s * t * r, own[3] = {r, s, t};
  for (int k = 0; k < 3; ++k) out[1] += fs[k] * w * own[k], out[2] += ft[k] * w * own[k];
}

/// Least and greatest Bezier value of the part of a quartic triangle with the given corners (r, s, t): its blossoms.
void cutQuartic(const float cv[15], const float corners[3][3], float& least, float& most) {
  for (int j = 0; j <= 4; ++j)
    for (int i = 0; i <= 4 - j; ++i) {
      float b[15];
      std::copy_n(cv, 15, b);
      for (int degree = 4, step = 0; degree > 0; --degree, ++step) {
        const float* w = corners[step < i ? 1 : step < i + j ? 2 : 0];
        for (int n = 0; n < degree; ++n)
          for (int m = 0; m < degree - n; ++m)
            b[at(m, n)] = w[0] * b[at(m, n)] + w[1] * b[at(m + 1, n)] + w[2] * b[at(m, n + 1)];
      }
      least = std::min(least, b[0]), most = std::max(most, b[0]);
    }
}

}  // namespace

TrianglePlace trianglePlace(int corner, float u, float v) {
  constexpr float kSixth = 1.0f / 6;
  // Towards the next and the previous corner of the triangle.
  const float p = u * (0.5f - v * kSixth), q = v * (0.5f - u * kSixth);
  const float pu = 0.5f - v * kSixth, pv = -u * kSixth, qu = -v * kSixth, qv = 0.5f - u * kSixth;
  const float r = 1 - p - q, ru = -(pu + qu), rv = -(pv + qv);
  if (corner == 0) return {p, q, pu, pv, qu, qv};
  if (corner == 1) return {r, p, ru, rv, pu, pv};
  return {q, r, qu, qv, ru, rv};
}

void PatchSet::gatherTriangle(const SubPatch& patch, const float* values, int width, int component,
                              QuarticHull& hull) const {
  const int* from = &indices[patch.first];
  const auto value = [&](int k) { return values[static_cast<std::ptrdiff_t>(from[k]) * width + component]; };
  if (patch.kind == PatchKind::kTriangle) {
    const std::array<float, 180>& m = toQuartic[patch.matrix];
    float in[12];
    for (int k = 0; k < 12; ++k) in[k] = value(k);
    for (int row = 0; row < 15; ++row) {
      float sum = 0;
      for (int k = 0; k < 12; ++k) sum += m[static_cast<size_t>(row * 12 + k)] * in[k];
      hull.cv[row] = sum;
    }
    return;
  }
  // Five values a corner (corner, towards next, towards previous, two inner ones), then the sides' middles.
  static constexpr int kCorner[3] = {at(0, 0), at(4, 0), at(0, 4)}, kNext[3] = {at(1, 0), at(3, 1), at(0, 3)},
                       kPrevious[3] = {at(0, 1), at(3, 0), at(1, 3)}, kMiddle[3] = {at(2, 0), at(2, 2), at(0, 2)};
  hull.gregory = true;
  for (int c = 0; c < 3; ++c) {
    hull.cv[kCorner[c]] = value(5 * c);
    hull.cv[kNext[c]] = value(5 * c + 1);
    hull.cv[kPrevious[c]] = value(5 * c + 2);
    hull.next[c] = value(5 * c + 3);
    hull.previous[c] = value(5 * c + 4);
    hull.cv[kInner[c]] = hull.next[c];
    hull.cv[kMiddle[c]] = value(15 + c);
  }
}

const SubPatch& PatchSet::findTriangle(int face, float s, float t) const {
  const std::span<const SubPatch> all = of(face);
  const SubPatch* best = &all.front();
  float nearest = -1e30f;
  for (const SubPatch& patch : all) {
    const float scale = 1 / patch.size, x = (s - patch.u0) * scale, y = (t - patch.v0) * scale;
    const float inside = std::min({x, y, 1 - x - y});
    if (inside >= 0) return patch;
    // Rounding may leave a place between two patches.
    if (inside > nearest) nearest = inside, best = &patch;
  }
  return *best;
}

void PatchSet::evaluateTriangles(int face, const GridParams& grid, const float* values, int width, int first, int count,
                                 float* const* p, float* const* du, float* const* dv) const {
  const SubPatch* held = nullptr;
  QuarticHull hulls[4];
  for (int base = 0; base < count; base += 4, held = nullptr) {
    const int components = std::min(4, count - base);
    size_t out = 0;
    for (const float v : grid.v)
      for (const float u : grid.u) {
        const TrianglePlace place = trianglePlace(corner[static_cast<size_t>(face)], u, v);
        const SubPatch& patch = findTriangle(face, place.s, place.t);
        for (int c = 0; held != &patch && c < components; ++c) {
          hulls[c] = {};
          gatherTriangle(patch, values, width, first + base + c, hulls[c]);
        }
        held = &patch;
        const float scale = 1 / patch.size;
        for (int c = 0; c < components; ++c) {
          float r[3];
          evaluateHull(hulls[c], (place.s - patch.u0) * scale, (place.t - patch.v0) * scale, r);
          p[base + c][out] = r[0];
          if (!du) continue;
          du[base + c][out] = (r[1] * place.su + r[2] * place.tu) * scale;
          dv[base + c][out] = (r[1] * place.sv + r[2] * place.tv) * scale;
        }
        ++out;
      }
  }
}

Bound3 PatchSet::triangleBound(const SubPatch& patch, const float* values) const {
  Bound3 all;
  float largest = 0;
  for (int c = 0; c < 3; ++c) {
    QuarticHull h;
    gatherTriangle(patch, values, 3, c, h);
    const auto add = [&](float x) {
      all.min[c] = std::min(all.min[c], x), all.max[c] = std::max(all.max[c], x);
      largest = std::max(largest, std::abs(x));
    };
    for (const float x : h.cv) add(x);
    for (int k = 0; h.gregory && k < 3; ++k) add(h.next[k]), add(h.previous[k]);
  }
  all.grow(largest * kRounding);
  return all;
}

Bound3 PatchSet::partOfTriangles(int face, const UvRect& rect, const float* values,
                                 std::span<const Bound3> boxes) const {
  // The part's own box on the triangle: (u, v) to (s, t) is bilinear, so its corners bound it.
  float s0 = 1, s1 = 0, t0 = 1, t1 = 0;
  for (const float v : {rect.v0, rect.v1})
    for (const float u : {rect.u0, rect.u1}) {
      const TrianglePlace place = trianglePlace(corner[static_cast<size_t>(face)], u, v);
      s0 = std::min(s0, place.s), s1 = std::max(s1, place.s), t0 = std::min(t0, place.t), t1 = std::max(t1, place.t);
    }
  Bound3 all;
  for (const SubPatch& patch : of(face)) {
    // The box in the patch's own parameters, a little grown for rounding, and cut to what the patch can have.
    const float scale = 1 / patch.size;
    float x0 = (s0 - patch.u0) * scale, x1 = (s1 - patch.u0) * scale;
    float y0 = (t0 - patch.v0) * scale, y1 = (t1 - patch.v0) * scale;
    if (scale < 0) std::swap(x0, x1), std::swap(y0, y1);
    const float slack = 1e-6f * std::abs(scale);
    x0 = std::max(x0, 0.0f) - slack, y0 = std::max(y0, 0.0f) - slack;
    x1 = std::min(x1, 1.0f) + slack, y1 = std::min(y1, 1.0f) + slack;
    if (x0 > x1 || y0 > y1 || x0 + y0 > 1 + slack) continue;
    const float extent = std::min(1 - x0 - y0, x1 - x0 + y1 - y0) + slack;
    if (extent >= 1) {
      all.add(boxes[static_cast<size_t>(&patch - patches.data())]);
      continue;
    }
    all.add(cutTriangleBound(patch, x0, y0, extent, values));
  }
  return all;
}

Bound3 PatchSet::cutTriangleBound(const SubPatch& patch, float x, float y, float extent, const float* values) const {
  Bound3 all;
  // Bezier values of the triangle (x, y), (x + extent, y), (x, y + extent): blossoms at its corners.
  const float corners[3][3] = {
      {1 - x - y, x, y}, {1 - x - y - extent, x + extent, y}, {1 - x - y - extent, x, y + extent}};
  for (int c = 0; c < 3; ++c) {
    QuarticHull h;
    gatherTriangle(patch, values, 3, c, h);
    // Inner values of a Gregory triangle lie between two: the triangles of the lower and the upper ones hold it.
    float sizes[15] = {}, largest = 0;
    for (int pass = 0; pass < (h.gregory ? 2 : 1); ++pass) {
      for (int k = 0; h.gregory && k < 3; ++k)
        h.cv[kInner[k]] = pass == 0 ? std::min(h.next[k], h.previous[k]) : std::max(h.next[k], h.previous[k]);
      for (int k = 0; k < 15; ++k) sizes[k] = std::max(sizes[k], std::abs(h.cv[k]));
      cutQuartic(h.cv, corners, all.min[c], all.max[c]);
    }
    for (const float f : sizes) largest = std::max(largest, f);
    // As in hull_bound.h.
    if (largest > kFarHull * std::max(std::abs(all.min[c]), std::abs(all.max[c]))) {
      float least = largest, most = 0;
      cutQuartic(sizes, corners, least, most);
      largest = most;
    }
    all.min[c] -= largest * kRounding, all.max[c] += largest * kRounding;
  }
  return all;
}

}  // namespace reyes::geom
