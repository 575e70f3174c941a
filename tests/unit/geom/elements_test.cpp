// SPDX-License-Identifier: Apache-2.0
// Points and curves: counts by RI 3.2, positions against closed forms, bounds, order in space, variables of each class.
#include "reyes/geom/elements.h"

#include "reyes/geom/curves.h"
#include "reyes/geom/point_shapes.h"
#include "tests/unit/geom/geom_check.h"

using namespace reyes;
using namespace reyes::geom;
using namespace reyes::geom::test;

namespace {

std::vector<float> ramp(size_t n, float scale = 1) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = scale * static_cast<float>(i);
  return v;
}

std::vector<float> scattered(size_t points) {
  std::mt19937 random(3);
  std::vector<float> v(3 * points);
  for (float& f : v) f = static_cast<float>(random() % 1000) / 100;
  return v;
}

}  // namespace

TEST_CASE("order in space keeps every index and brings neighbours together") {
  std::vector<Vec3> p;
  for (int i = 0; i < 4096; ++i)
    p.push_back({static_cast<float>(i * 37 % 64), static_cast<float>(i * 101 % 4096 / 64), 0});
  const std::vector<uint32_t> order = spaceOrder(p);
  std::vector<bool> seen(p.size());
  float step = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    CHECK(!seen[order[i]]);
    seen[order[i]] = true;
    if (i > 0) step += length(p[order[i]] - p[order[i - 1]]);
  }
  CHECK(step / 4096 < 3);
  CHECK(spaceOrder({}).empty());
}

TEST_CASE("points keep their values through the order in space") {
  Made m;
  const size_t n = 500;
  ParamList l = points(scattered(n));
  l.add(param("varying float width", ramp(n, 0.01f)));
  l.add(param("varying color Cs", ramp(3 * n)));
  l.add(param("constant float k", {7}));
  const GeometryPtr g = makePoints(m.context, static_cast<int>(n), {&l, 1});
  REQUIRE(g);
  const PointSet& set = *g->asPoints();
  Arena arena;
  VarBlock block(64);
  set.addPrimvar("Cs", 128, block, arena);
  set.addPrimvar("k", 128, block, arena);
  const std::vector<float> p = scattered(n);
  for (int i = 0; i < 64; ++i) {
    const uint32_t from = set.original(128 + i);
    CHECK(block.find("Cs")->plane(1)[i] == static_cast<float>(3 * from + 1));
    CHECK(set.width(128 + i, 0) == doctest::Approx(0.01 * from));
    CHECK(set.positions(0)[static_cast<size_t>(128 + i)].x == p[3 * from]);
  }
  CHECK(block.find("k")->uniform);
  const ElementBound b = set.elementBound(64, 96, 0);
  for (int i = 64; i < 96; ++i) {
    CHECK(inside(b.box, set.positions(0)[static_cast<size_t>(i)]));
    CHECK(b.radius >= set.width(i, 0) / 2);
  }
  CHECK(m.diag.all().empty());
}

TEST_CASE("points: faults are said and cost as little as possible") {
  Made m;
  ParamList l = points({0, 0, 0, NAN, 0, 0, 1, 1, 1});
  l.add(param("varying float width", {1, 1, -1}));
  l.add(param("varying color Cs", {1, 1, 1}));
  const GeometryPtr g = makePoints(m.context, 3, {&l, 1});
  REQUIRE(g);
  CHECK(g->faceCount() == 2);
  const auto has = [&](const char* code) {
    for (const Diagnostic& d : m.diag.all())
      if (d.code == code) return true;
    return false;
  };
  CHECK(has("geom-not-finite"));
  CHECK(has("geom-bad-width"));
  CHECK(has("geom-bad-count"));
}

