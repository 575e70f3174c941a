// SPDX-License-Identifier: Apache-2.0
// Bilinear and bicubic patches and meshes: bases, wraps, rational, borders shared bit for bit, primvars a class.
#include "geom_check.h"

#include "reyes/geom/patch_kernels.h"

namespace reyes::geom::test {
namespace {

/// A bumpy sheet of nu x nv points.
std::vector<float> sheet(int nu, int nv, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<float> p;
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i) {
      p.push_back(static_cast<float>(i) + static_cast<float>(random() % 100) * 0.003f);
      p.push_back(static_cast<float>(j) + static_cast<float>(random() % 100) * 0.003f);
      p.push_back(static_cast<float>(random() % 100) * 0.01f);
    }
  return p;
}

void checkAll(const Geometry& g, float tolerance = 2e-5f) {
  checkFaces(g, tolerance);
  checkBounds(g, 60);
  checkParts(g, g.faceCount() - 1);
}

}  // namespace

TEST_CASE("bilinear patch: points, tangents, normal, parameters") {
  Made made;
  const ParamList p =
      list({param("vertex point P", {0, 0, 0, 2, 0, 0, 0, 3, 0, 2, 3, 1}), param("varying float w", {0, 1, 2, 4}),
            param("vertex color c", {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 1})});
  const auto g = makePatch(made.context, "bilinear", {&p, 1});
  const Grid grid(*g, 0, {}, 4, 4, {"w", "c"});
  CHECK(distance(grid.triple("P", 2, 2), {1, 1.5f, 0.25f}) < 1e-6f);
  CHECK(distance(grid.triple("dPdu", 2, 2), {2, 0, 0.5f}) < 1e-6f);
  CHECK(distance(grid.triple("dPdv", 2, 2), {0, 3, 0.5f}) < 1e-6f);
  CHECK(grid.value("w", 2, 2) == 1.75f);
  CHECK(grid.triple("c", 4, 0) == Vec3{1, 0, 0});
  checkAll(*g);
}

TEST_CASE("bicubic Bezier patch: against de Casteljau in doubles") {
  Made made;
  const ParamList p = points(sheet(4, 4));
  const auto g = makePatch(made.context, "bicubic", {&p, 1});
  const std::vector<float>& cv = p.all()[0].floats;
  const Grid grid(*g, 0, {}, 8, 8);
  for (int j = 0; j <= 8; ++j)
    for (int i = 0; i <= 8; ++i) {
      const double u = i / 8.0, v = j / 8.0;
      const double bu[4] = {(1 - u) * (1 - u) * (1 - u), 3 * u * (1 - u) * (1 - u), 3 * u * u * (1 - u), u * u * u};
      const double bv[4] = {(1 - v) * (1 - v) * (1 - v), 3 * v * (1 - v) * (1 - v), 3 * v * v * (1 - v), v * v * v};
      double q[3] = {};
      for (int k = 0; k < 48; ++k) q[k % 3] += cv[static_cast<size_t>(k)] * bu[k / 3 % 4] * bv[k / 12];
      CHECK(distance(grid.triple("P", i, j), {float(q[0]), float(q[1]), float(q[2])}) < 2e-6f);
    }
  // Tangents against differences.
  const Grid fine(*g, 0, {0.5f, 0.5f + 1.0f / 256, 0.5f, 0.5f + 1.0f / 256}, 1, 1);
  CHECK(distance((fine.triple("P", 1, 0) - fine.triple("P", 0, 0)) * 256, fine.triple("dPdu", 0, 0)) < 0.03f);
  CHECK(distance((fine.triple("P", 0, 1) - fine.triple("P", 0, 0)) * 256, fine.triple("dPdv", 0, 0)) < 0.03f);
  checkAll(*g);
}

