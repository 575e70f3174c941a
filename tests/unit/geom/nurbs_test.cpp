// SPDX-License-Identifier: Apache-2.0
// NURBS: closed forms (circle, cylinder, sphere), orders, knots, ranges, seams and poles, primvars a class.
#include "geom_check.h"

namespace reyes::geom::test {
namespace {

const float kHalf = static_cast<float>(std::sqrt(0.5));
const std::vector<float> kCircleKnots = {0, 0, 0, 0.25f, 0.25f, 0.5f, 0.5f, 0.75f, 0.75f, 1, 1, 1};
const std::vector<float> kArcKnots = {0, 0, 0, 0.5f, 0.5f, 1, 1, 1};
const std::vector<float> kLineKnots = {0, 0, 1, 1};
/// Nine points of a circle as x, y, weight.
const float kCircle[9][3] = {{1, 0, 1},       {1, 1, kHalf}, {0, 1, 1},      {-1, 1, kHalf}, {-1, 0, 1},
                             {-1, -1, kHalf}, {0, -1, 1},    {1, -1, kHalf}, {1, 0, 1}};

std::vector<float> cylinderPoints() {
  std::vector<float> p;
  for (int j = 0; j < 2; ++j)
    for (const auto& c : kCircle) p.insert(p.end(), {c[0] * c[2], c[1] * c[2], static_cast<float>(j) * 2 * c[2], c[2]});
  return p;
}

/// Circles about z along a half circle from the south pole to the north one.
std::vector<float> spherePoints() {
  const float half[5][3] = {{0, -1, 1}, {1, -1, kHalf}, {1, 0, 1}, {1, 1, kHalf}, {0, 1, 1}};
  std::vector<float> p;
  for (const auto& h : half)
    for (const auto& c : kCircle) {
      const float w = h[2] * c[2];
      p.insert(p.end(), {h[0] * c[0] * w, h[0] * c[1] * w, h[1] * w, w});
    }
  return p;
}

ParamList hpoints(std::vector<float> p) { return list({param("vertex hpoint Pw", std::move(p))}); }

std::vector<float> sheet(int nu, int nv, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> p;
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i)
      p.insert(p.end(), {static_cast<float>(i) + static_cast<float>(random() % 100) * 0.003f,
                         static_cast<float>(j) + static_cast<float>(random() % 100) * 0.003f,
                         static_cast<float>(random() % 100) * 0.01f});
  return p;
}

/// Cox-de Boor in doubles: the slow way that everyone knows.
double basis(const std::vector<float>& t, size_t i, int order, double x, double last) {
  if (order == 1) return (x >= t[i] && x < t[i + 1]) || (x == last && t[i] < x && t[i + 1] == x) ? 1 : 0;
  const size_t n = static_cast<size_t>(order);
  const double a = double(t[i + n - 1]) - t[i], b = double(t[i + n]) - t[i + 1];
  return (a > 0 ? (x - t[i]) / a * basis(t, i, order - 1, x, last) : 0) +
         (b > 0 ? (t[i + n] - x) / b * basis(t, i + 1, order - 1, x, last) : 0);
}

Vec3 reference(const NurbsDirection& u, const NurbsDirection& v, const std::vector<float>& p, int width, double x,
               double y) {
  double sum[4] = {};
  const std::vector<float> ku(u.knots.begin(), u.knots.end()), kv(v.knots.begin(), v.knots.end());
  for (int j = 0; j < v.n; ++j)
    for (int i = 0; i < u.n; ++i) {
      const double b = basis(ku, static_cast<size_t>(i), u.order, x, ku[static_cast<size_t>(u.n)]) *
                       basis(kv, static_cast<size_t>(j), v.order, y, kv[static_cast<size_t>(v.n)]);
      for (int c = 0; c < width; ++c) sum[c] += b * p[static_cast<size_t>((j * u.n + i) * width + c)];
    }
  const double w = width == 4 ? sum[3] : 1;
  return {float(sum[0] / w), float(sum[1] / w), float(sum[2] / w)};
}

void checkAll(const Geometry& g, float tolerance = 2e-5f) {
  checkFaces(g, tolerance);
  checkBounds(g, 60);
  checkParts(g, g.faceCount() - 1);
}

/// P against the reference, and derivatives against differences of it, at places of every face.
void checkSurface(const Geometry& g, const NurbsDirection& u, const NurbsDirection& v, const std::vector<float>& p,
                  int width, float tolerance) {
  for (int f = 0; f < g.faceCount(); ++f) {
    const Grid grid(g, f, {}, 4, 4);
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i) {
        const double x = grid.value("u", i, j), y = grid.value("v", i, j), h = 1e-4;
        CHECK(distance(grid.triple("P", i, j), reference(u, v, p, width, x, y)) < tolerance);
        if (i == 0 || j == 0) continue;
        const auto slope = [&](double a, double b) {
          const Vec3 q = reference(u, v, p, width, x + a, y + b), r = reference(u, v, p, width, x - a, y - b);
          return (q - r) / static_cast<float>(2 * (a + b));
        };
        const Vec3 du = grid.triple("dPdu", i, j), dv = grid.triple("dPdv", i, j);
        CHECK(distance(slope(h, 0), du) < 0.01f * (1 + length(du)));
        CHECK(distance(slope(0, h), dv) < 0.01f * (1 + length(dv)));
      }
  }
}

}  // namespace

