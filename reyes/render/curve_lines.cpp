// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/curve_lines.h"

#include <algorithm>
#include <cmath>

namespace reyes::render {
namespace {

constexpr float kRibbonEdges = 4;    ///< a ribbon broader than this many edges of a micropolygon is diced across
constexpr float kLongest = 4;        ///< edges: how long the micropolygons of thin ribbons may be
constexpr float kDeviation = 0.08f;  ///< pixels that a chord may lie beside its arc
constexpr float kMostAlong = 1e5f;
constexpr int kMostAcross = 1024;

const geom::CurveSet& curvesOf(const PrimitiveFrame& prim) { return *prim.geometry().asCurves(); }

/// A segment in camera space at motion key k.
geom::CurveSegment cameraSegment(const PrimitiveFrame& prim, int element, int segment, int k) {
  const geom::CurveSet& set = curvesOf(prim);
  const MotionKey& key = prim.keys()[static_cast<size_t>(k)];
  geom::CurveSegment s = set.segment(element, segment, key.from);
  if (key.fraction > 0) {
    const geom::CurveSegment next = set.segment(element, segment, key.to);
    for (int i = 0; i < 4; ++i) s.p[i] = s.p[i] + (next.p[i] - s.p[i]) * key.fraction;
  }
  for (Vec4& p : s.p) {
    if (set.rational() || key.projective) {
      p = transformHomogeneous(key.cameraFromObject, p);
    } else {
      const Vec3 q = transformPoint(key.cameraFromObject, Vec3{p.x, p.y, p.z});
      p = {q.x, q.y, q.z, 1};
    }
  }
  return s;
}

float widthAt(const PrimitiveFrame& prim, const geom::CurvePlace& at, int k) {
  const MotionKey& key = prim.keys()[static_cast<size_t>(k)];
  const float w = curvesOf(prim).width(at, key.from);
  return key.fraction > 0 ? lerp(w, curvesOf(prim).width(at, key.to), key.fraction) : w;
}

Vec3 controlPoint(const geom::CurveSegment& s, int i) {
  const Vec4& p = s.p[i];
  return p.w == 1 ? Vec3{p.x, p.y, p.z} : Vec3{p.x / p.w, p.y / p.w, p.z / p.w};
}

/// Pixels across a segment where it is broadest, at most.
float pixelsAcross(const PrimitiveFrame& prim, int element, int segment, const geom::CurveSegment& s, int k) {
  const MotionKey& key = prim.keys()[static_cast<size_t>(k)];
  float w = curvesOf(prim).widest(element, segment, key.from), z = Bound3::kInf;
  if (key.fraction > 0) w = std::max(w, curvesOf(prim).widest(element, segment, key.to));
  float scale = key.projective ? 0 : key.stretch;
  for (int i = 0; i < 4; ++i) {
    const Vec3 p = controlPoint(s, i);
    z = std::min(z, p.z);
    if (key.projective) scale = std::max(scale, key.scaleAt(p));
  }
  return w * scale * prim.projector().pixelsAt(z) * std::max(1.0f, prim.projector().pixelAspect());
}

/// Length in the raster and how far the line turns there.
struct Measure {
  float pixels = 0, turn = 0;
  float across = 0, here = 0;  ///< pixels, of the whole segment at most, and at the ends of the stretch
  Vec3 first;
  float nearest = 0, farthest = 0;  ///< depths
};
Measure measure(const PrimitiveFrame& prim, const CurveStretch& c, int k, bool mayBeWide) {
  const Projector& view = prim.projector();
  geom::CurveSegment s = cameraSegment(prim, c.element, c.segment, k);
  Measure m;
  if (mayBeWide) m.across = pixelsAcross(prim, c.element, c.segment, s, k);
  geom::cutSegment(s, c.t0, c.t1);
  const Vec3 q[4] = {controlPoint(s, 0), controlPoint(s, 1), controlPoint(s, 2), controlPoint(s, 3)};
  m.first = q[0];
  m.nearest = std::min({q[0].z, q[1].z, q[2].z, q[3].z}), m.farthest = std::max({q[0].z, q[1].z, q[2].z, q[3].z});
  const float w =
      std::max(widthAt(prim, {c.element, c.segment, c.t0}, k), widthAt(prim, {c.element, c.segment, c.t1}, k));
  const MotionKey& key = prim.keys()[static_cast<size_t>(k)];
  m.here = w * std::max(key.scaleAt(q[0]), key.scaleAt(q[3])) * view.pixelsAt(std::min(q[0].z, q[3].z));
  const float chord = prim.diceLength(q[0], q[3], k);
  if (curvesOf(prim).linear()) {
    m.pixels = chord;
    return m;
  }
  const float legs = prim.diceLength(q[0], q[1], k) + prim.diceLength(q[1], q[2], k) + prim.diceLength(q[2], q[3], k);
  m.pixels = (chord + legs) / 2;
  // Angles between the legs as they are seen.
  Vec2 r[4], leg[3];
  for (int i = 0; i < 4; ++i) {
    const RasterPoint p = view.toRaster(q[i]);
    r[i] = {p.x, p.y};
  }
  for (int i = 0; i < 3; ++i) leg[i] = r[i + 1] - r[i];
  for (int i = 0; i < 2; ++i) {
    const Vec2 a = leg[i], b = leg[i + 1];
    m.turn += std::fabs(std::atan2(a.x * b.y - a.y * b.x, a.x * b.x + a.y * b.y));
  }
  return m;
}

/// Micropolygons along a stretch. Those of thin ribbons are as long as their area allows, but arcs stay arcs.
int countAlong(const PrimitiveFrame& prim, const CurveStretch& c, bool mayBeWide, bool& wide) {
  float shape = 0, blur = 0, pixels = 0, across = 0, here = 0;
  float nearest = 1e30f, farthest = -1e30f;
  Vec3 before;
  for (int k = 0; k < prim.keyCount(); ++k) {
    const Measure m = measure(prim, c, k, mayBeWide);
    nearest = std::min(nearest, m.nearest), farthest = std::max(farthest, m.farthest);
    pixels = std::max(pixels, m.pixels), across = std::max(across, m.across), here = std::max(here, m.here);
    shape = std::max(shape, std::sqrt(m.pixels * m.turn / (8 * kDeviation)));
    if (k > 0) blur += prim.projector().rasterLength(before, m.first);
    before = m.first;
  }
  if (across > kRibbonEdges * prim.edgePixels(0)) wide = true;
  const float edge = prim.edgePixels(blur, prim.projector().leastLensX(nearest, farthest));
  const float step = std::clamp(edge * edge / std::max(here, 1e-6f), edge, kLongest * edge);
  const float most = std::max(pixels / step, shape);
  return most > 1 ? static_cast<int>(std::ceil(std::min(most, kMostAlong) - 1e-3f)) : 1;
}

/// A direction along the segment at one of its ends, where its derivative may vanish.
Vec3 endDirection(const geom::CurveSegment& s, bool end) {
  const Vec3 from = controlPoint(s, end ? 3 : 0);
  for (const int i : {1, 2, 3}) {
    const Vec3 d = end ? from - controlPoint(s, 3 - i) : controlPoint(s, i) - from;
    const float l = length(d);
    if (l > 0 && (i == 3 || l > 1e-5f * length(controlPoint(s, 3) - controlPoint(s, 0)))) return d / l;
  }
  return {0, 0, 0};
}

struct Writer {
  const PrimitiveFrame& prim;
  CurveLine& line;
  int k;
  int at = 0;