TEST_CASE("named bases: known values, meshes share their inner borders") {
  for (const char* name : {"bezier", "b-spline", "catmull-rom", "hermite"}) {
    Made made;
    REQUIRE(namedBasis(name, made.context.uBasis, made.context.uStep));
    made.context.vBasis = made.context.uBasis, made.context.vStep = made.context.uStep;
    const int n = 4 + 3 * made.context.uStep;
    const ParamList p = points(sheet(n, n));
    const auto g = makePatchMesh(made.context, "bicubic", n, "nonperiodic", n, "nonperiodic", {&p, 1});
    REQUIRE(g);
    CHECK(g->faceCount() == 16);
    CHECK(edgeUses(*g).size() == 40);
    CHECK(g->edge(0, Side::kU1).id == g->edge(1, Side::kU0).id);
    CHECK(g->edge(0, Side::kV1).id == g->edge(4, Side::kV0).id);
    checkAll(*g);
    const Grid grid(*g, 5, {}, 2, 2);
    CHECK(grid.value("u", 2, 0) == 0.5f);
  }
  Made made;
  CHECK_FALSE(namedBasis("nonsense", made.context.uBasis, made.context.uStep));
  // B-spline: the start is (1 4 1) / 6 of the first three.
  namedBasis("b-spline", made.context.uBasis, made.context.uStep);
  made.context.vBasis = made.context.uBasis, made.context.vStep = 1;
  std::vector<float> flat;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) flat.insert(flat.end(), {static_cast<float>(i * i), static_cast<float>(j), 0});
  const ParamList p = points(flat);
  const Grid grid(*makePatch(made.context, "bicubic", {&p, 1}), 0, {}, 2, 2);
  CHECK(grid.triple("P", 0, 0).x == doctest::Approx(8.0 / 6));
  CHECK(grid.triple("P", 0, 0).y == doctest::Approx(1));
}

TEST_CASE("periodic meshes close, also by control points that meet") {
  Made made;
  namedBasis("b-spline", made.context.uBasis, made.context.uStep);
  std::vector<float> tube;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 6; ++i)
      tube.insert(tube.end(),
                  {static_cast<float>(std::cos(i)), static_cast<float>(std::sin(i)), static_cast<float>(j)});
  const ParamList p =
      list({param("vertex point P", tube), param("varying float w", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})});
  const auto g = makePatchMesh(made.context, "bicubic", 6, "periodic", 4, "nonperiodic", {&p, 1});
  REQUIRE(g);
  CHECK(g->faceCount() == 6);
  CHECK(g->edge(0, Side::kU0).id == g->edge(5, Side::kU1).id);
  CHECK(g->vertex(0, 0).id == g->vertex(5, 1).id);
  const Grid last(*g, 5, {}, 2, 2, {"w"});
  CHECK(last.value("w", 2, 0) == 0);
  CHECK(last.value("w", 2, 2) == 6);
  checkAll(*g);
  // The first and last column of a plain bilinear mesh hold the same points.
  std::vector<float> ring;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 5; ++i)
      ring.insert(ring.end(), {i % 4 == 0 ? 1.0f
                               : i == 2   ? -1.0f
                                          : -0.0f,
                               i == 1   ? 1.0f
                               : i == 3 ? -1.0f
                                        : 0.0f,
                               static_cast<float>(j)});
  const ParamList r = points(ring);
  const auto seam = makePatchMesh(made.context, "bilinear", 5, "nowrap", 2, "nowrap", {&r, 1});
  CHECK(seam->edge(0, Side::kU0).id == seam->edge(3, Side::kU1).id);
  checkAll(*seam);
}

TEST_CASE("different primitives with the same border control points agree bit for bit") {
  Made made;
  std::vector<float> a = sheet(4, 4, 3), b(48);
  // b starts where a's u = 1 ends, and runs the other way along it.
  std::mt19937 random(5);
  for (float& f : b) f = static_cast<float>(random() % 1000) * 0.01f;
  for (int k = 0; k < 4; ++k)
    for (int c = 0; c < 3; ++c) b[static_cast<size_t>(k * 3 + c)] = a[static_cast<size_t>(((3 - k) * 4 + 3) * 3 + c)];
  const ParamList pa = points(a), pb = points(b);
  const auto ga = makePatch(made.context, "bicubic", {&pa, 1}), gb = makePatch(made.context, "bicubic", {&pb, 1});
  const FaceEdge ea = ga->edge(0, Side::kU1), eb = gb->edge(0, Side::kV0);
  CHECK(ea.t0 == eb.t1);
  float t[17];
  for (int i = 0; i <= 16; ++i) t[i] = static_cast<float>(i) / 16.0f;
  Vec3 qa[17], qb[17];
  ga->edgePoints(0, Side::kU1, t, 0, qa);
  gb->edgePoints(0, Side::kV0, t, 0, qb);
  for (int i = 0; i <= 16; ++i) CHECK(sameBits(qa[i], qb[i]));
}