TEST_CASE("rational cylinder: round to rounding, closed, exact normals, grids of 4 and 256") {
  Made made;
  const ParamList p = hpoints(cylinderPoints());
  const auto g = makeNuPatch(made.context, {9, 3, kCircleKnots, 0, 1}, {2, 2, kLineKnots, 0, 1}, {&p, 1});
  REQUIRE(g);
  CHECK(g->faceCount() == 4);
  for (int f = 0; f < 4; ++f)
    for (const int n : {2, 16}) {
      const Grid grid(*g, f, {}, n, n);
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
          const Vec3 q = grid.triple("P", i, j), ng = grid.triple("Ng", i, j);
          CHECK(std::abs(std::sqrt(q.x * q.x + q.y * q.y) - 1) < 1e-6f);
          CHECK(distance(ng, {q.x, q.y, 0}) < 1e-5f);
          CHECK(std::abs(q.z - 2 * static_cast<float>(j) / static_cast<float>(n)) < 1e-6f);
        }
    }
  CHECK(g->edge(0, Side::kU0).id == g->edge(3, Side::kU1).id);
  CHECK(g->vertex(0, 2).id == g->vertex(3, 3).id);
  CHECK(made.diag.all().empty());
  checkAll(*g, 1e-6f);
}

TEST_CASE("rational sphere: exact, one vertex a pole, every edge on two faces; mirrored too") {
  for (const float mirror : {1.0f, -1.0f}) {
    Made made;
    std::vector<float> points = spherePoints();
    for (size_t i = 0; i < points.size(); i += 4) points[i] *= mirror;
    const ParamList p = hpoints(points);
    const auto g = makeNuPatch(made.context, {9, 3, kCircleKnots, 0, 1}, {5, 3, kArcKnots, 0, 1}, {&p, 1});
    REQUIRE(g);
    CHECK(g->faceCount() == 8);
    for (int f = 0; f < 8; ++f) {
      const Grid grid(*g, f, {}, 16, 16);
      for (int j = 0; j <= 16; ++j)
        for (int i = 0; i <= 16; ++i) {
          const Vec3 q = grid.triple("P", i, j);
          CHECK(std::abs(length(q) - 1) < 1e-6f);
          CHECK(distance(grid.triple("Ng", i, j), q * mirror) < 2e-3f);
        }
      CHECK(g->edge(f, f < 4 ? Side::kV0 : Side::kV1).point);
      CHECK(g->vertex(f, f < 4 ? 0 : 2).id == g->vertex(f, f < 4 ? 1 : 3).id);
    }
    CHECK(g->vertex(0, 0).id == g->vertex(3, 1).id);
    for (const auto& [id, uses] : edgeUses(*g)) CHECK(uses == 2);
    checkAll(*g, 1e-6f);
  }
}

TEST_CASE("any order and knot vector: against Cox and de Boor") {
  std::mt19937 random(3);
  for (const auto& [nu, ou, nv, ov] :
       {std::array{5, 2, 4, 4}, {6, 3, 7, 4}, {8, 6, 5, 3}, {7, 5, 9, 8}, {4, 4, 12, 11}}) {
    Made made;
    const auto knots = [&](int n, int order) {
      std::vector<float> k = {-1};
      while (static_cast<int>(k.size()) < n + order) k.push_back(k.back() + static_cast<float>(random() % 4) * 0.5f);
      k[static_cast<size_t>(order)] =
          std::max(k[static_cast<size_t>(order)], k[static_cast<size_t>(order - 1)] + 0.25f);
      std::sort(k.begin(), k.end());
      return k;
    };
    const std::vector<float> ku = knots(nu, ou), kv = knots(nv, ov), flat = sheet(nu, nv, 5);
    std::vector<float> rational;
    for (size_t i = 0; i < flat.size(); i += 3) {
      const float w = 0.5f + static_cast<float>(random() % 100) * 0.01f;
      rational.insert(rational.end(), {flat[i] * w, flat[i + 1] * w, flat[i + 2] * w, w});
    }
    const auto direction = [](int n, int order, const std::vector<float>& k) {
      return NurbsDirection{n, order, k, k[static_cast<size_t>(order - 1)], k[static_cast<size_t>(n)]};
    };
    const NurbsDirection u = direction(nu, ou, ku), v = direction(nv, ov, kv);
    const ParamList p = points(flat), pw = hpoints(rational);
    const auto g = makeNuPatch(made.context, u, v, {&p, 1}), r = makeNuPatch(made.context, u, v, {&pw, 1});
    REQUIRE(g);
    REQUIRE(r);
    checkSurface(*g, u, v, flat, 3, 2e-5f);
    checkSurface(*r, u, v, rational, 4, 2e-5f);
    checkAll(*g);
    checkAll(*r, 1e-4f);
  }
}

