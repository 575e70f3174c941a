// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/patch_set.h"

#include <algorithm>
#include <cmath>

#include "reyes/geom/cubic.h"
#include "reyes/geom/hull_bound.h"

namespace reyes::geom {
namespace {

/// Rounding of evaluation (hull_bound.h); several times what it can be.
constexpr float kRounding = 1e-5f;
constexpr int kInner[4] = {5, 6, 9, 10};

/// Three components at once, and one that is nothing.
using F4 [[gnu::vector_size(16)]] = float;

/// Four B-spline values become Bezier values; a missing first or last one continues the line of its neighbours.
template <typename T>
void splineToBezier(T* v, int stride, bool noFirst, bool noLast) {
  T a = v[0], b = v[stride], c = v[2 * stride], d = v[3 * stride];
  if (noFirst) a = 2.0f * b - c;
  if (noLast) d = 2.0f * c - b;
  constexpr float kThird = 1.0f / 3;
  const T b1 = (2.0f * b + c) * kThird, b2 = (b + 2.0f * c) * kThird;
  v[stride] = b1;
  v[2 * stride] = b2;
  v[0] = ((a + 2.0f * b) * kThird + b1) * 0.5f;
  v[3 * stride] = (b2 + (2.0f * c + d) * kThird) * 0.5f;
}

template <typename T>
void splineToBezier(T cv[16], uint8_t boundary) {
  for (int j = 0; j < 4; ++j) splineToBezier(cv + 4 * j, 1, boundary & 8, boundary & 2);
  for (int i = 0; i < 4; ++i) splineToBezier(cv + i, 4, boundary & 1, boundary & 4);
}

/// The inner values of a Gregory patch at (u, v) and their derivatives; one of the two at a corner.
void innerValues(const PatchHull& h, float u, float v, float f[4], float fu[4], float fv[4]) {
  for (int k = 0; k < 4; ++k) {
    const float a = k & 1 ? 1 - u : u, b = k & 2 ? 1 - v : v, sum = a + b;
    const float x = h.along[k], y = h.across[k];
    f[k] = sum > 0 ? (a * x + b * y) / sum : x;
    const float slope = sum > 0 ? (x - y) / (sum * sum) : 0;
    fu[k] = (k & 1 ? -1.0f : 1.0f) * b * slope;
    fv[k] = (k & 2 ? 1.0f : -1.0f) * a * slope;
  }
}

/// One component of a Gregory patch on a grid; scale is that of derivatives.
void gregoryGrid(PatchHull& h, std::span<const float> us, std::span<const float> vs, const BernsteinTable& u,
                 const BernsteinTable& v, float scale, float* p, float* du, float* dv) {
  for (int j = 0; j < v.count; ++j)
    for (int i = 0; i < u.count; ++i) {
      float f[4], fu[4], fv[4];
      innerValues(h, us[static_cast<size_t>(i)], vs[static_cast<size_t>(j)], f, fu, fv);
      for (int k = 0; k < 4; ++k) h.cv[kInner[k]] = f[k];
      const BernsteinTable one{
          1, {u.b[0] + i, u.b[1] + i, u.b[2] + i, u.b[3] + i}, {u.d[0] + i, u.d[1] + i, u.d[2] + i}};
      const BernsteinTable two{
          1, {v.b[0] + j, v.b[1] + j, v.b[2] + j, v.b[3] + j}, {v.d[0] + j, v.d[1] + j, v.d[2] + j}};
      const int at = j * u.count + i;
      patchKernels().bicubic(h.cv, one, two, p + at, du ? du + at : nullptr, du ? dv + at : nullptr);
      if (!du) continue;
      for (int k = 0; k < 4; ++k) {
        const float w = u.b[1 + (k & 1)][i] * v.b[1 + (k >> 1)][j] * scale;
        du[at] += fu[k] * w;
        dv[at] += fv[k] * w;
      }
    }
}

/// Corner values (0,0), (1,0), (0,1), (1,1) of a bilinear face on a grid; each face has one patch.
void evaluateBilinear(const int* points, const GridParams& at, const float* values, int width, int first, int count,
                      float* const* p, float* const* du, float* const* dv) {
  const int columns = static_cast<int>(at.u.size()), rows = static_cast<int>(at.v.size());
  for (int c = 0; c < count; ++c) {
    float corner[4];
    for (int k = 0; k < 4; ++k) corner[k] = values[points[k] * width + first + c];
    patchKernels().bilinear(corner, at.u.data(), columns, at.v.data(), rows, p[c]);
    if (du) patchKernels().bilinearDerivatives(corner, at.u.data(), columns, at.v.data(), rows, 1, 1, du[c], dv[c]);
  }
}

Bound3 bilinearBound(const int* points, const UvRect& rect, const float* values) {
  float cv[4][4];
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) cv[c][k] = values[points[k] * 3 + c];
  const float us[2] = {rect.u0, rect.u1}, vs[2] = {rect.v0, rect.v1};
  return cutHullBound(cv, 3, 4, kRounding, [&](float* v) {
    float out[4];
    patchKernels().bilinear(v, us, 2, vs, 2, out);
    std::copy_n(out, 4, v);
  });
}

/// Grid lines [begin, end) that lie in [low, low + size), the last one with the face's end.
std::pair<size_t, size_t> linesIn(std::span<const float> lines, float low, float size) {
  const float high = low + size;
  const auto begin = std::lower_bound(lines.begin(), lines.end(), low);
  const auto end = high >= 1 ? lines.end() : std::lower_bound(lines.begin(), lines.end(), high);
  return {static_cast<size_t>(begin - lines.begin()), static_cast<size_t>(end - lines.begin())};
}

}  // namespace

