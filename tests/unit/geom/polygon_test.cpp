// SPDX-License-Identifier: Apache-2.0
// Polygons: area kept, orientation kept, holes, collinear and doubled corners, shared sides, primvars a class.
#include "geom_check.h"

#include <numeric>

#include "reyes/geom/triangulate.h"

namespace reyes::geom::test {
namespace {

GeometryPtr polygon(Made& made, std::vector<float> p, std::vector<int> loops = {}) {
  const int n = static_cast<int>(p.size() / 3);
  if (loops.empty()) loops = {n};
  std::vector<int> ids(static_cast<size_t>(n));
  std::iota(ids.begin(), ids.end(), 0);
  const int count = static_cast<int>(loops.size());
  const ParamList l = points(std::move(p));
  return makePolygons(made.context, {&count, 1}, loops, ids, {&l, 1});
}

/// Sum over the faces of area times normal; the grids are flat, so the corners suffice.
Vec3 areaVector(const Geometry& g, float* total = nullptr) {
  Vec3 sum;
  for (int f = 0; f < g.faceCount(); ++f) {
    const Grid q(g, f, {}, 1, 1);
    const Vec3 a = cross(q.triple("P", 1, 0) - q.triple("P", 0, 0), q.triple("P", 0, 1) - q.triple("P", 0, 0)) * 0.5f;
    const Vec3 b = cross(q.triple("P", 0, 1) - q.triple("P", 1, 1), q.triple("P", 1, 0) - q.triple("P", 1, 1)) * 0.5f;
    sum += a + b;
    if (total) *total += length(a) + length(b);
  }
  return sum;
}

void checkAll(const Geometry& g) {
  checkFaces(g, 1e-5f);
  checkBounds(g, 40);
  checkParts(g, 0);
}

}  // namespace

TEST_CASE("triangle: constant tangents, normal by the order of its corners") {
  Made made;
  const auto g = polygon(made, {0, 0, 0, 4, 0, 0, 0, 2, 0});
  REQUIRE(g->faceCount() == 1);
  const Grid q(*g, 0, {}, 4, 4);
  for (int j = 0; j <= 4; ++j)
    for (int i = 0; i <= 4; ++i) {
      CHECK(q.triple("dPdu", i, j) == Vec3{4, 0, 0});
      CHECK(q.triple("dPdv", i, j) == Vec3{0, 2, 0});
      CHECK(q.triple("Ng", i, j) == Vec3{0, 0, 1});
      CHECK(q.value("s", i, j) == q.triple("P", i, j).x);
      CHECK(q.value("t", i, j) == q.triple("P", i, j).y);
    }
  CHECK(g->edge(0, Side::kV1).point);
  checkAll(*g);
}

TEST_CASE("convex quad is one face; concave, collinear and doubled corners keep area and sense") {
  Made made;
  CHECK(polygon(made, {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0})->faceCount() == 1);
  struct Case {
    std::vector<float> p;
    float area;
  };
  const std::vector<Case> cases = {{{0, 0, 0, 2, 0, 0, 0.5f, 0.5f, 0, 0, 2, 0}, 1},              // arrow head
                                   {{0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0}, 4},           // corner on a side
                                   {{0, 0, 0, 2, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0, 0, 0, 0}, 4},  // doubled corners
                                   {{0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0, 2, 2, 0, 1, 2, 0, 0, 2, 0, 0, 1, 0}, 4},
                                   {{0, 0, 0, 3, 0, 0, 3, 3, 0, 2, 3, 0, 2, 1, 0, 1, 1, 0, 1, 3, 0, 0, 3, 0}, 7}};  // U
  for (const Case& c : cases)
    for (const float tilt : {0.0f, 1.0f}) {
      std::vector<float> p = c.p;
      for (size_t i = 0; i < p.size(); i += 3) p[i + 2] = tilt * p[i];
      const auto g = polygon(made, p);
      REQUIRE(g);
      float total = 0;
      const Vec3 sum = areaVector(*g, &total);
      CHECK(distance(sum, Vec3{-tilt, 0, 1} * c.area) < 1e-5f);
      CHECK(total == doctest::Approx(length(sum)));
      checkAll(*g);
    }
  // The other way round.
  CHECK(areaVector(*polygon(made, {0, 0, 0, 0, 2, 0, 0.5f, 0.5f, 0, 2, 0, 0})).z == doctest::Approx(-1));
}

TEST_CASE("holes: inside, touching, several, in either direction") {
  Made made;
  const std::vector<float> square = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0};
  const auto with = [&](std::vector<std::vector<float>> holes) {
    std::vector<float> p = square;
    std::vector<int> loops = {4};
    for (const auto& h : holes) p.insert(p.end(), h.begin(), h.end()), loops.push_back(static_cast<int>(h.size() / 3));
    return polygon(made, p, loops);
  };
  const std::vector<float> a = {1, 1, 0, 2, 1, 0, 2, 2, 0, 1, 2, 0},
                           b = {3, 3, 0, 3, 2.5f, 0, 2.5f, 2.5f, 0, 2.5f, 3, 0};
  const std::vector<float> touching = {4, 2, 0, 3, 3, 0, 3, 2, 0}, outside = {9, 9, 0, 10, 9, 0, 9, 10, 0};
  float total = 0;
  CHECK(areaVector(*with({a}), &total).z == doctest::Approx(15));
  CHECK(total == doctest::Approx(15));
  CHECK(areaVector(*with({a, b})).z == doctest::Approx(14.75f));
  CHECK(areaVector(*with({touching})).z == doctest::Approx(15.5f));
  CHECK(areaVector(*with({a, outside})).z == doctest::Approx(15));
  CHECK(made.diag.hasCode("geom-bad-hole"));
  checkAll(*with({a, b}));
}

