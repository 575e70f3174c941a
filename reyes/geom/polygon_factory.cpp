// SPDX-License-Identifier: Apache-2.0
// makePolygons(): checks loops and indices; convex quads become bilinear faces, triangles degenerate ones, everything
// else is cut into triangles that keep all vertices.
#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/bilinear.h"
#include "reyes/geom/elements.h"
#include "reyes/geom/positions.h"
#include "reyes/geom/triangulate.h"

namespace reyes::geom {
namespace {

constexpr const char* kRequest = "Polygon";

/// A corner of a polygon: which point, and which facevarying item.
struct Corner {
  int vertex, faceVarying;
};

class PolygonBuilder {
 public:
  PolygonBuilder(const Context& context, const Positions& positions, BilinearData& data)
      : context_(context), positions_(positions), data_(data) {
    // Numbers that no variable asks for are not kept: meshes are many, and large.
    for (const PrimvarData& p : data.primvars) {
      faceVarying_ |= p.spec.storage == Storage::kFaceVarying || p.spec.storage == Storage::kFaceVertex;
      uniform_ |= p.spec.storage == Storage::kUniform;
    }
  }

  void addPolygon(int number, std::span<const int> vertexCounts, std::span<const int> vertices, int firstCorner);
  void report() const;

 private:
  Vec3 place(int vertex) const {
    const float* p = &positions_.keys[0][static_cast<size_t>(vertex) * static_cast<size_t>(positions_.width)];
    if (positions_.width == 3) return {p[0], p[1], p[2]};
    return {p[0] / p[3], p[1] / p[3], p[2] / p[3]};
  }
  bool project(std::span<const Corner> outline);
  bool convexQuad() const;
  void addFace(int a, int b, int c, int d);

