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

/// Torn is a face where rays that start near each other meet the surface far apart, or not at all: at creases, and
/// where blobs just touch. Whoever wants short edges would cut such a face for ever.
bool BlobbyGeometry::torn(int face, size_t key, Vec3* nine) const {
  constexpr double kMostStep = 2.5, kLeastSteep = 0.3;
  const BlobbyKey& k = keys_[key];
  const BlobbyField& field = fieldOf(face, static_cast<int>(key));
  const std::array<int, 4>& quad = quads_[static_cast<size_t>(face)];
  const auto corner = [&](size_t c) { return k.points[static_cast<size_t>(quad[c])]; };
  const double size = std::max(length(corner(0) - corner(3)), length(corner(1) - corner(2)));
  // Where three by three rays leave steeply the face is whole; else a closer look.
  for (const int n : {2, 8}) {
    std::array<Double3, 81> p;
    bool steep = true;
    double step2 = 0;
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        const double u = static_cast<double>(i) / n, v = static_cast<double>(j) / n;
        const Double3 way = Bilinear(k.directions, quad, u, v).p;
        const Hit hit = meet(field, Bilinear(k.points, quad, u, v).p, way);
        if (!hit.found) return true;
        const double slope = dot(hit.gradient, way);
        const bool leaves =
            slope < 0 && slope * slope > kLeastSteep * kLeastSteep * dot(hit.gradient, hit.gradient) * dot(way, way);
        steep = steep && leaves;
        const size_t at = static_cast<size_t>(j * (n + 1) + i), row = static_cast<size_t>(n + 1);
        p[at] = hit.p;
        if (i > 0) step2 = std::max(step2, dot(p[at] - p[at - 1], p[at] - p[at - 1]));
        if (j > 0) step2 = std::max(step2, dot(p[at] - p[at - row], p[at] - p[at - row]));
      }
    const bool jumps = !(std::sqrt(step2) * n <= kMostStep * size);
    if (n == 2) std::transform(p.begin(), p.begin() + 9, nine, toFloat);
    if (n == 2 && steep && !jumps) return false;
    if (n > 2) return jumps;
  }
  return false;
}

void BlobbyGeometry::measureAll() {
  const size_t faces = quads_.size();
  std::vector<uint8_t> firm(keys_[0].points.size(), 1);
  Vec3 nine[9];
  bool any = false;
  for (size_t key = 0; key < keys_.size(); ++key) {
    bend_[key].resize(faces), bounds_[key].resize(faces);
    for (int face = 0; face < faceCount(); ++face) {
      if (!torn(face, key, nine)) {
        measure(face, key, nine);
        continue;
      }
      any = true;
      for (const int v : quads_[static_cast<size_t>(face)]) firm[static_cast<size_t>(v)] = 0;
    }
  }
  if (!any) return;
  // Torn faces and those beside them are not what they were.
  firm_ = std::move(firm);
  Vec2 uv[9];
  for (int k = 0; k < 9; ++k) uv[k] = {static_cast<float>(k % 3) / 2, static_cast<float>(k / 3) / 2};
  for (int face = 0; face < faceCount(); ++face) {
    const std::array<int, 4>& q = quads_[static_cast<size_t>(face)];
    if (std::all_of(q.begin(), q.end(), [&](int v) { return firm_[static_cast<size_t>(v)] != 0; })) continue;
    for (size_t key = 0; key < keys_.size(); ++key) {
      pointsAt(face, uv, static_cast<int>(key), nine);
      measure(face, key, nine);
    }
  }
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
  Hit hit = meet(field, q, d);
  if (firm < 1) hit.p = q + d * (hit.t * firm);
  return hit;
}

/// How far the surface leaves the quad between its own points, from the middles of sides and face; its box.
void BlobbyGeometry::measure(int face, size_t key, const Vec3* nine) {
  float most = 0;
  for (int k = 0; k < 3; ++k) {
    most = std::max(most, length(nine[3 * k + 1] - (nine[3 * k] + nine[3 * k + 2]) * 0.5f));
    most = std::max(most, length(nine[3 + k] - (nine[k] + nine[6 + k]) * 0.5f));
  }
  const size_t at = static_cast<size_t>(face);
  bend_[key][at] = most;
  const Vec3 corners[4] = {nine[0], nine[2], nine[6], nine[8]};
  bounds_[key][at] = around(face, static_cast<int>(key), corners, 1);
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
        meet(field, Bilinear(k.points, quad, s, t).p, Bilinear(k.directions, quad, s, t).p, firmAt(quad, s, t).w).p);
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

Bound3 BlobbyGeometry::bound(int begin, int end, int key) const {
  return ranges_[static_cast<size_t>(key)].query(
      begin, end, [&](int f) { return bounds_[static_cast<size_t>(key)][static_cast<size_t>(f)]; });
}

Bound3 BlobbyGeometry::bound(int face, const UvRect& rect, int key) const {
  if (rect.u0 == 0 && rect.v0 == 0 && rect.u1 == 1 && rect.v1 == 1)
    return bounds_[static_cast<size_t>(key)][static_cast<size_t>(face)];
  const Vec2 uv[4] = {{rect.u0, rect.v0}, {rect.u1, rect.v0}, {rect.u0, rect.v1}, {rect.u1, rect.v1}};
  Vec3 p[4];
  pointsAt(face, uv, key, p);
  return around(face, key, p, std::max(rect.u1 - rect.u0, rect.v1 - rect.v0));
}

/// The surface between the corners leaves their quad by no more than it bends, and by less over a part of it.
Bound3 BlobbyGeometry::around(int face, int key, const Vec3 corners[4], float part) const {
  Bound3 b;
  for (int k = 0; k < 4; ++k) b.add(corners[k]);
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
      const Double3 way = Bilinear(k.directions, quad, u, v).p;
      field.weights(meet(field, Bilinear(k.points, quad, u, v).p, way, firmAt(quad, u, v).w).p, weights);
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