TEST_CASE("rational patch: a quarter of a cylinder is round") {
  Made made;
  const float h = static_cast<float>(std::sqrt(2.0)) / 2;
  // Degree raised from (1,0) (1,1) w=h (0,1), in homogeneous coordinates.
  const float arc[4][3] = {{1, 0, 1},
                           {(1 + 2 * h) / 3, 2 * h / 3, (1 + 2 * h) / 3},
                           {2 * h / 3, (1 + 2 * h) / 3, (1 + 2 * h) / 3},
                           {0, 1, 1}};
  std::vector<float> pw;
  for (int j = 0; j < 4; ++j)
    for (const auto& a : arc) pw.insert(pw.end(), {a[0], a[1], static_cast<float>(j) / 3 * a[2], a[2]});
  const ParamList p = list({param("vertex hpoint Pw", pw)});
  const auto g = makePatch(made.context, "bicubic", {&p, 1});
  const Grid grid(*g, 0, {}, 8, 8);
  for (int j = 0; j <= 8; ++j)
    for (int i = 0; i <= 8; ++i) {
      const Vec3 q = grid.triple("P", i, j), n = grid.triple("Ng", i, j);
      CHECK(std::abs(std::sqrt(q.x * q.x + q.y * q.y) - 1) < 1e-6f);
      CHECK(distance(n, {q.x, q.y, 0}) < 1e-5f);
    }
  checkAll(*g);
  std::vector<float> bad = pw;
  bad[3] = -1;
  const ParamList q = list({param("vertex hpoint Pw", bad)});
  CHECK_FALSE(makePatch(made.context, "bicubic", {&q, 1}));
  CHECK(made.diag.hasCode("geom-not-finite"));
}

TEST_CASE("collapsed side: the pole's normal is that of its neighbourhood") {
  Made made;
  std::vector<float> cap = sheet(4, 4);
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      float* q = &cap[static_cast<size_t>((j * 4 + i) * 3)];
      q[0] = (static_cast<float>(i) - 1.5f) * static_cast<float>(j), q[1] = static_cast<float>(j), q[2] = 0;
    }
  const ParamList p = points(cap);
  const auto g = makePatch(made.context, "bicubic", {&p, 1});
  CHECK(g->edge(0, Side::kV0).point);
  const Grid grid(*g, 0, {}, 4, 4);
  for (int i = 0; i <= 4; ++i) CHECK(distance(grid.triple("Ng", i, 0), {0, 0, 1}) < 1e-4f);
  checkAll(*g);
  // Tiny things have normals too.
  for (float& f : cap) f *= 1e-15f;
  const ParamList tiny = points(cap);
  const Grid small(*makePatch(made.context, "bicubic", {&tiny, 1}), 0, {}, 4, 4);
  CHECK(distance(small.triple("Ng", 2, 2), {0, 0, 1}) < 1e-4f);
}

TEST_CASE("meshes: counts, keys and numbers that do not fit are named") {
  Made made;
  const ParamList few = points(sheet(3, 3));
  CHECK_FALSE(makePatch(made.context, "bicubic", {&few, 1}));
  CHECK(made.diag.hasCode("geom-bad-count"));
  CHECK_FALSE(makePatchMesh(made.context, "bicubic", 3, "nonperiodic", 3, "nonperiodic", {&few, 1}));
  CHECK(made.diag.hasCode("geom-bad-mesh"));
  CHECK_FALSE(makePatch(made.context, "quintic", {&few, 1}));
  CHECK(made.diag.hasCode("geom-bad-type"));
  const ParamList none;
  CHECK_FALSE(makePatch(made.context, "bicubic", {&none, 1}));
  CHECK(made.diag.hasCode("geom-no-position"));
  const ParamList keys[2] = {points(sheet(4, 4)), points(sheet(3, 4))};
  const auto still = makePatch(made.context, "bicubic", keys);
  CHECK(still->keyCount() == 1);
  CHECK(made.diag.hasCode("geom-motion-mismatch"));
  const ParamList moving[2] = {points(sheet(7, 4, 1)), points(sheet(7, 4, 2))};
  const auto g = makePatchMesh(made.context, "bicubic", 7, "nonperiodic", 4, "nonperiodic", moving);
  CHECK(g->keyCount() == 2);
  checkAll(*g);
  // One bad point drops the faces around it alone.
  std::vector<float> spoiled = sheet(4, 4);
  spoiled[0] = INFINITY;
  const ParamList bad = points(spoiled);
  const auto rest = makePatchMesh(made.context, "bilinear", 4, "nonperiodic", 4, "nonperiodic", {&bad, 1});
  CHECK(rest->faceCount() == 8);
  CHECK(made.diag.hasCode("geom-not-finite"));
  checkAll(*rest);
}