  void put(Vec3 p, Vec3 d, float width) {
    for (int c = 0; c < 3; ++c) line.p(c)[at] = p[c], line.d(c)[at] = d[c];
    line.width()[at++] = width;
  }
  void stretch(const CurveStretch& c);
  void inside(const CurveStretch& c, const geom::CurveSegment& s, float parts);
};

/// Vertices 1 to n - 2, by whole vectors: nobody else has them.
void Writer::inside(const CurveStretch& c, const geom::CurveSegment& s, float parts) {
  const int count = c.n - 2;
  const float step = 1.0f / static_cast<float>(c.n);
  for (int axis = 0; axis < 3; ++axis) {
    const auto of = [&](int i) { return axis == 0 ? s.p[i].x : axis == 1 ? s.p[i].y : s.p[i].z; };
    const float c0 = of(0), c1 = of(1), c2 = of(2), c3 = of(3);
    const float e0 = (c1 - c0) * (3 * parts), e1 = (c2 - c1) * (6 * parts), e2 = (c3 - c2) * (3 * parts);
    float* __restrict p = line.p(axis) + at, * __restrict d = line.d(axis) + at;
    for (int j = 0; j < count; ++j) {
      const float t = c.t0 + (c.t1 - c.t0) * (static_cast<float>(j + 1) * step), u = 1 - t;
      p[j] = u * u * (u * c0 + 3 * t * c1) + t * t * (3 * u * c2 + t * c3);
      d[j] = u * (u * e0 + t * e1) + t * t * e2;
    }
  }
  float* w = line.width() + at;
  for (int j = 0; j < count; ++j)
    w[j] = widthAt(prim, {c.element, c.segment, geom::gridParam(c.t0, c.t1, j + 1, c.n)}, k);
  at += count;
}

void Writer::stretch(const CurveStretch& c) {
  const geom::CurveSet& set = curvesOf(prim);
  const geom::CurveSegment s = cameraSegment(prim, c.element, c.segment, k);
  const float parts = static_cast<float>(set.segments(c.element));
  const auto joint = [&](const geom::CurveSegment& before, const geom::CurveSegment& after) {
    const Vec3 a = endDirection(before, true), b = endDirection(after, false), sum = a + b;
    line.joints.push_back({at, a, b});
    const float size = std::max(length(controlPoint(after, 1) - controlPoint(after, 0)) * 3,
                                1e-3f * length(controlPoint(after, 3) - controlPoint(after, 0)));
    return (length(sum) > 1e-3f ? normalize(sum) : b) * (size * parts);
  };
  for (int j = 0; j < c.n + (c.ends ? 1 : 0); ++j) {
    if (j == 1 && c.n > 2 && !set.rational() && !prim.keys()[static_cast<size_t>(k)].projective)
      inside(c, s, parts), j = c.n - 1;
    const float t = geom::gridParam(c.t0, c.t1, j, c.n);
    const geom::CurvePlace place{c.element, c.segment, t};
    const bool start = j == 0 && c.t0 == 0, end = j == c.n && c.t1 == 1;
    const int beside = start || end ? curveNeighbour(set, c.element, c.segment, end) : -1;
    if (beside >= 0 && j == 0) {
      const Vec3 d = joint(cameraSegment(prim, c.element, beside, k), s);
      put(controlPoint(s, 0), d, widthAt(prim, place, k));
    } else if (beside >= 0) {
      const geom::CurveSegment next = cameraSegment(prim, c.element, beside, k);
      const Vec3 d = joint(s, next);
      put(controlPoint(next, 0), d, widthAt(prim, {c.element, beside, 0}, k));
    } else {
      Vec3 d;
      const Vec3 p = geom::curvePoint(s, t, &d);
      d = d * parts;
      if (t == 0 || t == 1) {
        const Vec3 e = endDirection(s, t == 1);
        const float l = length(d);
        if (!(l > 1e-5f * parts * length(controlPoint(s, 3) - controlPoint(s, 0)))) d = e * std::max(l, 1e-6f);
      }
      put(p, d, widthAt(prim, place, k));
    }
  }
}

/// Unit vectors across, facing.
Vec3 sideOf(Vec3 facing, Vec3 direction) {
  const Vec3 s = cross(facing, direction);
  const float l2 = dot(s, s), most = dot(facing, facing) * dot(direction, direction);
  if (l2 > 1e-12f * most) return s / std::sqrt(l2);
  // Seen from its end: any way is as good as another.
  const Vec3 axis = std::fabs(facing.y) < 0.9f * length(facing) ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
  return normalize(cross(facing, axis));
}

}  // namespace

int curveNeighbour(const geom::CurveSet& set, int element, int segment, bool end) {
  if (!set.joined()) return -1;
  const int n = set.segments(element), s = end ? segment + 1 : segment - 1;
  if (s >= 0 && s < n) return s;
  return set.periodic() ? (s + n) % n : -1;
}

void planCurves(const Node& node, bool mayBeWide, CurvePlan& plan) {
  const geom::CurveSet& set = curvesOf(*node.prim);
  plan.stretches.clear();
  plan.vertices = 0, plan.wide = false;
  for (int e = node.begin; e < node.end; ++e) {
    const int count = set.segments(e);
    const geom::CurvePlace first = geom::curvePlace(e, count, node.rect.v0, false);
    const geom::CurvePlace last = geom::curvePlace(e, count, node.rect.v1, true);
    for (int s = first.segment; s <= last.segment; ++s) {
      CurveStretch c{e, s, s == first.segment ? first.t : 0.0f, s == last.segment ? last.t : 1.0f, 1, false, false};
      if (!(c.t0 < c.t1)) continue;
      c.n = countAlong(*node.prim, c, mayBeWide, plan.wide);
      if (plan.wide) return;
      c.begins = s == first.segment || !set.joined(), c.ends = s == last.segment || !set.joined();
      plan.vertices += c.n + (c.ends ? 1 : 0);
      plan.stretches.push_back(c);
    }
  }
}

int micropolygonsAcross(const PrimitiveFrame& prim, int element) {
  float most = 0;
  for (int s = 0; s < curvesOf(prim).segments(element); ++s)
    for (int k = 0; k < prim.keyCount(); ++k)
      most = std::max(most, pixelsAcross(prim, element, s, cameraSegment(prim, element, s, k), k));
  const float edge = prim.edgePixels(0);
  if (!(most > kRibbonEdges * edge)) return 1;
  int n = 1;
  while (n < kMostAcross && static_cast<float>(n) * edge < most) n *= 2;
  return n;
}

void curvePlaces(const CurvePlan& plan, std::vector<geom::CurvePlace>& places) {
  places.clear();
  for (const CurveStretch& c : plan.stretches)
    for (int j = 0; j < c.n + (c.ends ? 1 : 0); ++j)
      places.push_back({c.element, c.segment, geom::gridParam(c.t0, c.t1, j, c.n)});
}

void placeCurves(const Node& node, const CurvePlan& plan, int k, CurveLine& line) {
  line.resize(plan.vertices);
  Writer writer{*node.prim, line, k};
  for (const CurveStretch& c : plan.stretches) writer.stretch(c);
}

void followPoints(const Node& node, const CurvePlan& plan, CurveLine& line) {
  const geom::CurveSet& set = curvesOf(*node.prim);
  line.joints.clear();
  int first = 0, at = 0;
  for (const CurveStretch& c : plan.stretches) {
    if (c.begins) first = at;
    at += c.n + (c.ends ? 1 : 0);
    if (!c.ends) continue;
    const float scale = static_cast<float>(c.n * set.segments(c.element)) / (c.t1 - c.t0);
    for (int i = first; i < at; ++i) {
      const int lo = std::max(i - 1, first), hi = std::min(i + 1, at - 1);
      for (int n = 0; n < 3; ++n)
        line.d(n)[i] = (line.p(n)[hi] - line.p(n)[lo]) * (scale / static_cast<float>(std::max(1, hi - lo)));
    }
  }
}

namespace {

/// How ribbons face at one motion key.
struct Facing {
  const PrimitiveFrame& prim;
  const MotionKey& key;
  const float* const* normals;  ///< null: the eye
  bool even;                    ///< lengths are scaled alike in all directions
  float sign;

