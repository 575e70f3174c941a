// SPDX-License-Identifier: Apache-2.0
// Faces with straight sides as cells: corners and variables are those of each face diced alone. And the table that
// keeps their corners small.
#include <doctest/doctest.h>

#include <random>

#include "geom_check.h"
#include "reyes/geom/corner_table.h"

using namespace reyes;
using namespace reyes::geom;
using test::param;

namespace {

/// A sheet of triangles and quads, with a variable of each class.
GeometryPtr sheet(int side) {
  std::mt19937 random(5);
  const auto number = [&] { return static_cast<float>(random() % 1000) / 1000; };
  std::vector<int> counts, vertices;
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      const int a = j * (side + 1) + i, d = a + side + 1;
      if ((i + j) % 3 == 0) {
        counts.insert(counts.end(), {3, 3});
        vertices.insert(vertices.end(), {a, a + 1, d + 1, a, d + 1, d});
      } else {
        counts.push_back(4);
        vertices.insert(vertices.end(), {a, a + 1, d + 1, d});
      }
    }
  std::vector<float> p, vertex, faceVarying, uniform;
  for (int j = 0; j <= side; ++j)
    for (int i = 0; i <= side; ++i) {
      p.insert(p.end(), {static_cast<float>(i), static_cast<float>(j), number()});
      vertex.push_back(number());
    }
  for (size_t i = 0; i < vertices.size(); ++i) faceVarying.push_back(number());
  for (size_t i = 0; i < counts.size(); ++i) uniform.push_back(number());
  const ParamList list = test::list({param("vertex point P", p), param("varying float a", vertex),
                                     param("facevarying float b", faceVarying), param("uniform float c", uniform),
                                     param("constant float d", {4})});
  const std::vector<int> loops(counts.size(), 1);
  return makePolygons({}, loops, counts, vertices, {&list, 1});
}

}  // namespace

TEST_CASE("cells have the corners and the variables of faces diced alone") {
  const GeometryPtr g = sheet(23);
  REQUIRE(g);
  REQUIRE(g->hasCells());
  const std::vector<uint32_t> cells = {0, 7, 8, 100, 333, 512, 5};
  const std::vector<Name> names = {"a", "b", "c", "d"};
  const auto n = static_cast<int>(cells.size());
  Arena arena(1 << 16);
  DiceRequest request;
  request.primvars = names, request.cells = cells;
  VarBlock together(4 * n);
  g->dice(request, together, arena);
  request.cells = {};
  for (int i = 0; i < n; ++i) {
    VarBlock alone(4);
    request.face = static_cast<int>(cells[static_cast<size_t>(i)]);
    g->dice(request, alone, arena);
    for (const Var& v : alone.all()) {
      const Var* all = together.find(v.spec.name);
      REQUIRE(all);
      for (int c = 0; c < v.spec.width(); ++c)
        for (int k = 0; k < 4; ++k)
          CHECK(all->data[c * all->stride + (all->uniform ? 0 : k * n + i)] ==
                v.data[c * v.stride + (v.uniform ? 0 : k)]);
    }
    // Corners are the ends of the sides.
    float x[4], y[4], z[4];
    float* const corners[3] = {x, y, z};
    g->cellCorners(request.face, request.face + 1, 0, corners);
    for (int s = 0; s < 4; ++s) {
      const FaceEdge e = g->edge(request.face, static_cast<Side>(s));
      Vec3 ends[2];
      const float t[2] = {e.t0, e.t1};
      g->edgePoints(request.face, static_cast<Side>(s), t, 0, ends);
      static constexpr int kFrom[4] = {0, 1, 2, 0}, kTo[4] = {1, 3, 3, 2};
      CHECK((ends[0] == Vec3{x[kFrom[s]], y[kFrom[s]], z[kFrom[s]]}));
      CHECK((ends[1] == Vec3{x[kTo[s]], y[kTo[s]], z[kTo[s]]}));
    }
  }
}

TEST_CASE("corners near each other and far apart come back as they were") {
  std::mt19937 random(2);
  for (const unsigned spread : {200u, 65536u, 70000u, 1u << 30}) {
    std::vector<std::array<int, 4>> corners(300);
    for (size_t f = 0; f < corners.size(); ++f)
      for (int& c : corners[f]) c = static_cast<int>(random() % spread + (spread < 1000 ? f * 90000 : 0));
    const CornerTable table(corners);
    REQUIRE(table.count() == 300);
    for (size_t f = 0; f < corners.size(); ++f) CHECK(table[static_cast<int>(f)] == corners[f]);
  }
  CHECK(CornerTable().empty());
}