TEST_CASE("height fields") {
  Made made;
  const ParamList p = list({param("vertex float Pz", {0, 1, 2, 3, 4, 5, 6, 7, 8})});
  const auto g = makePatchMesh(made.context, "bilinear", 3, "nonperiodic", 3, "nonperiodic", {&p, 1});
  const Grid grid(*g, 3, {}, 1, 1);
  CHECK(grid.triple("P", 1, 1) == Vec3{1, 1, 8});
}

TEST_CASE(
    "primvars of a bicubic mesh: vertex in the basis, varying between corners, facewise uniform, arrays, matrices") {
  Made made;
  std::vector<float> w(28), m, strings;
  for (int i = 0; i < 28; ++i) w[static_cast<size_t>(i)] = static_cast<float>(i % 7 == 1);
  for (int i = 0; i < 6 * 16; ++i) m.push_back(static_cast<float>(i / 16));
  Param label;
  label.spec = *parseDeclaration("uniform string label");
  label.strings = {"left", "right"};
  const ParamList p =
      list({param("vertex point P", sheet(7, 4)), param("vertex float w", w), param("varying matrix m", m),
            param("uniform float[2] k", {1, 2, 3, 4}), param("vertex hpoint h", std::vector<float>(112, 2)), label});
  const auto g = makePatchMesh(made.context, "bicubic", 7, "nonperiodic", 4, "nonperiodic", {&p, 1});
  REQUIRE(g->primvars().size() == 5);
  const Grid a(*g, 0, {}, 4, 4, {"w", "m", "k", "h", "label"}), b(*g, 1, {}, 4, 4, {"w", "m", "k", "h", "label"});
  CHECK(a.value("w", 2, 3) == doctest::Approx(0.375f));
  CHECK(b.value("w", 2, 3) == 0);
  CHECK(a.value("m", 2, 0, 15) == 0.5f);
  CHECK(b.value("k", 0, 0, 1) == 4);
  CHECK(b.value("h", 1, 1, 3) == 2);
  CHECK(b.vars.find("label")->strings[0] == "right");
  checkParts(*g, 0, {"w", "m", "k", "h", "label"});
}

TEST_CASE("kernels give the same bits on every instruction set") {
  std::mt19937 random(11);
  const auto pick = [&] { return static_cast<float>(random() % 10000) * 0.001f - 5; };
  for (const int n : {1, 2, 5, 17, 33}) {
    float cv[16];
    for (float& f : cv) f = pick();
    std::vector<std::vector<float>> results;
    std::vector<float> t(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) t[static_cast<size_t>(i)] = static_cast<float>(i) / static_cast<float>(n);
    for (const Isa isa : supportedIsas()) {
      const PatchKernels& k = patchKernels(isa);
      std::vector<float> w(7 * static_cast<size_t>(n)), out(12 * static_cast<size_t>(n * n));
      const auto weight = [&](int i) { return &w[static_cast<size_t>(i * n)]; };
      float *b[4] = {weight(0), weight(1), weight(2), weight(3)}, *d[3] = {weight(4), weight(5), weight(6)};
      k.bernstein(t.data(), n, 2, b, d);
      const BernsteinTable table{n, {b[0], b[1], b[2], b[3]}, {d[0], d[1], d[2]}};
      const auto plane = [&](int i) { return &out[static_cast<size_t>(i * n * n)]; };
      for (int c = 0; c < 3; ++c) {
        k.bicubic(cv, table, table, plane(c), plane(3 + c), plane(6 + c));
        std::rotate(cv, cv + 3, cv + 16);
      }
      std::rotate(cv, cv + 7, cv + 16);
      const float *du[3] = {plane(3), plane(4), plane(5)}, *dv[3] = {plane(6), plane(7), plane(8)};
      float* ng[3] = {plane(9), plane(10), plane(11)};
      k.normals(n * n, du, dv, 0.1f, 0.1f, ng);
      out.insert(out.end(), w.begin(), w.end());
      results.push_back(out);
    }
    for (const auto& r : results) CHECK(std::memcmp(r.data(), results[0].data(), r.size() * 4) == 0);
  }
}

}  // namespace reyes::geom::test