TEST_CASE("points that are surfaces: faces, bounds, values of each, motion keys") {
  for (const char* type : {"sphere", "disk", "patch"}) {
    CAPTURE(type);
    Made m;
    const size_t n = 40;
    std::vector<ParamList> keys;
    for (int k = 0; k < 2; ++k) {
      std::vector<float> p = scattered(n), normals = scattered(n);
      for (float& f : p) f += 0.5f * static_cast<float>(k);
      ParamList l = points(p);
      l.add(param("varying float width", ramp(n, 0.05f)));
      l.add(param("varying normal N", normals));
      l.add(param("vertex color Cs", ramp(3 * n)));
      l.add(param("constant float patchangle", {30}));
      l.add(param("varying float patchaspectratio", std::vector<float>(n, 2)));
      Param t;
      t.spec = *parseDeclaration("uniform string type");
      t.strings = {type};
      l.add(std::move(t));
      keys.push_back(std::move(l));
    }
    GeometryPtr g = makePoints(m.context, static_cast<int>(n), keys);
    REQUIRE(g);
    if (const PointSet* set = g->asPoints()) {
      ShapeKey a, b;
      a.cameraFromObject = Matrix4::rotate(40, {1, 1, 0}) * Matrix4::translate({0, 0, 20});
      a.objectFromCamera = inverse(a.cameraFromObject);
      b = a, b.from = 0, b.to = 1, b.fraction = 0.5f;
      g = std::make_shared<PointShapes>(std::shared_ptr<const PointSet>(g, set), std::vector<ShapeKey>{a, b});
    }
    REQUIRE(g->keyCount() == 2);
    CHECK(g->faceCount() == 40);
    checkFaces(*g, 1e-5f);
    checkBounds(*g, 60);
    checkParts(*g, 7, {"Cs"});
    int wrong = 0;
    for (int f = 0; f < 40; ++f) {
      const Grid grid(*g, f, {}, 4, 4, {"Cs"});
      Vec3 centre;
      const Vec2 middle{0.5f, 0.5f};
      g->pointsAt(f, {&middle, 1}, 0, &centre);
      const float value = grid.value("Cs", 2, 2);
      const size_t from = static_cast<size_t>(value / 3);
      const std::vector<float> p = scattered(n);
      const Vec3 place{p[3 * from], p[3 * from + 1], p[3 * from + 2]};
      if (distance(centre, place) > 0.05f * static_cast<float>(from) / 2 + 1e-4f) ++wrong;
      if (type[0] == 's' && distance(grid.triple("P", 1, 1), place) > 0.05f * static_cast<float>(from)) ++wrong;
    }
    CHECK(wrong == 0);
    CHECK(m.diag.all().empty());
  }
}

TEST_CASE("curves: how many values of each class, by basis, step and wrap") {
  struct Case {
    const char* type;
    const char* basis;
    const char* wrap;
    int vertices, segments, varying;
  };
  for (const Case& c :
       {Case{"linear", "bezier", "nonperiodic", 5, 4, 5}, Case{"linear", "bezier", "periodic", 5, 5, 5},
        Case{"cubic", "bezier", "nonperiodic", 7, 2, 3}, Case{"cubic", "bezier", "periodic", 6, 2, 2},
        Case{"cubic", "b-spline", "nonperiodic", 7, 4, 5}, Case{"cubic", "b-spline", "periodic", 6, 6, 6},
        Case{"cubic", "catmull-rom", "nonperiodic", 4, 1, 2}, Case{"cubic", "hermite", "nonperiodic", 6, 2, 3}}) {
    CAPTURE(c.type);
    CAPTURE(c.basis);
    Made m;
    namedBasis(c.basis, m.context.vBasis, m.context.vStep);
    const std::vector<int> counts(3, c.vertices);
    const auto n = static_cast<size_t>(3 * c.vertices);
    ParamList l = points(scattered(n));
    l.add(param("varying float a", ramp(static_cast<size_t>(3 * c.varying))));
    l.add(param("vertex float b", ramp(n)));
    l.add(param("uniform float c", ramp(3)));
    l.add(param("constant float d", {5}));
    const GeometryPtr g = makeCurves(m.context, c.type, counts, c.wrap, {&l, 1});
    REQUIRE(g);
    CHECK(m.diag.all().empty());
    CHECK(g->asCurves()->segments(0) == c.segments);
    // One value too few of any class is an Error.
    ParamList fewer = points(scattered(n));
    fewer.add(param("varying float a", ramp(static_cast<size_t>(3 * c.varying) - 1)));
    makeCurves(m.context, c.type, counts, c.wrap, {&fewer, 1});
    REQUIRE(m.diag.all().size() == 1);
    CHECK(m.diag.all()[0].code == "geom-bad-count");
  }
}

TEST_CASE("curves: points, joints and bounds") {
  for (const char* basis : {"bezier", "b-spline", "catmull-rom"}) {
    Made m;
    namedBasis(basis, m.context.vBasis, m.context.vStep);
    const std::vector<int> counts{13, 7};
    const ParamList l = points(scattered(20));
    const GeometryPtr g = makeCurves(m.context, "cubic", counts, "nonperiodic", {&l, 1});
    REQUIRE(g);
    const CurveSet& set = *g->asCurves();
    for (int e = 0; e < 2; ++e) {
      // A segment begins with the bits that the one before ends with, as far as floats go.
      for (int s = 0; s + 1 < set.segments(e); ++s) {
        const Vec4 a = set.segment(e, s, 0).p[3], b = set.segment(e, s + 1, 0).p[0];
        CHECK(length(Vec3{a.x - b.x, a.y - b.y, a.z - b.z}) < 1e-5f);
      }
      for (const auto& [v0, v1] : {std::pair{0.0f, 1.0f}, {0.25f, 0.5f}, {0.4f, 0.45f}}) {
        const ElementBound b = set.elementBound(e, e + 1, v0, v1, 0);
        for (int i = 0; i <= 32; ++i) {
          const Vec2 uv{0, v0 + (v1 - v0) * static_cast<float>(i) / 32};
          Vec3 p;
          g->pointsAt(e, {&uv, 1}, 0, &p);
          CHECK(inside(b.box, p));
        }
      }
    }
  }
}

