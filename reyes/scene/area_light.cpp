// SPDX-License-Identifier: Apache-2.0
#include "reyes/scene/area_light.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/outline.h"
#include "reyes/geom/curves.h"
#include "reyes/geom/elements.h"
#include "reyes/geom/points.h"
#include "reyes/scene/world.h"

namespace reyes::scene {
namespace {

using Cell = AreaLight::Cell;
constexpr int kCells = 4096;       ///< about so many a primitive
constexpr int kWidest = 32;        ///< cells along a face; of one that is displaced, twice as many
constexpr int kMostFaces = 65536;  ///< of a primitive with more, every n-th stands for its neighbours

/// The deformation keys around a time, and the weight of the second.
struct KeyPlace {
  int first = 0, second = 0;
  float weight = 0;
};

KeyPlace keysAt(const Primitive& p, float time) {
  const int keys = std::min(p.geometry->keyCount(), static_cast<int>(p.keyTimes.size()));
  if (keys < 2 || time <= p.keyTimes[0]) return {};
  for (int k = 1; k < keys; ++k) {
    const float a = p.keyTimes[static_cast<size_t>(k - 1)], b = p.keyTimes[static_cast<size_t>(k)];
    if (time < b) return {k - 1, k, (time - a) / (b - a)};
  }
  return {keys - 1, keys - 1, 0};
}

Vec3 tripleAt(const VarBlock& grid, const char* name, int i) {
  const Var* v = grid.find(name);
  return v ? Vec3{v->plane(0)[i], v->plane(1)[i], v->plane(2)[i]} : Vec3{};
}
float floatAt(const VarBlock& grid, const char* name, int i) {
  const Var* v = grid.find(name);
  return v ? v->plane(0)[i] : 0.0f;
}

/// A triple that moves with the surface, in world space.
void toWorld(const VarBlock& grid, const char* name, const Matrix4& world, const Matrix4& normals) {
  const Var* v = grid.find(name);
  for (int i = 0; v && i < grid.points(); ++i) {
    const Vec3 q = tripleAt(grid, name, i);
    const Vec3 w = v->spec.type == Type::kPoint    ? transformPoint(world, q)
                   : v->spec.type == Type::kNormal ? transformNormal(normals, q)
                                                   : transformVector(world, q);
    for (int c = 0; c < 3; ++c) v->plane(c)[i] = w[c];
  }
}

/// What a face's cells are made with.
struct FaceMaker {
  float time;
  const DisplacedFace& displaced;
};

/// P Ng dPdu dPdv of a face in world space at a time, and its parameters; Ng towards its front.
void diceFace(const Primitive& p, int face, int n, const FaceMaker& make, VarBlock& grid, Arena& arena) {
  if (make.displaced && p.attributes->displacement && make.displaced(p, face, n, grid, arena)) return;
  const KeyPlace keys = keysAt(p, make.time);
  VarBlock later(grid.points());
  p.geometry->dice({face, {}, n, n, keys.first, {}, false}, grid, arena);
  if (keys.weight > 0) {
    p.geometry->dice({face, {}, n, n, keys.second, {}, true}, later, arena);
    const Var *from = grid.find("P"), *to = later.find("P");
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < grid.points(); ++i) from->plane(c)[i] += (to->plane(c)[i] - from->plane(c)[i]) * keys.weight;
  }
  const Matrix4 world = p.worldFromObject.at(make.time), normals = inverse(world);
  for (const char* name : {"P", "Ng", "dPdu", "dPdv"}) toWorld(grid, name, world, normals);
  const Var* ng = grid.find("Ng");
  for (int c = 0; ng && p.attributes->reverseOrientation && c < 3; ++c)
    for (int i = 0; i < grid.points(); ++i) ng->plane(c)[i] = -ng->plane(c)[i];
}

/// Cells of one face, n x n of them.
void addFace(const Primitive& p, int face, int n, const FaceMaker& make, float weight, std::vector<Cell>& cells) {
  Arena arena(size_t{64} * 1024);
  const int row = n + 1, points = row * row;
  VarBlock grid(points);
  diceFace(p, face, n, make, grid, arena);
  const Outline* outline = p.geometry->outline();
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int k[4] = {j * row + i, j * row + i + 1, (j + 1) * row + i, (j + 1) * row + i + 1};
      const auto corner = [&](int c) { return tripleAt(grid, "P", k[c]); };
      const auto mean = [&](const char* name) {
        return 0.25f * ((floatAt(grid, name, k[0]) + floatAt(grid, name, k[1])) +
                        (floatAt(grid, name, k[2]) + floatAt(grid, name, k[3])));
      };
      const auto change = [&](const char* name, bool along) {
        const int a = along ? 2 : 1, b = along ? 1 : 2;
        return 0.5f * ((floatAt(grid, name, k[a]) - floatAt(grid, name, k[0])) +
                       (floatAt(grid, name, k[3]) - floatAt(grid, name, k[b])));
      };
      Cell c;
      c.at.P = (corner(0) + corner(1) + corner(2) + corner(3)) * 0.25f;
      c.across = (corner(1) - corner(0) + corner(3) - corner(2)) * 0.5f;
      c.along = (corner(2) - corner(0) + corner(3) - corner(1)) * 0.5f;
      // Twice the area of the quadrilateral is the product of its diagonals.
      const Vec3 normal = cross(corner(3) - corner(0), corner(2) - corner(1));
      c.area = 0.5f * length(normal) * weight;
      if (!(c.area > 0) || !std::isfinite(c.area)) continue;
      c.at.u = mean("u"), c.at.v = mean("v"), c.at.s = mean("s"), c.at.t = mean("t");
      if (outline && !outline->inside(c.at.u, c.at.v)) continue;
      // The side that the geometry calls its front, whichever way round the grid runs.
      c.at.N = normalize(normal) * (dot(tripleAt(grid, "Ng", k[0]), normal) < 0 ? -1.0f : 1.0f);
      c.du = change("u", false), c.dv = change("v", true);
      c.ds[0] = change("s", false), c.ds[1] = change("s", true);
      c.dt[0] = change("t", false), c.dt[1] = change("t", true);
      c.at.dPdu = tripleAt(grid, "dPdu", k[0]);
      c.at.dPdv = tripleAt(grid, "dPdv", k[0]);
      cells.push_back(c);
    }
}

