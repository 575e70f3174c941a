// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/quadric.h"

#include <algorithm>
#include <cmath>

#include "reyes/geom/patch_kernels.h"
#include "reyes/geom/trig.h"

namespace reyes::geom {
namespace {

constexpr double kRadians = 0.017453292519943295769;
constexpr double kRounding = 1e-6;

double signOf(double x) { return x < 0 ? -1.0 : 1.0; }

void set(double out[3], double x, double y, double z) { out[0] = x, out[1] = y, out[2] = z; }

/// To unit length; false where there is no direction.
bool unit(double n[3]) {
  const double largest = std::max({std::abs(n[0]), std::abs(n[1]), std::abs(n[2])});
  if (!(largest > 0)) return false;
  for (int c = 0; c < 3; ++c) n[c] /= largest;
  const double l = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int c = 0; c < 3; ++c) n[c] /= l;
  return true;
}

/// Adding zero turns -0 into +0, so that equal places have equal bits.
float rounded(double x) { return static_cast<float>(x) + 0.0f; }

}  // namespace

Quadric::Quadric(QuadricKind kind, std::vector<QuadricKey> keys, std::vector<PrimvarData> primvars, const float st[8])
    : kind_(kind) {
  setTextureCoordinates(st);
  setPrimvars(std::move(primvars));
  closedV_ = kind == QuadricKind::kTorus;
  later_.reserve(keys.size() - 1);
  for (const QuadricKey& key : keys) {
    Key& to = &key == keys.data() ? first_ : later_.emplace_back();
    to.given = key;
    Angles& a = to.angles;
    if (kind == QuadricKind::kSphere) {
      const double r = key.dims[0];
      a.a0 = asinDegrees(r != 0 ? key.dims[1] / r : 0.0);
      a.span = asinDegrees(r != 0 ? key.dims[2] / r : 0.0) - a.a0;
    } else if (kind == QuadricKind::kTorus) {
      a.a0 = key.dims[2];
      a.span = static_cast<double>(key.dims[3]) - key.dims[2];
      closedV_ = closedV_ && a.span != 0 && std::fmod(a.span, 360.0) == 0;
    }
  }
  for (int k = 0; k < keyCount(); ++k) closedU_ = closedU_ && wholeTurns(k);
  for (const int end : {0, 1}) pole_[end] = poleAt(static_cast<float>(end));
}

bool Quadric::wholeTurns(int key) const {
  const float sweep = given(key).sweep;
  return sweep != 0 && std::fmod(sweep, 360.0f) == 0;
}

bool Quadric::poleAt(float v) const {
  for (int k = 0; k < keyCount(); ++k) {
    double p[3];
    profilePoint(v, k, p);
    if (p[0] != 0 || p[1] != 0) return false;
  }
  return true;
}

bool Quadric::empty() const {
  for (int k = 0; k < keyCount(); ++k) {
    if (given(k).sweep == 0) continue;
    // Area needs a profile of some length that leaves the axis.
    const Profile a = profile(0, k), b = profile(0.5f, k), c = profile(1, k);
    const bool onAxis = a.p[0] == 0 && a.p[1] == 0 && b.p[0] == 0 && b.p[1] == 0 && c.p[0] == 0 && c.p[1] == 0;
    const bool still = std::equal(a.p, a.p + 3, b.p) && std::equal(b.p, b.p + 3, c.p);
    if (!onAxis && !still) return false;
  }
  return true;
}

/// Sphere and torus: a circle of radius `r` about (centre, 0), from the angle.
void Quadric::roundProfile(const float* dims, double degrees, int key, Profile& out) const {
  const bool torus = kind_ == QuadricKind::kTorus;
  const double r = torus ? dims[1] : dims[0], centre = torus ? dims[0] : 0;
  const double rate = angles(key).span * kRadians;
  const SinCos a = sinCosDegrees(degrees);
  set(out.p, centre + r * a.cos, 0, r * a.sin);
  set(out.d, -r * a.sin * rate, 0, r * a.cos * rate);
  // (-y, x, 0) x dP/dv, divided by what may vanish but never changes sign on a sphere.
  const double sign = signOf(rate) * (torus ? signOf(out.p[0]) * signOf(r) : 1.0);
  set(out.n, a.cos * sign, 0, a.sin * sign);
}