TEST_CASE("curves: cutting a segment keeps the curve; derivatives are those of the points") {
  CurveSegment s{{{0, 0, 0, 1}, {1, 2, 0, 1}, {3, -1, 1, 1}, {4, 0, 2, 1}}};
  CurveSegment part = s;
  cutSegment(part, 0.25f, 0.75f);
  for (const float t : {0.0f, 0.3f, 1.0f})
    CHECK(distance(curvePoint(part, t), curvePoint(s, 0.25f + 0.5f * t)) < 1e-5f);
  Vec3 d;
  curvePoint(s, 0.4f, &d);
  const Vec3 difference = (curvePoint(s, 0.401f) - curvePoint(s, 0.399f)) * 500.0f;
  CHECK(distance(d, difference) < 1e-2f);
}

TEST_CASE("curves: widths of each class") {
  Made m;
  namedBasis("b-spline", m.context.vBasis, m.context.vStep);
  const std::vector<int> counts{5, 5};
  const auto widthAt = [&](Param p, int segment, float t) {
    ParamList l = points(ramp(30));
    l.add(std::move(p));
    const GeometryPtr g = makeCurves(m.context, "cubic", counts, "nonperiodic", {&l, 1});
    return g->asCurves()->width({g->asCurves()->original(0) == 0 ? 0 : 1, segment, t}, 0);
  };
  CHECK(widthAt(param("constant float constantwidth", {0.5f}), 0, 0.3f) == 0.5f);
  CHECK(widthAt(param("uniform float width", {2, 3}), 1, 0.3f) == 2);
  CHECK(widthAt(param("varying float width", {1, 2, 3, 4, 5, 6}), 1, 0.5f) == doctest::Approx(2.5));
  CHECK(widthAt(param("vertex float width", ramp(10)), 0, 0.5f) == doctest::Approx(1.5));
  CHECK(widthAt(param("varying float other", ramp(6)), 0, 0) == 1);
}

TEST_CASE("curves: what cannot be drawn is said") {
  Made m;
  const ParamList l = points(ramp(12));
  const std::vector<int> four{4}, three{3}, negative{-1};
  CHECK(!makeCurves(m.context, "quadratic", four, "nonperiodic", {&l, 1}));
  CHECK(!makeCurves(m.context, "cubic", four, "sometimes", {&l, 1}));
  CHECK(!makeCurves(m.context, "cubic", three, "nonperiodic", {&l, 1}));
  CHECK(!makeCurves(m.context, "linear", negative, "nonperiodic", {&l, 1}));
  CHECK(!makeCurves(m.context, "linear", {}, "nonperiodic", {&l, 1}));
  CHECK(m.diag.all().size() >= 4);
}

TEST_CASE("curves: widths and normals of later motion keys") {
  const std::vector<int> two{2};
  const auto key = [](float width, Vec3 n) {
    return list({param("vertex point P", {0, 0, 0, 1, 0, 0}), param("constant float constantwidth", {width}),
                 param("varying normal N", {n.x, n.y, n.z, n.x, n.y, n.z})});
  };
  const auto make = [&](Made& m, std::vector<ParamList> keys) {
    return makeCurves(m.context, "linear", two, "nonperiodic", keys);
  };
  const CurvePlace middle[1] = {{0, 0, 0.5f}};
  {
    Made m;
    const auto g = make(m, {key(0.2f, {0, 0, -1}), key(0.4f, {0, -1, 0}), points({0, 0, 0, 1, 0, 0})});
    const CurveSet& set = *g->asCurves();
    CHECK(set.width(middle[0], 1) == 0.4f);
    CHECK(set.width(middle[0], 2) == 0.4f);  // given by the key before
    for (const int k : {0, 1, 2}) {
      Arena arena;
      VarBlock block(1);
      set.addNormals(k, middle, block, arena);
      const Var* n = block.find("N");
      REQUIRE(n);
      CHECK(n->plane(1)[0] == (k == 0 ? 0.0f : -1.0f));
    }
    CHECK(m.diag.all().empty());
  }
  {
    Made m;
    make(m, {key(0.2f, {0, 0, -1}), key(-3, {0, 0, -1})});
    CHECK(m.diag.hasCode("geom-bad-width"));
  }
  {
    Made m;
    make(m, {key(0.2f, {0, 0, 0})});
    CHECK(m.diag.hasCode("geom-bad-normal"));
  }
}