/// Discs and ribbons, which turn to whatever they light: a cell without normal.
void addFacing(Vec3 at, Vec3 along, float width, float area, std::vector<Cell>& cells) {
  Cell c;
  c.at.P = at, c.along = along;
  c.at.dPdu = {width, 0, 0}, c.at.dPdv = along;
  c.area = area;
  if (c.area > 0 && std::isfinite(c.area)) cells.push_back(c);
}

void addPoints(const geom::PointSet& set, const KeyPlace& keys, const Matrix4& world, float scale,
               std::vector<Cell>& cells) {
  const int step = 1 + set.faceCount() / kMostFaces;
  for (int i = 0; i < set.faceCount(); i += step) {
    const size_t k = static_cast<size_t>(i);
    const Vec3 a = set.positions(keys.first)[k], b = set.positions(keys.second)[k];
    const float w = set.width(i, keys.first) * scale;
    addFacing(transformPoint(world, a + (b - a) * keys.weight), {}, w, 0.785398f * w * w, cells);
  }
}

void addCurves(const geom::CurveSet& set, const KeyPlace& keys, const Matrix4& world, float scale,
               std::vector<Cell>& cells) {
  constexpr int kSteps = 8;
  const int step = 1 + set.faceCount() / (kMostFaces / kSteps);
  for (int e = 0; e < set.faceCount(); e += step)
    for (int s = 0; s < set.segments(e); ++s) {
      const geom::CurveSegment a = set.segment(e, s, keys.first), b = set.segment(e, s, keys.second);
      const auto place = [&](float t) {
        const Vec3 p = geom::curvePoint(a, t), q = geom::curvePoint(b, t);
        return transformPoint(world, p + (q - p) * keys.weight);
      };
      Vec3 from = place(0);
      for (int k = 0; k < kSteps; ++k) {
        const float t = (static_cast<float>(k) + 0.5f) / kSteps;
        const Vec3 to = place(static_cast<float>(k + 1) / kSteps);
        const float w = set.width({e, s, t}, keys.first) * scale;
        addFacing((from + to) * 0.5f, to - from, w, w * length(to - from), cells);
        from = to;
      }
    }
}