void PatchSet::gather(const SubPatch& patch, const float* values, int width, int component, PatchHull& hull) const {
  const int* from = &indices[patch.first];
  const auto value = [&](int k) {
    return values[static_cast<size_t>(from[k]) * static_cast<size_t>(width) + static_cast<size_t>(component)];
  };
  if (patch.kind == PatchKind::kSpline) {
    for (int k = 0; k < 16; ++k) hull.cv[k] = value(k);
    return splineToBezier(hull.cv, patch.boundary);
  }
  // Gregory points come five a corner, around the face: corner, towards next, towards previous, and the two inner ones.
  static constexpr int kPlace[4] = {0, 3, 15, 12}, kNext[4] = {1, 7, 14, 8}, kPrevious[4] = {4, 2, 11, 13};
  static constexpr int kInnerOf[4] = {0, 1, 3, 2};
  for (int c = 0; c < 4; ++c) {
    hull.cv[kPlace[c]] = value(5 * c);
    hull.cv[kNext[c]] = value(5 * c + 1);
    hull.cv[kPrevious[c]] = value(5 * c + 2);
    // On even corners the next side runs along u, on odd ones along v.
    hull.along[kInnerOf[c]] = value(5 * c + (c % 2 == 0 ? 3 : 4));
    hull.across[kInnerOf[c]] = value(5 * c + (c % 2 == 0 ? 4 : 3));
    hull.cv[kInner[kInnerOf[c]]] = hull.along[kInnerOf[c]];
  }
}

void PatchSet::gatherPoint(const SubPatch& patch, const float* values, PatchHull hull[3]) const {
  if (patch.kind != PatchKind::kSpline) {
    for (int c = 0; c < 3; ++c) gather(patch, values, 3, c, hull[c]);
    return;
  }
  F4 cv[16];
  for (int k = 0; k < 16; ++k) {
    const float* p = values + static_cast<std::ptrdiff_t>(indices[patch.first + static_cast<size_t>(k)]) * 3;
    cv[k] = F4{p[0], p[1], p[2], 0};
  }
  splineToBezier(cv, patch.boundary);
  for (int c = 0; c < 3; ++c)
    for (int k = 0; k < 16; ++k) hull[c].cv[k] = cv[k][c];
}

