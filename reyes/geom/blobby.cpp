// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/blobby.h"

#include <algorithm>
#include <cmath>

namespace reyes::geom {
namespace {

Double3 mix(Double3 a, Double3 b, double t) { return a * (1 - t) + b * t; }

/// Bilinear between four corners, with its derivatives.
struct Bilinear {
  Double3 p, u, v;
  Bilinear(const std::vector<Vec3>& values, const std::array<int, 4>& quad, double s, double t) {
    Double3 c[4];
    for (size_t k = 0; k < 4; ++k) c[k] = toDouble(values[static_cast<size_t>(quad[k])]);
    p = mix(mix(c[0], c[1], s), mix(c[2], c[3], s), t);
    u = mix(c[1] - c[0], c[3] - c[2], t);
    v = mix(c[2] - c[0], c[3] - c[1], s);
  }
};

}  // namespace

BlobbyGeometry::BlobbyGeometry(std::vector<std::array<int, 4>> quads, double cell, std::vector<BlobbyKey> keys,
                               std::vector<PrimvarData> primvars, const float st[8])
    : quads_(std::move(quads)), reach_(1.5 * cell), keys_(std::move(keys)) {
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
  for (size_t key = 0; key < keys_.size(); ++key) {
    makeFields(key);
    measure(key);
    ranges_[key].build(faceCount(), [&](int f) { return bound(f, UvRect(), static_cast<int>(key)); });
  }
}

/// Faces that follow each other are near each other: blocks of them share a field without the leaves out of reach.
void BlobbyGeometry::makeFields(size_t key) {
  constexpr int kBlock = 16;
  const BlobbyKey& k = keys_[key];
  for (int face = 0; face < faceCount(); ++face) {
    if (face % kBlock == 0) {
      Bound3 box;
      for (int f = face; f < std::min(face + kBlock, faceCount()); ++f)
        for (const int v : quads_[static_cast<size_t>(f)]) box.add(k.points[static_cast<size_t>(v)]);
      box.grow(static_cast<float>(2 * reach_));
      fields_[key].push_back(std::make_unique<BlobbyField>(k.field.within(box)));
    }
    fieldOfFace_[key].push_back(static_cast<int>(fields_[key].size()) - 1);
  }
}

/// How far the surface leaves the quad between its own points, from the middles of sides and face.
void BlobbyGeometry::measure(size_t key) {
  for (int face = 0; face < faceCount(); ++face) {
    Vec3 p[9];
    Vec2 uv[9];
    for (int k = 0; k < 9; ++k) uv[k] = {static_cast<float>(k % 3) / 2, static_cast<float>(k / 3) / 2};
    pointsAt(face, uv, static_cast<int>(key), p);
    float most = 0;
    for (int k = 0; k < 3; ++k) {
      most = std::max(most, length(p[3 * k + 1] - (p[3 * k] + p[3 * k + 2]) * 0.5f));
      most = std::max(most, length(p[3 + k] - (p[k] + p[6 + k]) * 0.5f));
    }
    bend_[key].push_back(most);
  }
}

BlobbyGeometry::Hit BlobbyGeometry::meet(const BlobbyField& field, Double3 q, Double3 d) const {
  const double length = std::sqrt(dot(d, d));
  if (!(length > 0)) return {0, q, field.at(q).g};
  const double reach = reach_ / length, fine = reach * 1e-10;
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
  const auto inside = [&](double x) { return value(x).f > kBlobbyThreshold; };
  const bool here = inside(0);
  constexpr int kSteps = 12;
  double low = 0, high = 0;
  for (const double way : {here ? reach : -reach, here ? -reach : reach})
    for (int k = 1; k <= kSteps && high == 0; ++k)
      if (inside(way * k / kSteps) != here) low = way * (k - 1) / kSteps, high = way * k / kSteps;
  if (high == 0) return {0, q, field.at(q).g};
  for (int step = 0; step < 50; ++step) {
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
    out[i] = toFloat(meet(field, Bilinear(k.points, quad, s, t).p, Bilinear(k.directions, quad, s, t).p).p);
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
      const Bilinear base(k.points, quad, u, v), way(k.directions, quad, u, v);
      const Hit hit = meet(field, base.p, way.p);
      put(out.p, hit.p);
      if (out.du[0]) {
        // The field stays at the threshold along u and v: that gives the derivatives of t.
        const double across = dot(hit.gradient, way.p), safe = across != 0 ? 1 / across : 0.0;
        Double3 du = base.u + way.u * hit.t, dv = base.v + way.v * hit.t;
        du = du - way.p * (dot(hit.gradient, du) * safe), dv = dv - way.p * (dot(hit.gradient, dv) * safe);
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
  for (size_t i = 0; i < t.size(); ++i)
    out[i] = toFloat(meet(field, mix(toDouble(k.points[a]), toDouble(k.points[b]), t[i]),
                          mix(toDouble(k.directions[a]), toDouble(k.directions[b]), t[i]))
                         .p);
}

Bound3 BlobbyGeometry::bound(int begin, int end, int key) const {
  return ranges_[static_cast<size_t>(key)].query(begin, end, [&](int f) { return bound(f, UvRect(), key); });
}

Bound3 BlobbyGeometry::bound(int face, const UvRect& rect, int key) const {
  const Vec2 uv[4] = {{rect.u0, rect.v0}, {rect.u1, rect.v0}, {rect.u0, rect.v1}, {rect.u1, rect.v1}};
  Vec3 p[4];
  pointsAt(face, uv, key, p);
  Bound3 b;
  for (const Vec3& q : p) b.add(q);
  // The surface between the corners leaves their quad by no more than it bends, and by less over a part of it.
  const float part = std::max(rect.u1 - rect.u0, rect.v1 - rect.v0);
  const float size = std::max({std::abs(b.min.x), std::abs(b.min.y), std::abs(b.min.z), std::abs(b.max.x),
                               std::abs(b.max.y), std::abs(b.max.z)});
  b.grow(3 * bend_[static_cast<size_t>(key)][static_cast<size_t>(face)] * part +
         static_cast<float>(reach_) * 1e-3f * part + size * 1e-6f);
  return b;
}

void BlobbyGeometry::fillVertex(size_t primvar, int face, const GridParams& at, Arena& arena, Var& var) const {
  const PrimvarData& data = primvarData()[primvar];
  if (var.uniform) return fillUniform(data, 0, var);
  const BlobbyKey& k = keys_[0];
  const BlobbyField& field = fieldOf(face, 0);
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  const std::span<double> weights = arena.make<double>(k.field.leaves.size());
  const size_t width = static_cast<size_t>(data.spec.width());
  size_t i = 0;
  for (const float v : at.v)
    for (const float u : at.u) {
      field.weights(meet(field, Bilinear(k.points, quad, u, v).p, Bilinear(k.directions, quad, u, v).p).p, weights);
      double sum = 0;
      for (const double w : weights) sum += w;
      for (size_t c = 0; c < width; ++c) {
        double value = 0;
        for (size_t leaf = 0; leaf < weights.size(); ++leaf)
          if (weights[leaf] > 0) value += weights[leaf] * data.values[leaf * width + c];
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