void addPrimitive(const Primitive& p, const FaceMaker& make, int depth, std::vector<Cell>& cells) {
  // What a procedural stands for; those deep in each other end somewhere.
  if (p.deferred) {
    if (depth < 8)
      for (const Primitive& inside : p.deferred->expand()) addPrimitive(inside, make, depth + 1, cells);
    return;
  }
  const KeyPlace keys = keysAt(p, make.time);
  const Matrix4 world = p.worldFromObject.at(make.time);
  // Widths grow with the mean of the three axes.
  const float scale = std::cbrt(std::fabs(dot(
      transformVector(world, {1, 0, 0}), cross(transformVector(world, {0, 1, 0}), transformVector(world, {0, 0, 1})))));
  if (const geom::PointSet* set = p.geometry->asPoints()) return addPoints(*set, keys, world, scale, cells);
  if (const geom::CurveSet* set = p.geometry->asCurves()) return addCurves(*set, keys, world, scale, cells);
  const int faces = p.geometry->faceCount(), step = 1 + faces / kMostFaces;
  const int widest = make.displaced && p.attributes->displacement ? 2 * kWidest : kWidest;
  const int n = std::clamp(
      static_cast<int>(std::sqrt(static_cast<float>(kCells) / static_cast<float>(std::max(1, faces)))), 1, widest);
  for (int f = 0; f < faces; f += step) addFace(p, f, n, make, static_cast<float>(step), cells);
}

}  // namespace

AreaLight::AreaLight(std::vector<Cell> cells) {
  // 1. Along a curve through space.
  std::vector<Vec3> centres;
  centres.reserve(cells.size());
  for (const Cell& c : cells) centres.push_back(c.at.P);
  for (const uint32_t i : geom::spaceOrder(centres))
    if (cells[i].area > 0) cells_.push_back(cells[i]), area_ += cells[i].area;
  // 2. How much of the area lies before each.
  double sum = 0;
  for (const Cell& c : cells_) {
    sum += c.area;
    upTo_.push_back(static_cast<float>(sum / area_));
  }
  if (!upTo_.empty()) upTo_.back() = 1;
  guide_.resize(cells_.size());
  size_t cell = 0;
  for (size_t k = 0; k < guide_.size(); ++k) {
    while (upTo_[cell] <= static_cast<float>(k) / static_cast<float>(guide_.size()) && cell + 1 < cells_.size()) ++cell;
    guide_[k] = static_cast<uint32_t>(cell);
  }
}

LightPoint AreaLight::at(float x, float a, float b) const {
  const size_t n = cells_.size();
  size_t k = guide_[std::min(n - 1, static_cast<size_t>(x * static_cast<float>(n)))];
  while (k + 1 < n && upTo_[k] <= x) ++k;
  const Cell& c = cells_[k];
  LightPoint p = c.at;
  const float across = a - 0.5f, along = b - 0.5f;
  p.P = c.at.P + c.across * across + c.along * along;
  p.u += c.du * across, p.v += c.dv * along;
  p.s += c.ds[0] * across + c.ds[1] * along;
  p.t += c.dt[0] * across + c.dt[1] * along;
  return p;
}

std::shared_ptr<const AreaLight> makeAreaLight(std::span<const Primitive* const> primitives, float time,
                                               const DisplacedFace& displaced) {
  std::vector<Cell> cells;
  for (const Primitive* p : primitives) addPrimitive(*p, {time, displaced}, 0, cells);
  auto light = std::make_shared<AreaLight>(std::move(cells));
  return light->empty() ? nullptr : light;
}

}  // namespace reyes::scene