TEST_CASE("random star polygons and rings keep their area, many corners end in time") {
  std::mt19937 random(3);
  for (const int n : {5, 17, 60, 400, 20000}) {
    std::vector<Point2> p;
    std::vector<std::vector<int>> loops(2);
    double expected = 0;
    for (int ring = 0; ring < 2; ++ring)
      for (int i = 0; i < n; ++i) {
        const double r = ring == 0 ? 2 + (random() % 1000) * 0.001 : 0.5 + (random() % 1000) * 0.001,
                     t = 2 * M_PI * i / n;
        loops[static_cast<size_t>(ring)].push_back(static_cast<int>(p.size()));
        p.push_back({r * std::cos(t), r * std::sin(t)});
      }
    for (int ring = 0; ring < 2; ++ring)
      for (int i = 0; i < n; ++i)
        expected += (ring == 0 ? 0.5 : -0.5) *
                    area2({0, 0}, p[static_cast<size_t>(ring * n + i)], p[static_cast<size_t>(ring * n + (i + 1) % n)]);
    std::vector<std::array<int, 3>> triangles;
    CHECK(triangulate(p, loops, triangles));
    double sum = 0, absolute = 0;
    for (const auto& t : triangles) {
      const double a =
          0.5 * area2(p[static_cast<size_t>(t[0])], p[static_cast<size_t>(t[1])], p[static_cast<size_t>(t[2])]);
      sum += a, absolute += std::abs(a);
    }
    CHECK(sum == doctest::Approx(expected));
    CHECK(absolute == doctest::Approx(expected));
    CHECK(triangles.size() == static_cast<size_t>(2 * n));
  }
}

TEST_CASE("points polygons: a closed cube shares every side; primvars a class") {
  Made made;
  const std::vector<int> ids = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5}, counts(6, 4),
                         loops(6, 1);
  std::vector<float> p, fv;
  for (int i = 0; i < 8; ++i)
    p.insert(p.end(), {static_cast<float>(i & 1), static_cast<float>(i >> 1 & 1), static_cast<float>(i >> 2)});
  for (int i = 0; i < 24; ++i) fv.push_back(static_cast<float>(i));
  const ParamList l =
      list({param("vertex point P", p), param("facevarying float f", fv), param("uniform float n", {0, 1, 2, 3, 4, 5}),
            param("vertex float w", {0, 1, 2, 3, 4, 5, 6, 7}), param("varying float few", {1, 2})});
  const auto g = makePolygons(made.context, loops, counts, ids, {&l, 1});
  CHECK(made.diag.hasCode("geom-bad-count"));
  CHECK(g->faceCount() == 6);
  for (const auto& [id, uses] : edgeUses(*g)) CHECK(uses == 2);
  CHECK(edgeUses(*g).size() == 12);
  const Grid q(*g, 2, {}, 2, 2, {"f", "n", "w"});
  CHECK(q.value("n", 0, 0) == 2);
  CHECK(q.value("f", 0, 0) == 8);
  CHECK(q.value("f", 2, 0) == 9);
  CHECK(q.value("f", 2, 2) == 10);
  CHECK(q.value("f", 0, 2) == 11);
  CHECK(q.value("w", 2, 2) == 5);
  checkAll(*g);
}

TEST_CASE("bad polygons are named, the others drawn") {
  Made made;
  const std::vector<int> loops = {1, 1}, counts = {3, 3}, ids = {0, 1, 2, 0, 1, 9};
  const ParamList l = points({0, 0, 0, 1, 0, 0, 0, 1, 0});
  const auto g = makePolygons(made.context, loops, counts, ids, {&l, 1});
  CHECK(g->faceCount() == 1);
  CHECK(made.diag.hasCode("geom-bad-index"));
  const std::vector<int> tooMany = {3, 4}, negative = {3, -3};
  CHECK_FALSE(makePolygons(made.context, loops, tooMany, ids, {&l, 1}));
  CHECK_FALSE(makePolygons(made.context, loops, negative, ids, {&l, 1}));
  CHECK(made.diag.hasCode("geom-bad-count"));
  CHECK_FALSE(polygon(made, {0, 0, 0, 1, 0, 0, 2, 0, 0}));
  CHECK_FALSE(polygon(made, {0, 0, 0, 1, 0, 0}));
  CHECK_FALSE(polygon(made, {0, 0, 0, 1, 0, NAN, 0, 1, 0}));
  CHECK(made.diag.hasCode("geom-not-finite"));
  // An outline that crosses itself ends.
  CHECK(polygon(made, {0, 0, 0, 2, 2, 0, 2, 0, 0, 0, 2.5f, 0, 1, 3, 0}));
}

}  // namespace reyes::geom::test
