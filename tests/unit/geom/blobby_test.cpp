// SPDX-License-Identifier: Apache-2.0
// Blobbies: ellipsoids and segments against their closed forms, operations against fields worked out here, closed
// surfaces, blended primvars, motion, faulty code.
#include "geom_check.h"

#include "reyes/geom/blobby_field.h"

namespace reyes::geom::test {
namespace {

std::vector<float> ellipsoid(float rx, float ry, float rz, Vec3 at) {
  return {rx, 0, 0, 0, 0, ry, 0, 0, 0, 0, rz, 0, at.x, at.y, at.z, 1};
}
std::vector<float> join(const std::vector<std::vector<float>>& parts) {
  std::vector<float> all;
  for (const std::vector<float>& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}
GeometryPtr make(Made& made, int leaves, const std::vector<int>& code, const std::vector<float>& floats,
                 std::vector<Param> params = {}) {
  const ParamList l = list(std::move(params));
  return makeBlobby(made.context, leaves, code, {&floats, 1}, {&l, 1});
}
/// The bump of a unit ball.
double bump(double r) { return r < 1 ? std::pow(1 - r * r, 3) : 0; }

void checkClosed(const Geometry& g) {
  for (const auto& [id, uses] : edgeUses(g)) CHECK(uses % 2 == 0);
}
/// Points of every face satisfy `wrong(P) < tolerance`; normals point out, along -gradient of wrong.
template <typename Field>
void checkField(const Geometry& g, Field field, double tolerance, int n = 2) {
  double worst = 0, turned = 1;
  for (int f = 0; f < g.faceCount(); ++f) {
    const Grid grid(g, f, {}, n, n);
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) {
        const Vec3 p = grid.triple("P", i, j), ng = grid.triple("Ng", i, j);
        worst = std::max(worst, std::abs(field(p) - 0.421875));
        const double h = 1e-3;
        const Vec3 out = p + ng * static_cast<float>(h), in = p - ng * static_cast<float>(h);
        turned = std::min(turned, field(in) - field(out));
      }
  }
  CHECK(worst < tolerance);
  CHECK(turned > 0);
}

}  // namespace

TEST_CASE("one ellipsoid: half as large as its matrix says, exact at grids of 4 and 256") {
  Made made;
  const auto g = make(made, 1, {1001, 0}, ellipsoid(2, 4, 1, {1, 2, 3}));
  REQUIRE(g);
  CHECK(made.diag.all().empty());
  CHECK(g->faceCount() > 50);
  for (int f = 0; f < g->faceCount(); f += 11)
    for (const int n : {2, 16}) {
      const Grid grid(*g, f, {}, n, n);
      for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
          const Vec3 p = grid.triple("P", i, j) - Vec3{1, 2, 3};
          CHECK(std::abs(std::sqrt(p.x * p.x + p.y * p.y / 4 + p.z * p.z * 4) - 1) < 2e-6f);
          CHECK(distance(grid.triple("Ng", i, j), normalize(Vec3{p.x, p.y / 4, p.z * 4})) < 1e-4f);
        }
    }
  // Derivatives against differences.
  const Grid fine(*g, 5, {0.25f, 0.75f, 0.25f, 0.75f}, 64, 64);
  CHECK(distance((fine.triple("P", 33, 32) - fine.triple("P", 31, 32)) * 64, fine.triple("dPdu", 32, 32)) <
        0.01f * length(fine.triple("dPdu", 32, 32)));
  CHECK(distance((fine.triple("P", 32, 33) - fine.triple("P", 32, 31)) * 64, fine.triple("dPdv", 32, 32)) <
        0.01f * length(fine.triple("dPdv", 32, 32)));
  checkClosed(*g);
  checkFaces(*g, 1e-5f);
  checkBounds(*g, 100);
  checkParts(*g, 3);
}

TEST_CASE("a segment is a capsule") {
  Made made;
  std::vector<float> floats = {-1, 0, 0, 1, 0, 0, 0.5f};
  const std::vector<float> unit = ellipsoid(1, 1, 1, {});
  floats.insert(floats.end(), unit.begin(), unit.end());
  const auto g = make(made, 1, {1002, 0}, floats);
  REQUIRE(g);
  for (int f = 0; f < g->faceCount(); ++f) {
    const Grid grid(*g, f, {}, 4, 4);
    for (int k = 0; k < 25; ++k) {
      const Vec3 p = grid.triple("P", k % 5, k / 5);
      const Vec3 near{std::clamp(p.x, -1.0f, 1.0f), 0, 0};
      CHECK(std::abs(distance(p, near) - 0.25f) < 1e-6f);
    }
  }
  checkClosed(*g);
  checkFaces(*g, 1e-5f, 80);
}

