// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/blobby.h"

#include <algorithm>
#include <cmath>

namespace reyes::geom {
BlobbyGeometry::BlobbyGeometry(std::vector<std::array<int, 4>> quads, double cell, std::vector<BlobbyKey> keys,
                               std::vector<PrimvarData> primvars, const float st[8], Planes planes)
    : quads_(std::move(quads)), reach_(1.5 * cell), planes_(std::move(planes)), keys_(std::move(keys)) {
  setTextureCoordinates(st);
  setPrimvars(std::move(primvars));
  static constexpr int kEnds[4][2] = {{0, 1}, {1, 3}, {2, 3}, {0, 2}};
  edges_.build(
      faceCount(), static_cast<int>(keys_[0].points.size()),
      [this](int f, Side s) -> SideCurve {
        const std::array<int, 4>& q = quads_[static_cast<size_t>(f)];
        const int a = q[static_cast<size_t>(kEnds[static_cast<int>(s)][0])],
                  b = q[static_cast<size_t>(kEnds[static_cast<int>(s)][1])];
        return {a, a, b, b};
      },
      [](int a, int b) { return a - b; });
  fields_.resize(keys_.size());
  fieldOfFace_.resize(keys_.size());
  bend_.resize(keys_.size());
  ranges_.resize(keys_.size());
  bounds_.resize(keys_.size());
  for (size_t key = 0; key < keys_.size(); ++key) makeFields(key);
  measureAll();
  for (size_t key = 0; key < keys_.size(); ++key)
    ranges_[key].build(faceCount(), [&](int f) { return bounds_[key][static_cast<size_t>(f)]; });
}

BlobbyGeometry::Firm BlobbyGeometry::firmAt(const std::array<int, 4>& quad, double s, double t) const {
  if (firm_.empty()) return {};
  double c[4];
  for (size_t k = 0; k < 4; ++k) c[k] = firm_[static_cast<size_t>(quad[k])];
  if (c[0] + c[1] + c[2] + c[3] == 4) return {};
  const auto mix1 = [](double a, double b, double x) { return a + (b - a) * x; };
  return {mix1(mix1(c[0], c[1], s), mix1(c[2], c[3], s), t), mix1(c[1] - c[0], c[3] - c[2], t),
          mix1(c[2] - c[0], c[3] - c[1], s)};
}

BlobbyGeometry::Hit BlobbyGeometry::meet(const BlobbyField& field, Double3 q, Double3 d, double firm) const {
  if (firm <= 0) return {0, q, field.at(q).g};
  Hit hit = meet(field, q, d, Nearly{});
  if (firm < 1) hit.p = q + d * (hit.t * firm);
  return hit;
}

BlobbyGeometry::Hit BlobbyGeometry::meet(const BlobbyField& field, Double3 q, Double3 d, Nearly nearly) const {
  const double length = std::sqrt(dot(d, d));
  if (!(length > 0)) return {0, q, field.at(q).g};
  const double reach = reach_ / length, fine = reach * nearly.part;
  const auto value = [&](double t) { return field.at(q + d * t); };
  // Newton's steps, from the quad, to where the ray leaves the inside.
  double t = 0;
  for (int step = 0; step < 8; ++step) {
    const FieldValue v = value(t);
    const double slope = dot(v.g, d), f = v.f - kBlobbyThreshold;
    if (!(slope < 0)) break;
    if (f == 0) return {t, q + d * t, v.g};
    const double next = t - f / slope;
    if (!(std::abs(next) <= reach)) break;
    const bool done = std::abs(next - t) <= fine;
    t = next;
    if (done) return {t, q + d * t, value(t).g};
  }
  // They do not settle: the nearest change of sign where the ray leaves, else one where it enters, halved.
  const auto inside = [&](double x) { return field.value(q + d * x) > kBlobbyThreshold; };
  const bool here = inside(0);
  constexpr int kSteps = 12;
  double low = 0, high = 0;
  for (const double way : {here ? reach : -reach, here ? -reach : reach})
    for (int k = 1; k <= kSteps && high == 0; ++k)
      if (inside(way * k / kSteps) != here) low = way * (k - 1) / kSteps, high = way * k / kSteps;
  if (high == 0) return {0, q, field.at(q).g, false};
  for (int step = 0; step < 50 && std::abs(high - low) > fine; ++step) {
    const double middle = (low + high) * 0.5;
    (inside(middle) == here ? low : high) = middle;
  }
  return {high, q + d * high, value(high).g};
}

void BlobbyGeometry::pointsAt(int face, std::span<const Vec2> uv, int key, Vec3* out) const {
  const BlobbyKey& k = keys_[static_cast<size_t>(key)];
  const BlobbyField& field = fieldOf(face, key);
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  for (size_t i = 0; i < uv.size(); ++i) {
    const double s = uv[i].x, t = uv[i].y;
    out[i] = toFloat(
        meet(field, QuadPlace(k.points, quad, s, t).p, QuadPlace(k.directions, quad, s, t).p, firmAt(quad, s, t).w).p);
  }
}

void BlobbyGeometry::surface(int face, const GridParams& at, int key, Arena&, const SurfacePlanes& out) const {
  const BlobbyKey& k = keys_[static_cast<size_t>(key)];
  const BlobbyField& field = fieldOf(face, key);
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  size_t i = 0;
  const auto put = [&](float* const* planes, Double3 p) {
    const Vec3 f = toFloat(p);
    for (int c = 0; c < 3; ++c) planes[c][i] = f[c];
  };
  for (const float v : at.v)
    for (const float u : at.u) {
      const QuadPlace base(k.points, quad, u, v), way(k.directions, quad, u, v);
      const Firm firm = firmAt(quad, u, v);
      const Hit hit = meet(field, base.p, way.p, firm.w);
      put(out.p, hit.p);
      if (out.du[0]) {
        // The field stays at the threshold along u and v: that gives the derivatives of t.
        const double across = dot(hit.gradient, way.p), safe = across != 0 ? 1 / across : 0.0;
        const auto along = [&](Double3 b, Double3 w, double turn) {
          if (firm.w <= 0) return b + way.p * (turn * hit.t);
          const double slide = dot(hit.gradient, b + w * hit.t) * safe;
          return b + w * (hit.t * firm.w) - way.p * (slide * firm.w - turn * hit.t);
        };
        const Double3 du = along(base.u, way.u, firm.u), dv = along(base.v, way.v, firm.v);
        const double length = std::sqrt(dot(hit.gradient, hit.gradient));
        put(out.du, du), put(out.dv, dv);
        put(out.ng, length > 0 ? hit.gradient * (-1 / length) : way.p * (1 / std::sqrt(dot(way.p, way.p))));
      }
      ++i;
    }
}

void BlobbyGeometry::edgePoints(int face, Side side, std::span<const float> t, int key, Vec3* out) const {
  const BlobbyKey& k = keys_[static_cast<size_t>(key)];
  const FaceEdge e = edges_.edge(face, side);
  static constexpr int kEnds[4][2] = {{0, 1}, {1, 3}, {2, 3}, {0, 2}};
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  const bool back = e.t0 > e.t1;
  const size_t a = static_cast<size_t>(quad[static_cast<size_t>(kEnds[static_cast<int>(side)][back])]),
               b = static_cast<size_t>(quad[static_cast<size_t>(kEnds[static_cast<int>(side)][!back])]);
  const BlobbyField& field = fieldOf(face, key);
  for (size_t i = 0; i < t.size(); ++i) {
    const double firm = firm_.empty() ? 1 : firm_[a] + (firm_[b] - firm_[a]) * static_cast<double>(t[i]);
    out[i] = toFloat(meet(field, mix(toDouble(k.points[a]), toDouble(k.points[b]), t[i]),
                          mix(toDouble(k.directions[a]), toDouble(k.directions[b]), t[i]), firm)
                         .p);
  }
}

void BlobbyGeometry::fillVertex(size_t primvar, int face, const GridParams& at, Arena&, Var& var) const {
  const PrimvarData& data = primvarData()[primvar];
  if (var.uniform) return fillUniform(data, 0, var);
  const BlobbyKey& k = keys_[0];
  const BlobbyField& field = fieldOf(face, 0);
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  std::vector<LeafWeight> weights;
  const size_t width = static_cast<size_t>(data.spec.width());
  size_t i = 0;
  for (const float v : at.v)
    for (const float u : at.u) {
      const Double3 way = QuadPlace(k.directions, quad, u, v).p;
      field.weights(meet(field, QuadPlace(k.points, quad, u, v).p, way, firmAt(quad, u, v).w).p, weights);
      double sum = 0;
      for (const LeafWeight& w : weights) sum += w.weight;
      for (size_t c = 0; c < width; ++c) {
        double value = 0;
        for (const LeafWeight& w : weights) value += w.weight * data.values[static_cast<size_t>(w.leaf) * width + c];
        var.data[c * static_cast<size_t>(var.stride) + i] = static_cast<float>(value / sum);
      }
      ++i;
    }
}

void BlobbyGeometry::fillVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const {
  BlobbyGeometry::fillVertex(primvar, face, at, arena, var);
}

void BlobbyGeometry::fillFaceVarying(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const {
  BlobbyGeometry::fillVertex(primvar, face, at, arena, var);
}

}  // namespace reyes::geom