  const Context& context_;
  const Positions& positions_;
  BilinearData& data_;
  bool faceVarying_ = false, uniform_ = false;
  size_t badIndex_ = 0, notFinite_ = 0, badHole_ = 0, tooFew_ = 0;
  // The polygon at hand.
  int number_ = 0;
  std::vector<Corner> corners_;
  std::vector<std::vector<int>> loops_;  ///< indices of corners_
  std::vector<Point2> points_;
};

void PolygonBuilder::addPolygon(int number, std::span<const int> vertexCounts, std::span<const int> vertices,
                                int firstCorner) {
  number_ = number;
  corners_.clear();
  loops_.resize(vertexCounts.size());
  size_t at = 0;
  for (size_t which = 0; which < vertexCounts.size(); ++which) {
    const int count = vertexCounts[which];
    std::vector<int>& loop = loops_[which];
    loop.clear();
    for (int k = 0; k < count; ++k, ++at) {
      const int v = vertices[at];
      if (v < 0 || static_cast<size_t>(v) >= positions_.items) return void(++badIndex_);
      if (positions_.bad[static_cast<size_t>(v)]) return void(++notFinite_);
      // A corner on the one before it adds nothing.
      if (!loop.empty() && place(corners_[static_cast<size_t>(loop.back())].vertex) == place(v)) continue;
      loop.push_back(static_cast<int>(corners_.size()));
      corners_.push_back({v, firstCorner + static_cast<int>(at)});
    }
    while (loop.size() > 1 && place(corners_[static_cast<size_t>(loop.back())].vertex) ==
                                  place(corners_[static_cast<size_t>(loop[0])].vertex))
      loop.pop_back();
  }
  if (loops_.empty() || loops_[0].size() < 3) return void(++tooFew_);
  // The outline in the plane of the polygon; flat ones draw nothing.
  if (!project(corners_)) return;
  const std::vector<int>& outline = loops_[0];
  const bool holes = loops_.size() > 1;
  if (outline.size() == 3 && !holes) return addFace(outline[0], outline[1], outline[2], outline[2]);
  if (outline.size() == 4 && !holes && convexQuad()) return addFace(outline[0], outline[1], outline[3], outline[2]);
  std::vector<std::array<int, 3>> triangles;
  if (!triangulate(points_, loops_, triangles)) ++badHole_;
  for (const std::array<int, 3>& t : triangles) addFace(t[0], t[1], t[2], t[2]);
}

/// Drops the axis along which the polygon's normal (sum over its outline) is longest, keeping the outline's sense.
bool PolygonBuilder::project(std::span<const Corner> corners) {
  double n[3] = {0, 0, 0};
  const std::vector<int>& outline = loops_[0];
  const Vec3 origin = place(corners[static_cast<size_t>(outline[0])].vertex);
  for (size_t k = 0; k < outline.size(); ++k) {
    const Vec3 a = place(corners[static_cast<size_t>(outline[k])].vertex);
    const Vec3 b = place(corners[static_cast<size_t>(outline[(k + 1) % outline.size()])].vertex);
    for (int c = 0; c < 3; ++c) {
      const int d = (c + 1) % 3, e = (c + 2) % 3;
      n[c] += (double(a[d]) - origin[d]) * (double(b[e]) - origin[e]) -
              (double(a[e]) - origin[e]) * (double(b[d]) - origin[d]);
    }
  }
  int axis = 0;
  for (int c = 1; c < 3; ++c)
    if (std::abs(n[c]) > std::abs(n[axis])) axis = c;
  if (n[axis] == 0) return false;
  int x = (axis + 1) % 3, y = (axis + 2) % 3;
  if (n[axis] < 0) std::swap(x, y);
  points_.clear();
  for (const Corner& corner : corners) {
    const Vec3 p = place(corner.vertex);
    points_.push_back({p[x], p[y]});
  }
  return true;
}

bool PolygonBuilder::convexQuad() const {
  const std::vector<int>& q = loops_[0];
  double least = INFINITY, most = 0;
  for (size_t k = 0; k < 4; ++k) {
    const double a = area2(points_[static_cast<size_t>(q[k])], points_[static_cast<size_t>(q[(k + 1) % 4])],
                           points_[static_cast<size_t>(q[(k + 2) % 4])]);
    least = std::min(least, a), most = std::max(most, a);
  }
  return least > 1e-6 * most;
}

void PolygonBuilder::addFace(int a, int b, int c, int d) {
  std::array<int, 4> face, faceVarying;
  const int ids[4] = {a, b, c, d};
  for (size_t k = 0; k < 4; ++k) {
    face[k] = corners_[static_cast<size_t>(ids[k])].vertex;
    faceVarying[k] = corners_[static_cast<size_t>(ids[k])].faceVarying;
  }
  data_.faces.push_back(face);
  if (faceVarying_) data_.faceVarying.push_back(faceVarying);
  if (uniform_) data_.uniform.push_back(number_);
}

void PolygonBuilder::report() const {
  if (!context_.diag) return;
  if (badIndex_ > 0)
    context_.diag->error("geom-bad-index", context_.loc,
                         format("{}: {} polygons name a vertex outside of the {} given; they are left out", kRequest,
                                badIndex_, positions_.items));
  if (badHole_ > 0)
    context_.diag->warning(
        "geom-bad-hole", context_.loc,
        format("{}: {} polygons have a hole outside of their outline; it is left out", kRequest, badHole_));
  if (tooFew_ > 0)
    context_.diag->warning("geom-degenerate", context_.loc,
                           format("{}: {} polygons have fewer than three different corners", kRequest, tooFew_));
  reportDropped(context_, kRequest, notFinite_);
}

struct Totals {
  size_t loops = 0, corners = 0;
  bool good = true;
};

/// Adds up what the counts ask for; false where a count is negative or more is asked for than given.
Totals addUp(std::span<const int> loopCounts, std::span<const int> vertexCounts, std::span<const int> vertices) {
  Totals t;
  for (const int n : loopCounts) {
    if (n < 0) t.good = false;
    t.loops += static_cast<size_t>(std::max(0, n));
  }
  for (const int n : vertexCounts) {
    if (n < 0) t.good = false;
    t.corners += static_cast<size_t>(std::max(0, n));
  }
  t.good = t.good && t.loops <= vertexCounts.size() && t.corners <= vertices.size();
  return t;
}

/// Numbers that count faces anyway are not kept.
void dropUnused(BilinearData& data) {
  bool counts = true;
  for (size_t f = 0; f < data.uniform.size() && counts; ++f) counts = data.uniform[f] == static_cast<int>(f);
  if (counts) data.uniform = {};
}

/// Faces in an order in which neighbours in the list are neighbours in space, so that ranges of them have small boxes.
void sortInSpace(BilinearData& data, int width, std::span<const float> p) {
  constexpr size_t kFew = 128;
  const size_t n = data.faces.size();
  if (n <= kFew) return;
  std::vector<Vec3> centres(n);
  for (size_t f = 0; f < n; ++f)
    for (const int corner : {data.faces[f][0], data.faces[f][3]}) {
      const float* at = &p[static_cast<size_t>(corner) * static_cast<size_t>(width)];
      centres[f] = centres[f] + Vec3{at[0], at[1], at[2]} * (width == 4 ? 1 / at[3] : 1.0f);
    }
  const std::vector<uint32_t> order = spaceOrder(centres);
  centres = {};
  const auto sort = [&](auto& list) {
    if (list.empty()) return;
    auto sorted = list;
    for (size_t f = 0; f < n; ++f) sorted[f] = list[order[f]];
    list.swap(sorted);
  };
  sort(data.faces), sort(data.faceVarying), sort(data.uniform);
}

}  // namespace

GeometryPtr makePolygons(const Context& context, std::span<const int> loopCounts, std::span<const int> vertexCounts,
                         std::span<const int> vertices, Keys keys) {
  const Totals totals = addUp(loopCounts, vertexCounts, vertices);
  if (!totals.good) {
    if (context.diag)
      context.diag->error("geom-bad-count", context.loc,
                          format("{}: the counts ask for {} loops and {} vertices, {} and {} given; nothing is drawn",
                                 kRequest, totals.loops, totals.corners, vertexCounts.size(), vertices.size()));
    return nullptr;
  }
  std::optional<Positions> positions = readPositions(context, keys, 1, false, kRequest);
  if (!positions) return nullptr;
  BilinearData data;
  data.polygons = true;
  ClassCounts counts;
  counts.uniform = loopCounts.size();
  counts.varying = counts.vertex = positions->items;
  counts.faceVarying = totals.corners;
  data.primvars = readPrimvars(keys[0], counts, context.diag, context.loc, kRequest);

  data.faces.reserve(loopCounts.size());
  PolygonBuilder builder(context, *positions, data);
  size_t loop = 0, corner = 0;
  for (size_t k = 0; k < loopCounts.size(); ++k) {
    const std::span<const int> polygon = vertexCounts.subspan(loop, static_cast<size_t>(loopCounts[k]));
    size_t n = 0;
    for (const int c : polygon) n += static_cast<size_t>(c);
    builder.addPolygon(static_cast<int>(k), polygon, vertices.subspan(corner, n), static_cast<int>(corner));
    loop += polygon.size();
    corner += n;
  }
  builder.report();
  if (data.faces.empty()) return nullptr;
  dropUnused(data);
  data.width = positions->width;
  sortInSpace(data, data.width, positions->keys[0]);
  data.positions = std::move(positions->keys);
  return std::make_shared<BilinearGeometry>(std::move(data), context.st);
}

}  // namespace reyes::geom