TEST_CASE("operations: sums, products, greatest, least, differences, quotients, negation") {
  const std::vector<float> two = join({ellipsoid(1, 1, 1, {0.4f, 0, 0}), ellipsoid(1, 1, 1, {-0.4f, 0, 0}), {0.2f, 2}});
  const auto a = [](Vec3 p) { return bump(distance(p, {0.4f, 0, 0})); };
  const auto b = [](Vec3 p) { return bump(distance(p, {-0.4f, 0, 0})); };
  struct Case {
    std::vector<int> code;
    int leaves;
    std::function<double(Vec3)> field;
  };
  const std::vector<Case> cases = {
      {{1001, 0, 1001, 16, 0, 2, 0, 1}, 2, [&](Vec3 p) { return a(p) + b(p); }},
      {{1001, 0, 1001, 16, 1, 2, 0, 1}, 2, [&](Vec3 p) { return a(p) * b(p); }},
      {{1001, 0, 1001, 16, 2, 2, 0, 1}, 2, [&](Vec3 p) { return std::max(a(p), b(p)); }},
      {{1001, 0, 1001, 16, 3, 2, 0, 1}, 2, [&](Vec3 p) { return std::min(a(p), b(p)); }},
      {{1001, 0, 1001, 16, 4, 0, 1}, 2, [&](Vec3 p) { return a(p) - b(p); }},
      {{1001, 0, 1000, 33, 5, 0, 1}, 2, [&](Vec3 p) { return a(p) / 2; }},
      {{1001, 0, 1001, 16, 6, 1, 4, 0, 2, 7, 3}, 2, [&](Vec3 p) { return a(p) + b(p); }},
      {{1001, 0, 1001, 16, 1000, 32, 0, 3, 0, 1, 2}, 3, [&](Vec3 p) { return a(p) + b(p) + 0.2; }}};
  for (const Case& c : cases) {
    Made made;
    const auto g = make(made, c.leaves, c.code, two);
    const bool empty = c.code[4] == 1 && c.code[5] == 2 && c.leaves == 2 && c.code.size() == 8;
    if (empty && !g) continue;  // the product may reach the threshold nowhere
    REQUIRE(g);
    CHECK(made.diag.all().empty());
    checkField(*g, c.field, 2e-6);
    checkClosed(*g);
    checkBounds(*g, 40);
    // Where greatest and least meet there is an edge: no normal for a whole quad.
    if (c.code[4] != 2 && c.code[4] != 3) checkFaces(*g, 1e-4f, 40);
  }
}

TEST_CASE("no face of a blobby jumps, also where blobs touch, at creases and where fields break off") {
  const std::vector<float> thin = join({ellipsoid(1, 1, 1, {}), ellipsoid(1.5f, 0.6f, 0.6f, {0.7f, 0, 0})});
  for (const std::vector<int>& operation : std::vector<std::vector<int>>{{2, 2, 0, 1}, {4, 0, 1}, {5, 0, 1}}) {
    std::vector<int> code = {1001, 0, 1001, 16};
    code.insert(code.end(), operation.begin(), operation.end());
    Made made;
    const auto g = make(made, 2, code, thin);
    REQUIRE(g);
    constexpr int n = 16;
    double worst = 0;
    for (int f = 0; f < g->faceCount(); f += 5) {
      const Grid grid(*g, f, {}, n, n);
      const auto at = [&](int i, int j) { return grid.triple("P", i, j); };
      const double size = std::max(distance(at(0, 0), at(n, n)), distance(at(n, 0), at(0, n)));
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          worst = std::max<double>(
              {worst, distance(at(i, j), at(i + 1, j)) * n / size, distance(at(i, j), at(i, j + 1)) * n / size});
    }
    CHECK(worst < 8);
  }
}

TEST_CASE("primvars of a blobby: one value a leaf, blended as the leaves are; nothing else costs") {
  Made made;
  const std::vector<float> floats = join({ellipsoid(1, 1, 1, {0.3f, 0, 0}), ellipsoid(1, 1, 1, {-0.3f, 0, 0})});
  const std::vector<Param> params = {param("vertex color Cs", {1, 0, 0, 0, 0, 1}), param("varying float w", {2, 4}),
                                     param("constant float k", {7}), param("uniform float n", {8})};
  for (const int op : {0, 2}) {
    const auto g = make(made, 2, {1001, 0, 1001, 16, op, 2, 0, 1}, floats, params);
    REQUIRE(g);
    for (int f = 0; f < g->faceCount(); ++f) {
      const Grid grid(*g, f, {}, 2, 2, {"Cs", "w", "k", "n"});
      for (int k = 0; k < 9; ++k) {
        const Vec3 p = grid.triple("P", k % 3, k / 3), c = grid.triple("Cs", k % 3, k / 3);
        double a = bump(distance(p, {0.3f, 0, 0})), b = bump(distance(p, {-0.3f, 0, 0}));
        if (op == 2 && std::abs(a - b) < 1e-4) continue;
        if (op == 2) (a > b ? b : a) = 0;
        CHECK(c.x == doctest::Approx(a / (a + b)).epsilon(1e-3));
        CHECK(c.z == doctest::Approx(b / (a + b)).epsilon(1e-3));
        CHECK(grid.value("w", k % 3, k / 3) == doctest::Approx((2 * a + 4 * b) / (a + b)).epsilon(1e-3));
      }
      CHECK(grid.value("k", 0, 0) == 7);
      CHECK(grid.value("n", 0, 0) == 8);
    }
    checkParts(*g, 2, {"Cs", "w"});
  }
  CHECK(made.diag.all().empty());
}