void Quadric::profilePoint(float v, int key, double p[3]) const {
  set(p, 0, 0, 0);
  const float* d = given(key).dims.data();
  switch (kind_) {
    case QuadricKind::kSphere:
    case QuadricKind::kTorus: {
      const bool torus = kind_ == QuadricKind::kTorus;
      const double r = torus ? d[1] : d[0], centre = torus ? d[0] : 0;
      const SinCos a = sinCosDegrees(angles(key).at(canonicalV(v)));
      return set(p, centre + r * a.cos, 0, r * a.sin);
    }
    case QuadricKind::kCone:
      return set(p, d[1] * (1.0 - v), 0, double(d[0]) * v);
    case QuadricKind::kCylinder:
      return set(p, d[0], 0, d[1] * (1.0 - v) + double(d[2]) * v);
    case QuadricKind::kParaboloid: {
      const double z = d[1] * (1.0 - v) + double(d[2]) * v;
      return set(p, d[0] * std::sqrt(d[2] != 0 ? std::max(0.0, z / d[2]) : 0.0), 0, z);
    }
    case QuadricKind::kDisk:
      return set(p, d[1] * (1.0 - v), 0, d[0]);
    case QuadricKind::kHyperboloid:
      for (int c = 0; c < 3; ++c) p[c] = d[c] * (1.0 - v) + double(d[3 + c]) * v;
      return;
  }
}

Quadric::Profile Quadric::profile(float v, int key) const {
  const float* d = given(key).dims.data();
  Profile q{};
  switch (kind_) {
    case QuadricKind::kSphere:
    case QuadricKind::kTorus:
      roundProfile(d, angles(key).at(canonicalV(v)), key, q);
      break;
    case QuadricKind::kCone:  // height, radius
      set(q.p, d[1] * (1.0 - v), 0, double(d[0]) * v);
      set(q.d, -d[1], 0, d[0]);
      set(q.n, d[0] * signOf(d[1]), 0, std::abs(d[1]));
      break;
    case QuadricKind::kCylinder:  // radius, zmin, zmax
      set(q.p, d[0], 0, d[1] * (1.0 - v) + double(d[2]) * v);
      set(q.d, 0, 0, double(d[2]) - d[1]);
      set(q.n, signOf(d[0]) * (double(d[2]) - d[1]), 0, 0);
      break;
    case QuadricKind::kParaboloid: {  // rmax, zmin, zmax
      const double z = d[1] * (1.0 - v) + double(d[2]) * v, span = double(d[2]) - d[1];
      const double part = d[2] != 0 ? std::max(0.0, z / d[2]) : 0.0;
      set(q.p, d[0] * std::sqrt(part), 0, z);
      set(q.d, d[2] != 0 ? 0.5 * d[0] / std::sqrt(std::max(part, 1e-6)) * span / d[2] : 0.0, 0, span);
      set(q.n, q.p[0] * span, 0, d[2] != 0 ? -double(d[0]) * d[0] / (2.0 * d[2]) * span : 0.0);
      break;
    }
    case QuadricKind::kDisk:  // height, radius
      set(q.p, d[1] * (1.0 - v), 0, d[0]);
      set(q.d, -d[1], 0, 0);
      set(q.n, 0, 0, 1);
      break;
    case QuadricKind::kHyperboloid:  // point1, point2
      for (int c = 0; c < 3; ++c) {
        q.p[c] = d[c] * (1.0 - v) + double(d[3 + c]) * v;
        q.d[c] = double(d[3 + c]) - d[c];
      }
      set(q.n, q.p[0] * q.d[2], q.p[1] * q.d[2], -q.p[1] * q.d[1] - q.p[0] * q.d[0]);
      if (!unit(q.n)) {  // on the axis: the normal just beside it, towards the middle
        const double s = v < 0.5f ? 1 : -1;
        set(q.n, s * q.d[0] * q.d[2], s * q.d[1] * q.d[2], -s * (q.d[0] * q.d[0] + q.d[1] * q.d[1]));
      }
      break;
  }
  if (!unit(q.n)) set(q.n, 0, 0, 1);
  return q;
}

void Quadric::surface(int, const GridParams& at, int key, Arena& arena, const SurfacePlanes& out) const {
  const double sweep = given(key).sweep;
  const size_t columns = at.u.size();
  const std::span<float> sines = arena.make<float>(columns), cosines = arena.make<float>(columns);
  for (size_t i = 0; i < columns; ++i) {
    const SinCos a = sinCosDegrees(sweep * at.u[i]);
    sines[i] = rounded(a.sin), cosines[i] = rounded(a.cos);
  }
  TurnedRow row;
  row.columns = static_cast<int>(columns);
  row.cos = cosines.data(), row.sin = sines.data();
  row.turn = static_cast<float>(sweep * kRadians);
  const bool derivatives = out.du[0] != nullptr;
  const float side = sweep < 0 ? -1.0f : 1.0f;
  for (size_t j = 0; j < at.v.size(); ++j) {
    const size_t first = j * columns;
    const Profile q = profile(at.v[j], key);
    for (int c = 0; c < 3; ++c) {
      row.p[c] = rounded(q.p[c]), row.d[c] = rounded(q.d[c]), row.n[c] = rounded(q.n[c]) * side;
      row.out[c] = out.p[c] + first;
      if (!derivatives) continue;
      row.du[c] = out.du[c] + first, row.dv[c] = out.dv[c] + first, row.ng[c] = out.ng[c] + first;
    }
    patchKernels().turned(row);
  }
}