void PatchSet::evaluate(int face, const GridParams& at, const float* values, int width, int first, int count,
                        Arena& arena, float* const* p, float* const* du, float* const* dv) const {
  if (triangles()) return evaluateTriangles(face, at, values, width, first, count, p, du, dv);
  const size_t columns = at.u.size(), rows = at.v.size();
  for (const SubPatch& patch : of(face)) {
    if (patch.kind == PatchKind::kBilinear) {
      evaluateBilinear(&indices[patch.first], at, values, width, first, count, p, du, dv);
      continue;
    }
    // The block of the grid that lies on this patch, in the patch's own parameters.
    const auto [i0, i1] = linesIn(at.u, patch.u0, patch.size);
    const auto [j0, j1] = linesIn(at.v, patch.v0, patch.size);
    if (i0 >= i1 || j0 >= j1) continue;
    const size_t nu = i1 - i0, nv = j1 - j0;
    const std::span<float> us = arena.make<float>(nu), vs = arena.make<float>(nv);
    const float scale = 1 / patch.size;
    for (size_t i = 0; i < nu; ++i) us[i] = (at.u[i0 + i] - patch.u0) * scale;
    for (size_t j = 0; j < nv; ++j) vs[j] = (at.v[j0 + j] - patch.v0) * scale;
    const BernsteinTable u = makeTable(us, scale, arena), v = makeTable(vs, scale, arena);
    const bool whole = nu == columns && nv == rows;
    float* block[3] = {};
    if (!whole)
      for (int k = 0; k < (du ? 3 : 1); ++k) block[k] = arena.make<float>(nu * nv).data();
    PatchHull hulls[3];
    const bool points = width == 3 && first == 0 && count == 3;
    if (points) gatherPoint(patch, values, hulls);
    for (int c = 0; c < count; ++c) {
      PatchHull& hull = hulls[points ? c : 0];
      if (!points) gather(patch, values, width, first + c, hull);
      float* planes[3] = {p[c], du ? du[c] : nullptr, du ? dv[c] : nullptr};
      float* const* out = whole ? planes : block;
      if (patch.kind == PatchKind::kGregory)
        gregoryGrid(hull, us, vs, u, v, scale, out[0], out[1], out[2]);
      else
        patchKernels().bicubic(hull.cv, u, v, out[0], out[1], out[2]);
      for (int k = 0; !whole && k < (du ? 3 : 1); ++k)
        for (size_t j = 0; j < nv; ++j) std::copy_n(block[k] + j * nu, nu, planes[k] + (j0 + j) * columns + i0);
    }
  }
}

const SubPatch& PatchSet::find(int face, Vec2 uv) const {
  const std::span<const SubPatch> all = of(face);
  for (const SubPatch& s : all) {
    const float u1 = s.u0 + s.size, v1 = s.v0 + s.size;
    if (uv.x >= s.u0 && uv.y >= s.v0 && (uv.x < u1 || u1 >= 1) && (uv.y < v1 || v1 >= 1)) return s;
  }
  return all.front();
}

void PatchSet::evaluate(int face, Vec2 uv, const float* values, int width, int count, float* p, float* du,
                        float* dv) const {
  if (triangles() || of(face).front().kind == PatchKind::kBilinear) {
    for (int c = 0; c < count; ++c) {
      float* planes[3] = {p + c, du ? du + c : nullptr, du ? dv + c : nullptr};
      const GridParams at{{&uv.x, 1}, {&uv.y, 1}};
      if (triangles())
        evaluateTriangles(face, at, values, width, c, 1, &planes[0], du ? &planes[1] : nullptr, &planes[2]);
      else
        evaluateBilinear(&indices[of(face).front().first], at, values, width, c, 1, &planes[0],
                         du ? &planes[1] : nullptr, &planes[2]);
    }
    return;
  }
  const SubPatch& patch = find(face, uv);
  const float scale = 1 / patch.size;
  const float s = (uv.x - patch.u0) * scale, t = (uv.y - patch.v0) * scale;
  const CubicWeights u(s, scale), v(t, scale);
  for (int c = 0; c < count; ++c) {
    PatchHull hull;
    gather(patch, values, width, c, hull);
    float* a = du ? du + c : nullptr;
    float* b = du ? dv + c : nullptr;
    if (patch.kind == PatchKind::kGregory)
      gregoryGrid(hull, {&s, 1}, {&t, 1}, u.table(), v.table(), scale, p + c, a, b);
    else
      patchKernels().bicubic(hull.cv, u.table(), v.table(), p + c, a, b);
  }
}