TEST_CASE("a blobby moves with its leaves") {
  Made made;
  const std::vector<float> floats[2] = {join({ellipsoid(1, 1, 1, {0, 0, 0}), ellipsoid(0.5f, 0.5f, 0.5f, {2, 0, 0})}),
                                        join({ellipsoid(1, 1, 1, {0, 1, 0}), ellipsoid(1, 0.5f, 0.5f, {2, 0, 0})})};
  const ParamList none[2];
  const std::vector<int> code = {1001, 0, 1001, 16, 0, 2, 0, 1};
  const auto g = makeBlobby(made.context, 2, code, floats, none);
  REQUIRE(g);
  REQUIRE(g->keyCount() == 2);
  for (int f = 0; f < g->faceCount(); ++f) {
    const Grid a(*g, f, {}, 2, 2), b(*g, f, {}, 2, 2, {}, 1);
    for (int k = 0; k < 9; ++k) {
      const Vec3 p = a.triple("P", k % 3, k / 3), q = b.triple("P", k % 3, k / 3);
      if (p.x < 1) {
        CHECK(std::abs(length(p) - 0.5f) < 1e-6f);
        CHECK(distance(p + Vec3{0, 1, 0}, q) < 1e-5f);
      } else {
        const Vec3 d = q - Vec3{2, 0, 0};
        CHECK(std::abs(std::sqrt(d.x * d.x / 0.25f + d.y * d.y / 0.0625f + d.z * d.z / 0.0625f) - 1) < 1e-5f);
      }
    }
  }
  checkFaces(*g, 1e-5f, 60);
}

TEST_CASE("repelling planes: the formula, its slope, and ranges that hold it") {
  const Repulsion r{2, 0.1, 0.5, 0.7};
  CHECK(r.value(2) == 0);
  CHECK(r.value(5) == 0);
  // At the height of the bulge: d - b / z, faded by a smooth step of z / a.
  CHECK(r.value(0.5) == doctest::Approx((0.7 - 0.2) * (1 - 0.0625 * 2.5)));
  CHECK(r.value(1.5) == doctest::Approx((-0.1 / 1.5) * (1 - 0.5625 * 1.5)));
  CHECK(r.value(-3) == r.value(1e-6));
  for (const double z : {0.05, 0.3, 0.5, 0.8, 1.2, 1.9})
    CHECK(r.slope(z) == doctest::Approx((r.value(z + 1e-6) - r.value(z - 1e-6)) / 2e-6).epsilon(1e-4));
  std::mt19937 random(4);
  for (int n = 0; n < 500; ++n) {
    double a = random() % 1000 / 400.0 - 0.2, b = a + random() % 100 / 100.0, least, greatest;
    r.range(a, b, least, greatest);
    for (int k = 0; k <= 20; ++k) {
      const double f = r.value(a + (b - a) * k / 20);
      CHECK((f >= least - 1e-12 && f <= greatest + 1e-12));
    }
  }
}