  Facing(const PrimitiveFrame& p, int k, const float* const given[3])
      : prim(p),
        key(p.keys()[static_cast<size_t>(k)]),
        normals(given && given[0] ? given : nullptr),
        even(!key.projective && key.stretch <= key.scale * 1.001f),
        // dPdu x dPdv, the other way round where the surface is turned, shall look to the eye: so shall cross(side, d).
        sign(p.attributes().reverseOrientation != mirrors(key.cameraFromObject) ? -1.0f : 1.0f) {}

  Vec3 from(Vec3 p) const { return prim.projector().perspective() ? p : Vec3{0, 0, 1}; }
  Vec3 at(CurveLine& line, int i) const {
    // A normal without direction leaves the ribbon to the eye.
    if (normals && (normals[0][i] != 0 || normals[1][i] != 0 || normals[2][i] != 0))
      return {-normals[0][i], -normals[1][i], -normals[2][i]};
    return from({line.p(0)[i], line.p(1)[i], line.p(2)[i]});
  }
  /// A width in object space, across this way, at a place.
  Vec3 broad(Vec3 at, Vec3 side, float width, float miter) const {
    const float l = even             ? key.scale
                    : key.projective ? key.scaleAt(at)
                                     : 1 / std::max(length(transformVector(key.objectFromCamera, side)), 1e-20f);
    return side * (width * l * miter * sign);
  }
  /// Where two directions meet: half way between their sides, as broad as a mitre.
  Vec3 mitred(Vec3 at, Vec3 facing, Vec3 before, Vec3 after, float width) const {
    const Vec3 a = sideOf(facing, before), b = sideOf(facing, after), sum = a + b;
    if (!(length(sum) > 1e-3f)) return broad(at, b, width, 1);
    const Vec3 side = normalize(sum);
    return broad(at, side, width, 1 / std::max(dot(side, a), 1 / geom::CurveSet::kMitre));
  }
};

/// Straight segments: borders run straight from joint to joint, so that the legs of a corner do not overlap.
void faceStraight(const PrimitiveFrame& prim, const CurvePlan& plan, const Facing& facing, int k, CurveLine& line) {
  const geom::CurveSet& set = curvesOf(prim);
  int at = 0;
  for (const CurveStretch& c : plan.stretches) {
    const geom::CurveSegment s = cameraSegment(prim, c.element, c.segment, k);
    const Vec3 own = endDirection(s, false);
    Vec3 side[2];
    for (const bool end : {false, true}) {
      const int beside = curveNeighbour(set, c.element, c.segment, end);
      const Vec3 here = controlPoint(s, end ? 3 : 0), eye = facing.from(here);
      const float w = widthAt(prim, {c.element, c.segment, end ? 1.0f : 0.0f}, k);
      if (beside < 0) {
        side[end] = facing.broad(here, sideOf(eye, own), w, 1);
        continue;
      }
      const Vec3 other = endDirection(cameraSegment(prim, c.element, beside, k), false);
      side[end] = facing.mitred(here, eye, end ? own : other, end ? other : own, w);
    }
    for (int j = 0; j < c.n + (c.ends ? 1 : 0); ++j, ++at) {
      const float t = geom::gridParam(c.t0, c.t1, j, c.n);
      const Vec3 v = side[0] * (1 - t) + side[1] * t;
      for (int axis = 0; axis < 3; ++axis) line.side(axis)[at] = v[axis];
    }
  }
}

}  // namespace

void faceCurves(const Node& node, const CurvePlan& plan, int k, const float* const normals[3], CurveLine& line) {
  const Facing facing(*node.prim, k, normals);
  if (curvesOf(*node.prim).linear() && !facing.normals && !node.prim->displaces())
    return faceStraight(*node.prim, plan, facing, k, line);
  // All of them at once; where direction and view are one, or lengths differ by direction, one by one.
  const float scale = facing.key.scale * facing.sign;
  for (int i = 0; i < line.count && facing.even; ++i) {
    const Vec3 f = facing.at(line, i), d{line.d(0)[i], line.d(1)[i], line.d(2)[i]}, s = cross(f, d);
    const float l2 = dot(s, s), size = line.width()[i] * scale / std::sqrt(l2);
    const bool odd = !(l2 > 1e-12f * (dot(f, f) * dot(d, d)));
    line.side(0)[i] = odd ? Bound3::kInf : s.x * size, line.side(1)[i] = s.y * size, line.side(2)[i] = s.z * size;
  }
  for (int i = 0; i < line.count; ++i) {
    if (facing.even && line.side(0)[i] != Bound3::kInf) continue;
    const Vec3 side = sideOf(facing.at(line, i), Vec3{line.d(0)[i], line.d(1)[i], line.d(2)[i]});
    const Vec3 v = facing.broad({line.p(0)[i], line.p(1)[i], line.p(2)[i]}, side, line.width()[i], 1);
    for (int c = 0; c < 3; ++c) line.side(c)[i] = v[c];
  }
  for (const CurveJoint& j : line.joints) {
    const Vec3 here{line.p(0)[j.vertex], line.p(1)[j.vertex], line.p(2)[j.vertex]};
    const Vec3 v = facing.mitred(here, facing.at(line, j.vertex), j.before, j.after, line.width()[j.vertex]);
    for (int c = 0; c < 3; ++c) line.side(c)[j.vertex] = v[c];
  }
}

}  // namespace reyes::render