Vec3 PatchSet::point(int face, Vec2 uv, const float* values, HeldPatch& held) const {
  Vec3 p;
  if (triangles() || of(face).front().kind == PatchKind::kBilinear) {
    evaluate(face, uv, values, 3, 3, &p.x, nullptr, nullptr);
    return p;
  }
  const SubPatch& patch = find(face, uv);
  if (held.patch != &patch) gatherPoint(patch, values, held.hull);
  held.patch = &patch;
  const float scale = 1 / patch.size;
  const float s = (uv.x - patch.u0) * scale, t = (uv.y - patch.v0) * scale;
  const CubicWeights u(s, scale), v(t, scale);
  for (int c = 0; c < 3; ++c) {
    if (patch.kind == PatchKind::kGregory)
      gregoryGrid(held.hull[c], {&s, 1}, {&t, 1}, u.table(), v.table(), scale, &p[c], nullptr, nullptr);
    else
      patchKernels().bicubic(held.hull[c].cv, u.table(), v.table(), &p[c], nullptr, nullptr);
  }
  return p;
}

Bound3 PatchSet::patchBound(const SubPatch& patch, const UvRect& rect, const float* values) const {
  Bound3 all;
  const bool gregory = patch.kind == PatchKind::kGregory;
  PatchHull hulls[3];
  gatherPoint(patch, values, hulls);
  // The inner values of a Gregory patch lie between two: the patches of the lower and the upper ones hold it.
  for (int pass = 0; pass < (gregory ? 2 : 1); ++pass) {
    float cv[4][16];
    for (int c = 0; c < 3; ++c) {
      const PatchHull& hull = hulls[c];
      std::copy_n(hull.cv, 16, cv[c]);
      for (int k = 0; gregory && k < 4; ++k)
        cv[c][kInner[k]] =
            pass == 0 ? std::min(hull.along[k], hull.across[k]) : std::max(hull.along[k], hull.across[k]);
    }
    all.add(cutHullBound(cv, 3, 16, kRounding, [&](float* v) { cutPatch(rect.u0, rect.u1, rect.v0, rect.v1, v); }));
  }
  return all;
}

std::vector<Bound3> PatchSet::boxes(const float* values) const {
  std::vector<Bound3> all;
  all.reserve(patches.size());
  for (const SubPatch& patch : patches) {
    if (patch.kind == PatchKind::kSpline || patch.kind == PatchKind::kGregory) {
      all.push_back(patchBound(patch, UvRect(), values));
    } else if (patch.kind == PatchKind::kBilinear) {
      all.push_back(bilinearBound(&indices[patch.first], UvRect(), values));
    } else {
      all.push_back(triangleBound(patch, values));
    }
  }
  return all;
}

Bound3 PatchSet::bound(int face, const UvRect& rect, const float* values, std::span<const Bound3> boxes) const {
  Bound3 all;
  if (triangles()) return partOfTriangles(face, rect, values, boxes);
  for (const SubPatch& patch : of(face)) {
    const float scale = 1 / patch.size;
    const UvRect part{std::max(0.0f, (rect.u0 - patch.u0) * scale), std::min(1.0f, (rect.u1 - patch.u0) * scale),
                      std::max(0.0f, (rect.v0 - patch.v0) * scale), std::min(1.0f, (rect.v1 - patch.v0) * scale)};
    if (part.u0 > part.u1 || part.v0 > part.v1) continue;
    // A patch that only touches the part shares its border with one inside; the whole patch has its box already.
    if (part.u0 == 0 && part.u1 == 1 && part.v0 == 0 && part.v1 == 1)
      all.add(boxes[static_cast<size_t>(&patch - patches.data())]);
    else if (patch.kind == PatchKind::kBilinear)
      all.add(bilinearBound(&indices[patch.first], part, values));
    else
      all.add(patchBound(patch, part, values));
  }
  return all;
}

}  // namespace reyes::geom