TEST_CASE("a blobby stays above its ground, and what is high above it knows nothing of it") {
  // A picture of 32 x 32 pixels from above: one unit a pixel around the origin, ground with a ramp and a step.
  std::vector<float> depths;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) depths.push_back(x < 2 ? Bound3::kInf : 10 - 0.05f * static_cast<float>(x) - (y > 20));
  // x right, y (the picture's down) along z, the view along -y from height 10.
  Matrix4 camera, pixel;
  const float c[4][4] = {{1, 0, 0, 0}, {0, 0, -1, 0}, {0, 1, 0, 0}, {0, 0, 10, 1}};
  const float q[4][4] = {{8, 0, 0, 0}, {0, 0, 0, 0}, {0, 8, 0, 0}, {16, 16, 0, 1}};
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) camera.m[i][j] = c[i][j], pixel.m[i][j] = q[i][j];
  const auto plane = std::make_shared<DepthPlane>(32, 32, depths, camera, pixel);
  double z;
  Double3 g;
  REQUIRE(plane->height({0, 3, 0}, z, &g));
  CHECK(z == doctest::Approx(10 - 0.05 * 15.5 - 7));
  CHECK(g.y == doctest::Approx(1));
  CHECK(g.x == doctest::Approx(-0.4));
  CHECK_FALSE(plane->height({-1.9, 3, 0}, z, nullptr));
  CHECK_FALSE(plane->height({9, 3, 0}, z, nullptr));
  std::mt19937 random(8);
  for (int n = 0; n < 300; ++n) {
    Bound3 box;
    for (int k = 0; k < 2; ++k) {
      const auto f = [&] { return static_cast<float>(random() % 1000) / 250 - 2; };
      box.add(Vec3{f(), f(), f()});
    }
    double least, greatest;
    plane->heights(box, least, greatest);
    for (int k = 0; k < 27; ++k) {
      const auto mixed = [](float a, float b, int i) { return lerp(a, b, static_cast<float>(i) / 2); };
      const Vec3 p{mixed(box.min.x, box.max.x, k % 3), mixed(box.min.y, box.max.y, k / 3 % 3),
                   mixed(box.min.z, box.max.z, k / 9)};
      if (plane->height(toDouble(p), z, nullptr)) CHECK((z >= least && z <= greatest));
    }
  }
  const auto blob = [&](float height, bool repelled, Made& m) {
    m.context.depthPlanes = {plane};
    const std::vector<float> floats = join({ellipsoid(1, 1, 1, {0.3f, height, 0.2f}), {1, 0.05f, 0.3f, 0.2f}});
    return repelled ? make(m, 2, {1001, 0, 1003, 0, 16, 0, 2, 0, 1}, floats) : make(m, 1, {1001, 0}, floats);
  };
  // Near: nothing under the ground, and wider than it was.
  Made near, far, plain;
  const auto low = blob(1.1f, true, near), high = blob(6, true, far), alone = blob(6, false, plain);
  REQUIRE((low && high && alone));
  CHECK(near.diag.all().empty());
  int below = 0, worse = 0;
  for (int f = 0; f < low->faceCount(); ++f) {
    const Grid grid(*low, f, {}, 2, 2);
    for (int k = 0; k < 9; ++k) {
      const Vec3 p = grid.triple("P", k % 3, k / 3);
      if (!plane->height(toDouble(p), z, nullptr)) continue;
      below += z <= 0 ? 1 : 0;
      // On the surface the two fields add up to the threshold.
      const double own = bump(length(p - Vec3{0.3f, 1.1f, 0.2f})), sum = own + Repulsion{1, 0.05, 0.3, 0.2}.value(z);
      worse += std::abs(sum - 0.421875) > 1e-3 ? 1 : 0;
    }
  }
  CHECK(below == 0);
  CHECK(worse == 0);
  REQUIRE(high->faceCount() == alone->faceCount());
  for (int f = 0; f < high->faceCount(); f += 7)
    CHECK(sameBits(Grid(*high, f, {}, 2, 2).triple("P", 1, 1), Grid(*alone, f, {}, 2, 2).triple("P", 1, 1)));
}

TEST_CASE("a blobby's code: what is wrong is named, and never read beyond its end") {
  const std::vector<float> one = ellipsoid(1, 1, 1, {}), flat = ellipsoid(1, 0, 1, {});
  std::vector<float> nan = one;
  nan[5] = NAN;
  const auto codes = [](const std::vector<int>& code, const std::vector<float>& floats, bool drawn, int leaves = 1) {
    Made made;
    CHECK((make(made, leaves, code, floats) != nullptr) == drawn);
    std::string all;
    for (const Diagnostic& d : made.diag.all()) all += d.code + " ";
    return all;
  };
  CHECK(codes({}, one, false) == "geom-bad-code ");
  CHECK(codes({1001}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, 1}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, -1}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, 0, 0, 2, 0, 1}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, 0, 0, 2, 0}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, 0, 0, 2000000000, 0}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, 0, 0, -2, 0}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, 0, 8, 0}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, 0, 1099, 0}, one, false) == "geom-bad-code ");
  CHECK(codes({1001, 0}, nan, false) == "geom-not-finite ");
  CHECK(codes({1001, 0}, flat, false) == "geom-degenerate geom-degenerate ");
  CHECK(codes({1001, 0}, one, true, 3) == "geom-bad-count ");
  CHECK(codes({1001, 0, 1003, 0, 0, 0, 2, 0, 1}, one, false, 2) == "geom-bad-code ");  // no such string
  CHECK(codes({1001, 0, 1004, 0, 0, 0, 0, 0, 0, 2, 0, 1}, one, true, 2) == "not-built ");
  // Results used again and again are no trouble.
  std::vector<int> deep = {1001, 0};
  for (int k = 0; k < 200; ++k) deep.insert(deep.end(), {3, 2, k, k});
  CHECK(codes(deep, one, true) == "");
}

}  // namespace reyes::geom::test
