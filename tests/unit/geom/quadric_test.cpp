// SPDX-License-Identifier: Apache-2.0
// Quadrics against closed forms: points, normals at poles, seams, sweeps of every sign, degenerate sizes.
#include "geom_check.h"

#include "reyes/geom/trig.h"

namespace reyes::geom::test {
namespace {

template <size_t N, class F>
GeometryPtr make(Made& made, F f, std::vector<std::array<float, N>> dims, std::vector<ParamList> lists = {}) {
  lists.resize(dims.size());
  return f(made.context, std::span<const std::array<float, N>>(dims), lists);
}

void checkAll(const Geometry& g) {
  checkFaces(g, 1e-5f);
  checkBounds(g, 60);
  checkParts(g, 0);
}

}  // namespace

TEST_CASE("angles are exact at quarter turns and periodic") {
  CHECK(sinCosDegrees(360).sin == 0);
  CHECK(sinCosDegrees(90).cos == 0);
  CHECK(sinCosDegrees(-450).sin == -1);
  CHECK(sinCosDegrees(720 + 33.25).sin == sinCosDegrees(33.25).sin);
  for (int i = -700; i < 700; i += 7) {
    CHECK(std::abs(sinCosDegrees(i).sin - std::sin(i * M_PI / 180)) < 1e-12);
    CHECK(std::abs(sinCosDegrees(i).cos - std::cos(i * M_PI / 180)) < 1e-12);
  }
  for (double s = -1; s <= 1; s += 1.0 / 64) CHECK(std::abs(asinDegrees(s) - std::asin(s) * 180 / M_PI) < 1e-10);
  CHECK(asinDegrees(1) == 90);
}

TEST_CASE("sphere: normal is the point over the radius, poles included") {
  Made made;
  const auto g = make<4>(made, makeSphere, {{2, -2, 2, 360}});
  const Grid grid(*g, 0, {}, 16, 16);
  for (int j = 0; j <= 16; ++j)
    for (int i = 0; i <= 16; ++i) {
      CHECK(distance(grid.triple("Ng", i, j), grid.triple("P", i, j) / 2) < 1e-6f);
      CHECK(std::abs(length(grid.triple("P", i, j)) - 2) < 1e-6f);
    }
  CHECK(sameBits(grid.triple("P", 3, 16), {0, 0, 2}));
  CHECK(sameBits(grid.triple("P", 16, 5), grid.triple("P", 0, 5)));
  CHECK(g->edge(0, Side::kU0).id == g->edge(0, Side::kU1).id);
  CHECK(g->edge(0, Side::kV1).point);
  CHECK(g->vertex(0, 2).id == g->vertex(0, 3).id);
  checkAll(*g);
}

TEST_CASE("sphere: sweeps of any sign and size, swapped and clamped z") {
  for (const auto& dims : std::vector<std::array<float, 4>>{{1, -0.5f, 0.5f, 90},
                                                            {1, -0.5f, 0.5f, -90},
                                                            {1, 0.5f, -0.5f, 200},
                                                            {1, -9, 9, 720},
                                                            {1, -1, 1, 450},
                                                            {-1, -1, 1, 360},
                                                            {1, -1, 1, -360}}) {
    Made made;
    const auto g = make<4>(made, makeSphere, {dims});
    REQUIRE(g);
    const Grid grid(*g, 0, {}, 8, 8);
    const float sign = (dims[3] < 0) != (dims[1] / dims[0] > dims[2] / dims[0]) ? -1.0f : 1.0f;
    for (int j = 0; j <= 8; ++j)
      CHECK(distance(grid.triple("Ng", 5, j), grid.triple("P", 5, j) * (sign / dims[0])) < 1e-5f);
    checkAll(*g);
  }
}

TEST_CASE("cone, disk: apex and centre have the normal of their neighbours") {
  Made made;
  const auto cone = make<3>(made, makeCone, {{2, 1, 360}});
  const auto disk = make<3>(made, makeDisk, {{0.5f, 3, 360}});
  const Grid c(*cone, 0, {}, 8, 8), d(*disk, 0, {}, 8, 8);
  for (int j = 0; j <= 8; ++j)
    for (int i = 0; i <= 8; ++i) {
      const double a = i * M_PI / 4, l = std::sqrt(5.0);
      const Vec3 n{float(2 * std::cos(a) / l), float(2 * std::sin(a) / l), float(1 / l)};
      CHECK(distance(c.triple("Ng", i, j), n) < 1e-6f);
      CHECK(distance(d.triple("Ng", i, j), {0, 0, 1}) < 1e-6f);
    }
  CHECK(sameBits(c.triple("P", 5, 8), {0, 0, 2}));
  checkAll(*cone);
  checkAll(*disk);
  const Grid back(*make<3>(made, makeDisk, {{0.5f, 3, -360}}), 0, {}, 4, 4);
  CHECK(back.triple("Ng", 1, 1).z == -1);
}

TEST_CASE("cylinder, paraboloid: normals in closed form") {
  Made made;
  const auto cylinder = make<4>(made, makeCylinder, {{2, -1, 3, 360}});
  const auto paraboloid = make<4>(made, makeParaboloid, {{2, 0, 3, 360}});
  const Grid c(*cylinder, 0, {}, 8, 8), p(*paraboloid, 0, {}, 8, 8);
  for (int j = 0; j <= 8; ++j)
    for (int i = 0; i <= 8; ++i) {
      const Vec3 q = c.triple("P", i, j), r = p.triple("P", i, j);
      CHECK(distance(c.triple("Ng", i, j), {q.x / 2, q.y / 2, 0}) < 1e-6f);
      // z = 3/4 (x2 + y2): outward is (1.5 x, 1.5 y, -1).
      CHECK(distance(p.triple("Ng", i, j), normalize(Vec3{1.5f * r.x, 1.5f * r.y, -1})) < 1e-5f);
      CHECK(std::abs(r.z - 0.75f * (r.x * r.x + r.y * r.y)) < 1e-5f);
    }
  checkAll(*cylinder);
  checkAll(*paraboloid);
  CHECK(make<4>(made, makeParaboloid, {{2, -1, 3, 360}}));
  CHECK(made.diag.hasCode("geom-bad-range"));
  checkAll(*make<4>(made, makeParaboloid, {{-2, 0.5f, -3, 100}}));
}

TEST_CASE("hyperboloid, torus: normals in closed form") {
  Made made;
  const auto hyper = make<7>(made, makeHyperboloid, {{1, -1, -1, 1, 1, 1, 360}});
  const auto torus = make<5>(made, makeTorus, {{3, 1, 0, 360, 360}});
  const Grid h(*hyper, 0, {}, 8, 8), t(*torus, 0, {}, 8, 8);
  for (int j = 0; j <= 8; ++j)
    for (int i = 0; i <= 8; ++i) {
      const Vec3 q = h.triple("P", i, j), r = t.triple("P", i, j);
      // x2 + y2 - z2 = 1.
      CHECK(distance(h.triple("Ng", i, j), normalize(Vec3{q.x, q.y, -q.z})) < 1e-5f);
      const Vec3 centre = normalize(Vec3{r.x, r.y, 0}) * 3;
      CHECK(distance(t.triple("Ng", i, j), r - centre) < 1e-5f);
    }
  CHECK(torus->edge(0, Side::kV0).id == torus->edge(0, Side::kV1).id);
  CHECK(torus->vertex(0, 3).id == torus->vertex(0, 0).id);
  checkAll(*hyper);
  checkAll(*torus);
  checkAll(*make<5>(made, makeTorus, {{3, 1, 90, -90, 200}}));
  checkAll(*make<7>(made, makeHyperboloid, {{1, 0, 0, 0, 0, 0, 360}}));
  checkAll(*make<7>(made, makeHyperboloid, {{0, 0, 0, 1, 0.5f, 2, -360}}));
  checkFaces(*make<5>(made, makeTorus, {{1, 1, 0, 360, 360}}), 1e-5f);
}

TEST_CASE("quadrics: what has no area is reported and not made; numbers that are none neither") {
  Made made;
  CHECK_FALSE(make<4>(made, makeSphere, {{0, 0, 0, 360}}));
  CHECK_FALSE(make<4>(made, makeSphere, {{1, -1, 1, 0}}));
  CHECK_FALSE(make<4>(made, makeCylinder, {{0, 0, 1, 360}}));
  CHECK_FALSE(make<4>(made, makeCylinder, {{1, 1, 1, 360}}));
  CHECK_FALSE(make<3>(made, makeDisk, {{1, 0, 360}}));
  CHECK_FALSE(make<5>(made, makeTorus, {{1, 0, 0, 360, 360}}));
  CHECK(made.diag.hasCode("geom-degenerate"));
  CHECK(make<3>(made, makeCone, {{0, 1, 360}}));
  CHECK_FALSE(make<4>(made, makeSphere, {{NAN, -1, 1, 360}}));
  CHECK(made.diag.hasCode("geom-not-finite"));
}

TEST_CASE("quadrics: keys move the shape, primvars follow their corners") {
  Made made;
  const auto g =
      make<4>(made, makeSphere, {{1, -1, 1, 360}, {2, -2, 2, 360}},
              {list({param("varying float w", {0, 1, 2, 3}), param("uniform color c", {1, 2, 3}),
                     param("varying float[2] st", {5, 6, 7, 8, 9, 10, 11, 12}), param("constant float bad", {})})});
  REQUIRE(g->keyCount() == 2);
  CHECK(g->bound(0, 1, 1).max.x >= 2);
  CHECK(g->bound(0, 1, 1).max.x < 2.001f);
  CHECK(made.diag.hasCode("geom-bad-count"));
  checkFaces(*g, 1e-5f);
  const Grid grid(*g, 0, {}, 4, 4, {"w", "c", "missing"});
  CHECK(grid.value("w", 2, 1) == doctest::Approx(0.5f + 0.5f));
  CHECK(grid.value("w", 4, 4) == 3);
  CHECK(grid.vars.find("c")->uniform);
  CHECK(grid.triple("c", 0, 0) == Vec3{1, 2, 3});
  CHECK(grid.value("s", 4, 4) == 11);
  CHECK(grid.value("t", 0, 0) == 6);
  CHECK(grid.vars.find("missing") == nullptr);
}

TEST_CASE("texture coordinates of the graphics state span the primitive") {
  Made made;
  const float st[8] = {1, 0, 0, 0, 1, 2, 0, 2};
  std::copy_n(st, 8, made.context.st);
  const Grid grid(*make<3>(made, makeDisk, {{0, 1, 360}}), 0, {}, 4, 4);
  CHECK(grid.value("s", 1, 2) == 0.75f);
  CHECK(grid.value("t", 1, 2) == 1);
  CHECK(grid.value("u", 1, 2) == 0.25f);
}

}  // namespace reyes::geom::test
