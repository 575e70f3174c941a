// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/quadric.h"

#include <algorithm>
#include <cmath>

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
    : kind_(kind), keys_(std::move(keys)) {
  setTextureCoordinates(st);
  setPrimvars(std::move(primvars));
  closedV_ = kind == QuadricKind::kTorus;
  for (const QuadricKey& key : keys_) {
    Angles a;
    if (kind == QuadricKind::kSphere) {
      const double r = key.dims[0];
      a.a0 = asinDegrees(r != 0 ? key.dims[1] / r : 0.0);
      a.span = asinDegrees(r != 0 ? key.dims[2] / r : 0.0) - a.a0;
    } else if (kind == QuadricKind::kTorus) {
      a.a0 = key.dims[2];
      a.span = static_cast<double>(key.dims[3]) - key.dims[2];
      closedV_ = closedV_ && a.span != 0 && std::fmod(a.span, 360.0) == 0;
    }
    angles_.push_back(a);
  }
  for (int k = 0; k < keyCount(); ++k) closedU_ = closedU_ && wholeTurns(k);
  for (const int end : {0, 1}) pole_[end] = poleAt(static_cast<float>(end));
}

bool Quadric::wholeTurns(int key) const {
  const float sweep = keys_[static_cast<size_t>(key)].sweep;
  return sweep != 0 && std::fmod(sweep, 360.0f) == 0;
}

bool Quadric::poleAt(float v) const {
  for (int k = 0; k < keyCount(); ++k) {
    const Profile q = profile(v, k);
    if (q.p[0] != 0 || q.p[1] != 0) return false;
  }
  return true;
}

bool Quadric::empty() const {
  for (int k = 0; k < keyCount(); ++k) {
    if (keys_[static_cast<size_t>(k)].sweep == 0) continue;
    // Area needs a profile of some length that leaves the axis.
    const Profile a = profile(0, k), b = profile(0.5f, k), c = profile(1, k);
    const bool onAxis = a.p[0] == 0 && a.p[1] == 0 && b.p[0] == 0 && b.p[1] == 0 && c.p[0] == 0 && c.p[1] == 0;
    const bool still = std::equal(a.p, a.p + 3, b.p) && std::equal(b.p, b.p + 3, c.p);
    if (!onAxis && !still) return false;
  }
  return true;
}

/// Sphere and torus: a circle of radius `r` about (centre, 0), from the angle.
void Quadric::roundProfile(const float* dims, double degrees, float, int key, Profile& out) const {
  const bool torus = kind_ == QuadricKind::kTorus;
  const double r = torus ? dims[1] : dims[0], centre = torus ? dims[0] : 0;
  const double rate = angles_[static_cast<size_t>(key)].span * kRadians;
  const SinCos a = sinCosDegrees(degrees);
  set(out.p, centre + r * a.cos, 0, r * a.sin);
  set(out.d, -r * a.sin * rate, 0, r * a.cos * rate);
  // (-y, x, 0) x dP/dv, divided by what may vanish but never changes sign on a sphere.
  const double sign = signOf(rate) * (torus ? signOf(out.p[0]) * signOf(r) : 1.0);
  set(out.n, a.cos * sign, 0, a.sin * sign);
}