TEST_CASE("a knot put in leaves the surface as it was") {
  Made made;
  // Boehm's insertion of 0.3 into a clamped cubic of six points, along u.
  const std::vector<float> k = {0, 0, 0, 0, 0.25f, 0.75f, 1, 1, 1, 1}, kv = {0, 0, 1, 1};
  const std::vector<float> coarse = sheet(6, 2, 9);
  std::vector<float> knots = k, fine;
  knots.insert(knots.begin() + 5, 0.3f);
  for (size_t j = 0; j < 2; ++j)
    for (size_t i = 0; i < 7; ++i)
      for (size_t c = 0; c < 3; ++c) {
        const auto at = [&](size_t n) { return double(coarse[(j * 6 + n) * 3 + c]); };
        const double a = i <= 1 ? 1 : i >= 5 ? 0 : (double(0.3f) - k[i]) / (double(k[i + 3]) - k[i]);
        fine.push_back(static_cast<float>((a < 1 ? (1 - a) * at(i - 1) : 0) + (a > 0 ? a * at(i) : 0)));
      }
  const ParamList a = points(coarse), b = points(fine);
  const auto g = makeNuPatch(made.context, {6, 4, k, 0, 1}, {2, 2, kv, 0, 1}, {&a, 1});
  const auto h = makeNuPatch(made.context, {7, 4, knots, 0, 1}, {2, 2, kv, 0, 1}, {&b, 1});
  REQUIRE(g->faceCount() == 3);
  REQUIRE(h->faceCount() == 4);
  for (int i = 0; i <= 8; ++i) {
    // The face from 0.3 to 0.75 against the one from 0.25 to 0.75.
    const float x = 0.3f + 0.45f * static_cast<float>(i) / 8;
    const Vec2 uv{static_cast<float>(i) / 8, 0.5f}, other{(x - 0.25f) / 0.5f, 0.5f};
    Vec3 p, q;
    h->pointsAt(2, {&uv, 1}, 0, &p);
    g->pointsAt(1, {&other, 1}, 0, &q);
    CHECK(distance(p, q) < 2e-6f);
  }
}

TEST_CASE("periodic knots close bit for bit; ranges cut; knots that repeat make no face") {
  Made made;
  // A closed cubic ring: the first three columns come again.
  std::vector<float> ring, knots;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 9; ++i)
      ring.insert(ring.end(), {static_cast<float>(std::cos(i % 6 * 1.0472)),
                               static_cast<float>(std::sin(i % 6 * 1.0472)), static_cast<float>(j)});
  for (int i = 0; i < 13; ++i) knots.push_back(static_cast<float>(i) * 0.1f);
  const ParamList p = points(ring);
  const auto g = makeNuPatch(made.context, {9, 4, knots, 0.3f, 0.9f}, {2, 2, kLineKnots, 0, 1}, {&p, 1});
  REQUIRE(g);
  CHECK(g->faceCount() == 6);
  CHECK(g->edge(0, Side::kU0).id == g->edge(5, Side::kU1).id);
  CHECK(made.diag.all().empty());
  checkAll(*g);
  // Half a span at both ends; u is in knots, s over the unit square.
  const auto part = makeNuPatch(made.context, {9, 4, knots, 0.45f, 0.75f}, {2, 2, kLineKnots, 0.5f, 1}, {&p, 1});
  REQUIRE(part);
  CHECK(part->faceCount() == 4);
  const Grid first(*part, 0, {}, 2, 2), last(*part, 3, {}, 2, 2);
  CHECK(first.value("u", 0, 0) == doctest::Approx(0.45));
  CHECK(last.value("u", 2, 0) == doctest::Approx(0.75));
  CHECK(first.value("s", 0, 0) == doctest::Approx(0));
  CHECK(last.value("s", 2, 2) == doctest::Approx(1));
  CHECK(last.value("t", 2, 2) == doctest::Approx(1));
  CHECK(first.value("v", 0, 0) == 0.5f);
  checkAll(*part);
  checkSurface(*part, {9, 4, knots, 0, 0}, {2, 2, kLineKnots, 0, 1}, ring, 3, 2e-5f);
  // A knot that is there as often as the order tears the surface.
  const std::vector<float> torn = {0, 0, 0.5f, 0.5f, 1, 1};
  const ParamList q = points(sheet(4, 2, 2));
  const auto two = makeNuPatch(made.context, {4, 2, torn, 0, 1}, {2, 2, kLineKnots, 0, 1}, {&q, 1});
  REQUIRE(two->faceCount() == 2);
  CHECK(two->edge(0, Side::kU1).id != two->edge(1, Side::kU0).id);
  checkAll(*two);
}

