// SPDX-License-Identifier: Apache-2.0
// Every parametric primitive against its formula in doubles, worked out here as RI 3.2 writes it: positions,
// derivatives and normals at grids of 4 and 256 micropolygons, whole and partial sweeps. Where a surface has no formula
// (subdivision, blobs) its derivatives are held against differences of its own points.
#include "geom_check.h"

#include <functional>
#include <numeric>

#include "reyes/geom/curves.h"
#include "subdiv_shapes.h"

namespace reyes::geom::test {
namespace {

struct Point {
  double x = 0, y = 0, z = 0;
};
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Point operator*(Point a, double s) { return {a.x * s, a.y * s, a.z * s}; }
Point cross(Point a, Point b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
double size(Point a) { return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z); }
Point of(Vec3 a) { return {a.x, a.y, a.z}; }

using Formula = std::function<Point(double u, double v)>;  ///< of the primitive's parameters

constexpr double kStep = 1e-5;

/// What of one grid is wrong: positions, derivatives by u and v, normals. `low`, `high`: the parameters' range.
int faults(const Grid& g, const Formula& f, double tolerance, double low, double highU, double highV) {
  int wrong = 0;
  for (int j = 0; j <= g.nv; ++j)
    for (int i = 0; i <= g.nu; ++i) {
      const double u = g.value("u", i, j), v = g.value("v", i, j);
      if (size(of(g.triple("P", i, j)) - f(u, v)) > tolerance) ++wrong;
      // Differences that stay inside.
      const double u0 = std::max(low, u - kStep), u1 = std::min(highU, u + kStep);
      const double v0 = std::max(low, v - kStep), v1 = std::min(highV, v + kStep);
      const Point du = (f(u1, v) - f(u0, v)) * (1 / (u1 - u0)), dv = (f(u, v1) - f(u, v0)) * (1 / (v1 - v0));
      const double slack = 2e-3 * (size(du) + size(dv)) + tolerance;
      if (size(du - of(g.triple("dPdu", i, j))) > slack || size(dv - of(g.triple("dPdv", i, j))) > slack) ++wrong;
      // Beside a pole the formula has a normal, at it the one of its neighbourhood.
      const double uc = std::clamp(u, low + 1e-4, highU - 1e-4), vc = std::clamp(v, low + 1e-4, highV - 1e-4);
      const Point a = (f(uc + kStep, vc) - f(uc - kStep, vc)), b = (f(uc, vc + kStep) - f(uc, vc - kStep));
      const Point n = cross(a, b), ng = of(g.triple("Ng", i, j));
      if (size(n) > 1e-16 && size(n * (1 / size(n)) - ng) > 1e-2) ++wrong;
    }
  return wrong;
}

void check(const char* name, const GeometryPtr& g, const Formula& f, double tolerance = 2e-5, double low = 0,
           double highU = 1, double highV = 1) {
  CAPTURE(name);
  REQUIRE(g);
  for (int face = 0; face < g->faceCount(); ++face)
    for (const int side : {2, 16}) {
      CAPTURE(face);
      CAPTURE(side);
      CHECK(faults(Grid(*g, face, {}, side, side), f, tolerance, low, highU, highV) == 0);
      CHECK(faults(Grid(*g, face, {0.25f, 0.5f, 0.5f, 0.75f}, side, side), f, tolerance, low, highU, highV) == 0);
    }
}

double radians(double degrees) { return degrees * M_PI / 180; }
Point turned(double r, double height, double degrees) {
  return {r * std::cos(radians(degrees)), r * std::sin(radians(degrees)), height};
}

template <size_t N, class Make>
GeometryPtr quadric(Made& made, Make make, std::array<float, N> dims) {
  return make(made.context, std::span<const std::array<float, N>>(&dims, 1), {});
}

std::vector<float> sheet(int nu, int nv, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::vector<float> p;
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i)
      p.insert(p.end(), {static_cast<float>(i) + static_cast<float>(random() % 100) * 0.003f,
                         static_cast<float>(j) + static_cast<float>(random() % 100) * 0.003f,
                         static_cast<float>(random() % 100) * 0.01f});
  return p;
}

/// Weights of the four control points of one piece, as RI's basis matrices give them.
void weights(const std::string& basis, double t, double w[4]) {
  static const std::map<std::string, std::array<double, 16>> kBases = {
      {"bezier", {-1, 3, -3, 1, 3, -6, 3, 0, -3, 3, 0, 0, 1, 0, 0, 0}},
      {"b-spline",
       {-1. / 6, 3. / 6, -3. / 6, 1. / 6, 3. / 6, -1, 3. / 6, 0, -3. / 6, 0, 3. / 6, 0, 1. / 6, 4. / 6, 1. / 6, 0}},
      {"catmull-rom", {-.5, 1.5, -1.5, .5, 1, -2.5, 2, -.5, -.5, 0, .5, 0, 0, 1, 0, 0}},
      {"hermite", {2, 1, -2, 1, -3, -2, 3, -1, 0, 1, 0, 0, 1, 0, 0, 0}},
      {"power", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};
  const std::array<double, 16>& m = kBases.at(basis);
  for (size_t k = 0; k < 4; ++k) w[k] = ((m[k] * t + m[4 + k]) * t + m[8 + k]) * t + m[12 + k];
}

/// A mesh of bicubic patches.
Formula bicubicMesh(const std::vector<float>& p, const std::string& basis, int step, int n, bool wrapU, bool wrapV) {
  const int pu = wrapU ? n / step : (n - 4) / step + 1, pv = wrapV ? n / step : (n - 4) / step + 1;
  return [=](double u, double v) {
    const int i = std::clamp(static_cast<int>(u * pu), 0, pu - 1), j = std::clamp(static_cast<int>(v * pv), 0, pv - 1);
    double a[4], b[4];
    weights(basis, u * pu - i, a), weights(basis, v * pv - j, b);
    Point r;
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) {
        const size_t k = 3 * static_cast<size_t>((j * step + y) % n * n + (i * step + x) % n);
        const double w = a[x] * b[y];
        r.x += w * p[k], r.y += w * p[k + 1], r.z += w * p[k + 2];
      }
    return r;
  };
}

/// Derivatives of dice() against differences of pointsAt(), in the middle of faces.
void checkOwnDerivatives(const char* name, const Geometry& g, float tolerance, bool flat = false) {
  CAPTURE(name);
  int wrong = 0;
  for (int face = 0; face < g.faceCount(); face += 1 + g.faceCount() / 50) {
    // A triangle's are those of its plane, not of the quad that it is the half of.
    if (flat && g.edge(face, Side::kV1).point) continue;
    const Grid grid(g, face, {}, 4, 4);
    for (int j = 1; j < 4; ++j)
      for (int i = 1; i < 4; ++i) {
        constexpr float kH = 1.0f / 128;
        const float u = 0.25f * static_cast<float>(i), v = 0.25f * static_cast<float>(j);
        const Vec2 at[4] = {{u - kH, v}, {u + kH, v}, {u, v - kH}, {u, v + kH}};
        Vec3 p[4];
        g.pointsAt(face, at, 0, p);
        // From the face's parameters to the primitive's.
        const float su = grid.value("u", i + 1, j) - grid.value("u", i - 1, j);
        const float sv = grid.value("v", i, j + 1) - grid.value("v", i, j - 1);
        const Vec3 du = grid.triple("dPdu", i, j) * (su / 0.5f), dv = grid.triple("dPdv", i, j) * (sv / 0.5f);
        const float slack = tolerance * (length(du) + length(dv));
        if (distance((p[1] - p[0]) * (0.5f / kH), du) > slack || distance((p[3] - p[2]) * (0.5f / kH), dv) > slack)
          ++wrong;
      }
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("quadrics: formulas of RI 3.2, whole, in part, backwards") {
  Made made;
  for (const double sweep : {360.0, 300.0, -270.0, 90.0, 720.0}) {
    const float s = static_cast<float>(sweep);
    for (const auto& [low, high] : {std::pair{-1.0f, 1.0f}, {-0.5f, 0.75f}, {0.5f, -1.0f}}) {
      const double a = std::asin(low), b = std::asin(high);
      check("sphere", quadric<4>(made, makeSphere, {2, 2 * low, 2 * high, s}), [=](double u, double v) {
        const double phi = a + v * (b - a);
        return turned(2 * std::cos(phi), 2 * std::sin(phi), u * sweep);
      });
      check("cylinder", quadric<4>(made, makeCylinder, {1.5f, low, high, s}),
            [=](double u, double v) { return turned(1.5, low + v * (double(high) - low), u * sweep); });
    }
    check("cone", quadric<3>(made, makeCone, {2, 0.75f, s}),
          [=](double u, double v) { return turned(0.75 * (1 - v), 2 * v, u * sweep); });
    check("disk", quadric<3>(made, makeDisk, {0.5f, 2, s}),
          [=](double u, double v) { return turned(2 * (1 - v), 0.5, u * sweep); });
    check("paraboloid", quadric<4>(made, makeParaboloid, {1, 0.25f, 2, s}), [=](double u, double v) {
      const double z = 0.25 + v * 1.75;
      return turned(std::sqrt(z / 2), z, u * sweep);
    });
    check("hyperboloid", quadric<7>(made, makeHyperboloid, {1, 0.25f, -1, 0.5f, 1, 1, s}), [=](double u, double v) {
      const double x = 1 - 0.5 * v, y = 0.25 + 0.75 * v, z = -1 + 2 * v, t = radians(u * sweep);
      return Point{x * std::cos(t) - y * std::sin(t), x * std::sin(t) + y * std::cos(t), z};
    });
    for (const auto& [low, high] : {std::pair{0.0, 360.0}, {-30.0, 120.0}, {90.0, -90.0}})
      check("torus", quadric<5>(made, makeTorus, {2, 0.5f, float(low), float(high), s}), [=](double u, double v) {
        const double phi = low + v * (high - low);
        return turned(2 + 0.5 * std::cos(radians(phi)), 0.5 * std::sin(radians(phi)), u * sweep);
      });
  }
  CHECK(made.diag.all().empty());
}

TEST_CASE("patches and meshes: every basis, closed and open") {
  const std::vector<float> four = sheet(2, 2);
  Made made;
  const ParamList bilinear = points(four);
  check("bilinear", makePatch(made.context, "bilinear", {&bilinear, 1}), [&](double u, double v) {
    Point r;
    for (size_t k = 0; k < 4; ++k) {
      const double w = (k & 1 ? u : 1 - u) * (k & 2 ? v : 1 - v);
      r.x += w * four[3 * k], r.y += w * four[3 * k + 1], r.z += w * four[3 * k + 2];
    }
    return r;
  });
  struct Basis {
    const char* name;
    int step, n;
  };
  for (const Basis& b :
       {Basis{"bezier", 3, 7}, {"b-spline", 1, 6}, {"catmull-rom", 1, 6}, {"hermite", 2, 6}, {"power", 4, 8}})
    for (const int wrap : {0, 1, 2, 3}) {
      CAPTURE(b.name);
      CAPTURE(wrap);
      // Pieces of power bases do not meet; closed Bezier ones have a point less.
      const int n = wrap && std::string(b.name) == "bezier" ? 6 : b.n;
      const bool u = wrap & 1, v = wrap & 2;
      if (n != b.n && wrap != 3) continue;
      const std::vector<float> p = sheet(n, n);
      const ParamList l = points(p);
      namedBasis(b.name, made.context.uBasis, made.context.uStep);
      namedBasis(b.name, made.context.vBasis, made.context.vStep);
      const GeometryPtr g = makePatchMesh(made.context, "bicubic", n, u ? "periodic" : "nonperiodic", n,
                                          v ? "periodic" : "nonperiodic", {&l, 1});
      REQUIRE(g);
      // At joints differences would look into both pieces: derivatives are asked inside, by the rectangle.
      const Formula f = bicubicMesh(p, b.name, b.step, n, u, v);
      for (int face = 0; face < g->faceCount(); ++face)
        for (const int side : {2, 16})
          CHECK(faults(Grid(*g, face, {0.0625f, 0.9375f, 0.0625f, 0.9375f}, side, side), f, 5e-5, 0, 1, 1) == 0);
    }
  CHECK(made.diag.all().empty());
}

TEST_CASE("polygons of all four requests: in their plane, with its normal, whatever the direction") {
  struct Case {
    const char* name;
    std::vector<int> loops, counts, ids;
    double area;
  };
  // A square with a square hole, a triangle and a concave corner.
  const std::vector<float> flat = {0, 0, 4, 0, 4, 4, 0, 4, 1, 1, 1, 2, 2, 2, 2, 1, 6, 1, 5, 2, 6, 4};
  for (const Case& c : {Case{"Polygon", {1}, {4}, {0, 1, 2, 3}, 16}, Case{"concave", {1}, {5}, {1, 8, 9, 10, 2}, 5.5},
                        Case{"GeneralPolygon", {2}, {4, 4}, {0, 1, 2, 3, 4, 5, 6, 7}, 15},
                        Case{"PointsPolygons", {1, 1}, {4, 3}, {0, 1, 2, 3, 1, 8, 2}, 20},
                        Case{"PointsGeneralPolygons", {2, 1}, {4, 4, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 2}, 19}})
    for (const int turn : {1, -1}) {
      CAPTURE(c.name);
      CAPTURE(turn);
      // In a slanted plane: z = x / 2 - y / 4.
      std::vector<float> p;
      for (size_t i = 0; i < flat.size(); i += 2)
        p.insert(p.end(), {flat[i], flat[i + 1], flat[i] / 2 - flat[i + 1] / 4});
      std::vector<int> ids = c.ids;
      if (turn < 0) std::reverse(ids.begin(), ids.end());
      std::vector<int> counts = c.counts, loops = c.loops;
      if (turn < 0) std::reverse(counts.begin(), counts.end());
      // Backwards a hole would come before its polygon.
      if (turn < 0 && (c.loops.size() > 1 || c.loops[0] > 1)) continue;
      Made made;
      const ParamList l = points(p);
      const GeometryPtr g = makePolygons(made.context, loops, counts, ids, {&l, 1});
      REQUIRE(g);
      const Vec3 normal = normalize(Vec3{-0.5f, 0.25f, 1}) * static_cast<float>(turn);
      double area = 0;
      int wrong = 0;
      for (int face = 0; face < g->faceCount(); ++face)
        for (const int side : {2, 16}) {
          const Grid grid(*g, face, {}, side, side);
          for (int j = 0; j <= side; ++j)
            for (int i = 0; i <= side; ++i) {
              const Vec3 q = grid.triple("P", i, j);
              if (std::abs(q.z - q.x / 2 + q.y / 4) > 1e-5f || distance(grid.triple("Ng", i, j), normal) > 1e-5f)
                ++wrong;
              if (grid.value("s", i, j) != q.x || grid.value("t", i, j) != q.y) ++wrong;
              if (i == 0 || j == 0 || side == 2) continue;
              const Vec3 a = q - grid.triple("P", i - 1, j - 1);
              const Vec3 b = grid.triple("P", i - 1, j) - grid.triple("P", i, j - 1);
              area += 0.5 * length(reyes::cross(a, b));
            }
        }
      CHECK(wrong == 0);
      CHECK(area / std::sqrt(1 + 0.25 + 1.0 / 16) == doctest::Approx(c.area).epsilon(1e-5));
      checkOwnDerivatives(c.name, *g, 1e-3f, true);
    }
}

TEST_CASE("NURBS, subdivision surfaces, blobs, the teapot: derivatives are those of their points") {
  Made made;
  {
    std::vector<float> pw;
    const std::vector<float> p = sheet(6, 5);
    for (size_t i = 0; i < p.size(); i += 3) {
      const float w = 1 + 0.1f * static_cast<float>(i % 7);
      pw.insert(pw.end(), {p[i] * w, p[i + 1] * w, p[i + 2] * w, w});
    }
    const ParamList l = list({param("vertex hpoint Pw", pw)});
    const std::vector<float> u{0, 0, 0, 0, 1, 3, 4, 4, 4, 4}, v{0, 0, 0, 1, 2, 3, 3, 3};
    checkOwnDerivatives("NuPatch", *makeNuPatch(made.context, {6, 4, u, 0, 4}, {5, 3, v, 0, 3}, {&l, 1}), 2e-2f);
  }
  for (const SubdivShape& shape : subdivShapes()) {
    if (!shape.creases.empty() || !shape.corners.empty()) continue;  // their derivatives jump
    const ParamList l = points(shape.p);
    const std::vector<std::string> tags{"interpolateboundary"};
    const std::vector<int> args{1, 0}, ints{1};
    const GeometryPtr g =
        makeSubdivision(made.context, shape.scheme, shape.counts, shape.ids, {tags, args, ints, {}}, {&l, 1});
    if (g) checkOwnDerivatives(shape.name.c_str(), *g, 5e-2f);
  }
  const std::vector<int> code{1001, 0, 1001, 16, 0, 2, 0, 1};
  const std::vector<float> floats{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,    0, 0, 1,
                                  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.4f, 0, 0, 1};
  const ParamList none;
  checkOwnDerivatives("Blobby", *makeBlobby(made.context, 2, code, {&floats, 1}, {&none, 1}), 5e-2f);
  checkOwnDerivatives("teapot", *makeTeapot(made.context, {&none, 1}), 5e-2f);
}

TEST_CASE("curves: every basis against its formula") {
  for (const char* basis : {"bezier", "b-spline", "catmull-rom", "hermite", "power"}) {
    CAPTURE(basis);
    Made made;
    namedBasis(basis, made.context.vBasis, made.context.vStep);
    const int step = made.context.vStep, n = 4 + 2 * step;
    const std::vector<float> p = sheet(n, 1);
    const ParamList l = points(p);
    const GeometryPtr g = makeCurves(made.context, "cubic", {&n, 1}, "nonperiodic", {&l, 1});
    REQUIRE(g);
    const CurveSet& set = *g->asCurves();
    for (int s = 0; s < 3; ++s)
      for (int k = 0; k <= 16; ++k) {
        const double t = k / 16.0, h = 1e-5;
        const auto at = [&](double x) {
          double w[4];
          weights(basis, x, w);
          Point r;
          for (int i = 0; i < 4; ++i) {
            const size_t c = 3 * static_cast<size_t>(s * step + i);
            r.x += w[i] * p[c], r.y += w[i] * p[c + 1], r.z += w[i] * p[c + 2];
          }
          return r;
        };
        Vec3 d;
        const Vec3 q = curvePoint(set.segment(0, s, 0), static_cast<float>(t), &d);
        CHECK(size(of(q) - at(t)) < 2e-5 * (1 + size(at(t))));
        CHECK(size(of(d) - (at(t + h) - at(t - h)) * (0.5 / h)) < 1e-3 * (1 + length(d)));
      }
  }
}

}  // namespace reyes::geom::test