Quadric::Profile Quadric::profile(float v, int key) const {
  const float* d = keys_[static_cast<size_t>(key)].dims.data();
  Profile q{};
  switch (kind_) {
    case QuadricKind::kSphere:
    case QuadricKind::kTorus:
      roundProfile(d, angles_[static_cast<size_t>(key)].at(canonicalV(v)), v, key, q);
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
  const double sweep = keys_[static_cast<size_t>(key)].sweep;
  const size_t columns = at.u.size();
  const std::span<float> sines = arena.make<float>(columns), cosines = arena.make<float>(columns);
  for (size_t i = 0; i < columns; ++i) {
    const SinCos a = sinCosDegrees(sweep * at.u[i]);
    sines[i] = rounded(a.sin), cosines[i] = rounded(a.cos);
  }
  const bool derivatives = out.du[0] != nullptr;
  const float turn = static_cast<float>(sweep * kRadians), side = sweep < 0 ? -1.0f : 1.0f;
  const float *sn = sines.data(), *cs = cosines.data();
  for (size_t j = 0; j < at.v.size(); ++j) {
    const Profile q = profile(at.v[j], key);
    const float px = rounded(q.p[0]), py = rounded(q.p[1]), pz = rounded(q.p[2]);
    const size_t row = j * columns;
    float *x = out.p[0] + row, *y = out.p[1] + row, *z = out.p[2] + row;
    for (size_t i = 0; i < columns; ++i) {
      x[i] = px * cs[i] - py * sn[i] + 0.0f;
      y[i] = px * sn[i] + py * cs[i] + 0.0f;
      z[i] = pz;
    }
    if (!derivatives) continue;
    const float dx = rounded(q.d[0]), dy = rounded(q.d[1]), dz = rounded(q.d[2]);
    const float nx = rounded(q.n[0]) * side, ny = rounded(q.n[1]) * side, nz = rounded(q.n[2]) * side;
    float *ux = out.du[0] + row, *uy = out.du[1] + row, *vx = out.dv[0] + row, *vy = out.dv[1] + row,
          *vz = out.dv[2] + row, *gx = out.ng[0] + row, *gy = out.ng[1] + row, *gz = out.ng[2] + row;
    for (size_t i = 0; i < columns; ++i) {
      ux[i] = -turn * y[i];
      uy[i] = turn * x[i];
      vx[i] = dx * cs[i] - dy * sn[i];
      vy[i] = dx * sn[i] + dy * cs[i];
      vz[i] = dz;
      gx[i] = nx * cs[i] - ny * sn[i];
      gy[i] = nx * sn[i] + ny * cs[i];
      gz[i] = nz;
    }
  }
}

Vec3 Quadric::point(float u, float v, int key) const {
  const SinCos a = sinCosDegrees(double(keys_[static_cast<size_t>(key)].sweep) * u);
  const float sn = rounded(a.sin), cs = rounded(a.cos);
  const Profile q = profile(v, key);
  const float px = rounded(q.p[0]), py = rounded(q.p[1]);
  return {px * cs - py * sn + 0.0f, px * sn + py * cs + 0.0f, rounded(q.p[2])};
}

void Quadric::pointsAt(int, std::span<const Vec2> uv, int key, Vec3* out) const {
  for (size_t i = 0; i < uv.size(); ++i) out[i] = point(uv[i].x, uv[i].y, key);
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
  for (size_t i = 0; i < t.size(); ++i) {
    const bool alongU = owner == Side::kV0 || owner == Side::kV1;
    const float fixed = owner == Side::kV1 || owner == Side::kU1 ? 1.0f : 0.0f;
    out[i] = alongU ? point(closedU_ && t[i] == 1 ? 0.0f : t[i], fixed, key) : point(fixed, t[i], key);
  }
}

Bound3 Quadric::bound(int begin, int end, int key) const { return begin < end ? bound(0, UvRect(), key) : Bound3(); }

Bound3 Quadric::bound(int, const UvRect& rect, int key) const {
  const double sweep = keys_[static_cast<size_t>(key)].sweep;
  const Profile a = profile(rect.v0, key), b = profile(rect.v1, key);
  Interval x = interval(a.p[0], b.p[0]), y = interval(a.p[1], b.p[1]), z = interval(a.p[2], b.p[2]);
  double largest = 0;
  const float* d = keys_[static_cast<size_t>(key)].dims.data();
  for (int k = 0; k < 6; ++k)
    if (kind_ != QuadricKind::kTorus || k < 2) largest = std::max(largest, std::abs(double(d[k])));
  if (kind_ == QuadricKind::kSphere || kind_ == QuadricKind::kTorus) {
    const Angles& at = angles_[static_cast<size_t>(key)];
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