TEST_CASE("primvars of a NURBS: vertex in its basis, varying and uniform a knot interval") {
  Made made;
  // Three intervals along u, the middle one of length zero.
  const std::vector<float> k = {0, 0, 0.5f, 0.5f, 1, 1};
  std::vector<float> w = {0, 1, 2, 3, 10, 11, 12, 13};
  const ParamList p = list({param("vertex point P", sheet(4, 2, 4)), param("vertex float w", {0, 1, 1, 2, 4, 5, 5, 6}),
                            param("varying float a", w), param("uniform float n", {7, 8, 9}),
                            param("constant color c", {1, 2, 3}), param("facevarying float fv", w)});
  const auto g = makeNuPatch(made.context, {4, 2, k, 0, 0.75f}, {2, 2, kLineKnots, 0, 1}, {&p, 1});
  REQUIRE(g->faceCount() == 2);
  CHECK(made.diag.all().empty());
  const std::vector<Name> names = {"w", "a", "n", "c", "fv"};
  const Grid left(*g, 0, {}, 2, 2, names), right(*g, 1, {}, 2, 2, names);
  CHECK(left.value("w", 1, 0) == doctest::Approx(0.5));
  CHECK(left.value("a", 2, 0) == doctest::Approx(1));
  CHECK(left.value("n", 0, 0) == 7);
  CHECK(right.value("n", 0, 0) == 9);
  CHECK(right.value("a", 0, 0) == doctest::Approx(2));
  CHECK(right.value("a", 2, 2) == doctest::Approx(12.5));
  CHECK(right.value("fv", 2, 2) == doctest::Approx(12.5));
  CHECK(right.value("w", 2, 0) == doctest::Approx(1.5));
  CHECK(right.triple("c", 0, 0) == Vec3{1, 2, 3});
  checkParts(*g, 1, names);
}

TEST_CASE("NURBS: what is wrong is named") {
  const ParamList p = points(sheet(4, 4, 1));
  const std::vector<float> good = {0, 0, 0, 0, 1, 1, 1, 1}, down = {0, 0, 0, 1, 0, 1, 1, 1}, few = {0, 0, 1},
                           nan = {0, 0, 0, NAN, 1, 1, 1, 1}, one(8, 0.5f);
  const auto make = [&](NurbsDirection u) {
    Made made;
    const auto g = makeNuPatch(made.context, u, {4, 4, good, 0, 1}, {&p, 1});
    std::string codes;
    for (const Diagnostic& d : made.diag.all()) codes += d.code;
    return std::pair(g != nullptr, codes);
  };
  CHECK(make({4, 4, good, 0, 1}) == std::pair(true, std::string()));
  for (const std::vector<float>* bad : {&down, &few, &nan, &one})
    CHECK(make({4, 4, *bad, 0, 1}) == std::pair(false, std::string("geom-bad-knots")));
  CHECK(make({4, 1, good, 0, 1}) == std::pair(false, std::string("geom-bad-knots")));
  CHECK(make({4, 99, good, 0, 1}) == std::pair(false, std::string("geom-bad-knots")));
  CHECK(make({3, 5, good, 0, 1}) == std::pair(false, std::string("geom-bad-knots")));
  CHECK(make({4, 4, good, -1, 3}) == std::pair(true, std::string("geom-bad-range")));
  CHECK(make({4, 4, good, 0.7f, 0.2f}) == std::pair(true, std::string("geom-bad-range")));
  // Keys, and points that are not finite.
  Made made;
  const ParamList keys[2] = {points(sheet(4, 4, 1)), points(sheet(4, 4, 2))};
  const auto moving = makeNuPatch(made.context, {4, 4, good, 0, 1}, {4, 4, good, 0, 1}, keys);
  REQUIRE(moving);
  CHECK(moving->keyCount() == 2);
  checkAll(*moving);
  std::vector<float> spoiled = sheet(4, 4, 1);
  spoiled[0] = INFINITY;
  const ParamList bad = points(spoiled);
  CHECK_FALSE(makeNuPatch(made.context, {4, 4, good, 0, 1}, {4, 4, good, 0, 1}, {&bad, 1}));
  CHECK(made.diag.hasCode("geom-not-finite"));
}

}  // namespace reyes::geom::test