void Quadric::pointsAt(int, std::span<const Vec2> uv, int key, Vec3* out) const {
  // Lattices and lines ask for few columns and rows again and again: the last ones are remembered.
  constexpr size_t kColumns = 8;
  const double sweep = given(key).sweep;
  float columns[kColumns], sines[kColumns], cosines[kColumns];
  size_t count = 0, next = 0;
  float row = 0, px = 0, py = 0, pz = 0;
  for (size_t i = 0; i < uv.size(); ++i) {
    size_t at = 0;
    while (at < count && columns[at] != uv[i].x) ++at;
    if (at == count) {
      at = next, next = (next + 1) % kColumns, count = std::min(count + 1, kColumns);
      const SinCos a = sinCosDegrees(sweep * uv[i].x);
      columns[at] = uv[i].x, sines[at] = rounded(a.sin), cosines[at] = rounded(a.cos);
    }
    if (i == 0 || uv[i].y != row) {
      double p[3];
      profilePoint(uv[i].y, key, p);
      row = uv[i].y, px = rounded(p[0]), py = rounded(p[1]), pz = rounded(p[2]);
    }
    const float sn = sines[at], cs = cosines[at];
    out[i] = {px * cs - py * sn + 0.0f, px * sn + py * cs + 0.0f, pz};
  }
}

FaceEdge Quadric::edge(int, Side side) const {
  FaceEdge e;
  Side owner = side;
  if (side == Side::kU1 && closedU_) owner = Side::kU0;
  if (side == Side::kV1 && closedV_) owner = Side::kV0;
  e.id = static_cast<uint64_t>(owner);
  e.ownerSide = owner;
  e.point = (side == Side::kV0 && pole_[0]) || (side == Side::kV1 && pole_[1]);
  return e;
}

FaceVertex Quadric::vertex(int, int corner) const {
  int owner = corner;
  if (closedV_) owner &= 1;
  if (closedU_ || pole_[owner >> 1]) owner &= 2;
  return {static_cast<uint64_t>(owner), 0, owner};
}

void Quadric::edgePoints(int, Side side, std::span<const float> t, int key, Vec3* out) const {
  const Side owner = edge(0, side).ownerSide;
  const bool alongU = owner == Side::kV0 || owner == Side::kV1;
  const float fixed = owner == Side::kV1 || owner == Side::kU1 ? 1.0f : 0.0f;
  constexpr size_t kAtOnce = 64;
  Vec2 uv[kAtOnce];
  for (size_t done = 0; done < t.size();) {
    const size_t n = std::min(kAtOnce, t.size() - done);
    for (size_t i = 0; i < n; ++i) {
      const float x = t[done + i];
      uv[i] = alongU ? Vec2{closedU_ && x == 1 ? 0.0f : x, fixed} : Vec2{fixed, x};
    }
    pointsAt(0, {uv, n}, key, out + done);
    done += n;
  }
}

Bound3 Quadric::bound(int begin, int end, int key) const { return begin < end ? bound(0, UvRect(), key) : Bound3(); }

Bound3 Quadric::bound(int, const UvRect& rect, int key) const {
  const double sweep = given(key).sweep;
  double a[3], b[3];
  profilePoint(rect.v0, key, a), profilePoint(rect.v1, key, b);
  Interval x = interval(a[0], b[0]), y = interval(a[1], b[1]), z = interval(a[2], b[2]);
  double largest = 0;
  const float* d = given(key).dims.data();
  for (int k = 0; k < 6; ++k)
    if (kind_ != QuadricKind::kTorus || k < 2) largest = std::max(largest, std::abs(double(d[k])));
  if (kind_ == QuadricKind::kSphere || kind_ == QuadricKind::kTorus) {
    const Angles& at = angles(key);
    const bool torus = kind_ == QuadricKind::kTorus;
    const double r = torus ? d[1] : d[0], centre = torus ? d[0] : 0;
    x = Interval{centre, centre} + Interval{r, r} * cosInterval(at.at(rect.v0), at.at(rect.v1));
    z = Interval{r, r} * sinInterval(at.at(rect.v0), at.at(rect.v1));
    largest = 2 * std::max(std::abs(centre), std::abs(r));
  }
  const Interval cs = cosInterval(sweep * rect.u0, sweep * rect.u1), sn = sinInterval(sweep * rect.u0, sweep * rect.u1);
  const Interval px = x * cs - y * sn, py = x * sn + y * cs;
  Bound3 r;
  r.add(Vec3{float(px.lo), float(py.lo), float(z.lo)});
  r.add(Vec3{float(px.hi), float(py.hi), float(z.hi)});
  r.grow(static_cast<float>(largest * kRounding));
  return r;
}

}  // namespace reyes::geom
