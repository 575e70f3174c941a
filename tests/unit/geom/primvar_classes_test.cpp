// SPDX-License-Identifier: Apache-2.0
// Primitive variables of every storage class and type on every primitive. Items are affine functions of where they are
// (positions of control points, or parameters), which every interpolation must reproduce wherever it is diced.
#include "geom_check.h"

#include <functional>
#include <numeric>

#include "reyes/geom/curves.h"
#include "reyes/geom/points.h"
#include "subdiv_shapes.h"

namespace reyes::geom::test {
namespace {

constexpr const char* kTypes[] = {"float",  "color",  "point",    "vector",   "normal",
                                  "hpoint", "matrix", "float[3]", "color[2]", "matrix[2]"};

/// Component c of what is at `where`.
float valueAt(Vec3 where, int c) {
  const float k = static_cast<float>(c);
  return 0.5f + k + where.x * (1 + 0.25f * k) - where.y * (2 - 0.125f * k) + where.z * 0.5f;
}

/// A kind of primitive: how it is made, and where the items of each class are.
struct Kind {
  const char* name;
  std::function<GeometryPtr(Made&, ParamList)> make;
  std::vector<float> p = {};  ///< "P", empty for quadrics
  size_t uniforms = 1;
  std::vector<Vec3> varying = {}, vertex = {}, faceVarying = {};
  bool varyingByParameter = false, vertexByParameter = false;  ///< items are at (u, v), not at positions
  float within = 1e9f;  ///< only points whose x and y lie between 1 and this are checked (borders bend)
};

std::vector<Vec3> triples(const std::vector<float>& p) {
  std::vector<Vec3> r;
  for (size_t i = 0; i + 2 < p.size(); i += 3) r.push_back({p[i], p[i + 1], p[i + 2]});
  return r;
}

/// nu x nv points, bumpy or flat.
std::vector<float> sheet(int nu, int nv, bool flat) {
  std::mt19937 random(5);
  const auto off = [&] { return flat ? 0.0f : static_cast<float>(random() % 100) * 0.003f; };
  std::vector<float> p;
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i)
      for (const float f : {static_cast<float>(i) + off(), static_cast<float>(j) + off(), off()}) p.push_back(f);
  return p;
}

/// (i / nu, j / nv) for all i up to nu, j up to nv, less where a direction closes.
std::vector<Vec3> lattice(int nu, int nv, float u1 = 1, float v1 = 1) {
  std::vector<Vec3> r;
  for (int j = 0; j <= nv; ++j)
    for (int i = 0; i <= nu; ++i)
      r.push_back({u1 * static_cast<float>(i) / static_cast<float>(nu),
                   v1 * static_cast<float>(j) / static_cast<float>(nv), 0});
  return r;
}

Kind quadric(const char* name, std::function<GeometryPtr(const Context&, Keys)> f) {
  Kind k{name,         [f](Made& m, ParamList l) { return f(m.context, {&l, 1}); }, {}, 1, lattice(1, 1), lattice(1, 1),
         lattice(1, 1)};
  k.varyingByParameter = k.vertexByParameter = true;
  return k;
}

template <size_t N>
std::function<GeometryPtr(const Context&, Keys)> with(GeometryPtr (*make)(const Context&,
                                                                          std::span<const std::array<float, N>>, Keys),
                                                      std::array<float, N> dims) {
  return [make, dims](const Context& c, Keys keys) { return make(c, {&dims, 1}, keys); };
}

Kind patchMesh(const char* name, const char* type, const char* basis, int n, int patches) {
  Kind k{name, {}, sheet(n, n, false), static_cast<size_t>(patches * patches), {}, {}, {}};
  k.make = [=](Made& m, ParamList l) {
    if (basis) {
      namedBasis(basis, m.context.uBasis, m.context.uStep);
      namedBasis(basis, m.context.vBasis, m.context.vStep);
    }
    return makePatchMesh(m.context, type, n, "nonperiodic", n, "nonperiodic", {&l, 1});
  };
  k.varying = k.faceVarying = lattice(patches, patches);
  k.vertex = triples(k.p);
  k.varyingByParameter = true;
  return k;
}

Kind polygons(const char* name, std::vector<int> loops, std::vector<int> counts, std::vector<int> ids,
              std::vector<float> p) {
  Kind k{name,       [=](Made& m, ParamList l) { return makePolygons(m.context, loops, counts, ids, {&l, 1}); },
         p,          loops.size(),
         triples(p), triples(p),
         {}};
  for (const int i : ids) k.faceVarying.push_back(k.vertex[static_cast<size_t>(i)]);
  return k;
}

Kind subdivision(const char* name, const char* scheme) {
  constexpr int kSide = 6;
  const std::vector<float> p = sheet(kSide, kSide, true);
  std::vector<int> ids, counts;
  for (int j = 0; j + 1 < kSide; ++j)
    for (int i = 0; i + 1 < kSide; ++i) {
      const int a = j * kSide + i;
      if (std::string(scheme) == "loop") {
        ids.insert(ids.end(), {a, a + 1, a + kSide + 1, a, a + kSide + 1, a + kSide});
        counts.insert(counts.end(), {3, 3});
      } else {
        ids.insert(ids.end(), {a, a + 1, a + kSide + 1, a + kSide});
        counts.push_back(4);
      }
    }
  Kind k{name, {}, p, counts.size(), triples(p), triples(p), {}};
  for (const int i : ids) k.faceVarying.push_back(k.vertex[static_cast<size_t>(i)]);
  k.within = kSide - 2;
  k.make = [=](Made& m, ParamList l) {
    const std::vector<std::string> tags{"interpolateboundary"};
    const std::vector<int> args{1, 0}, ints{2};
    return makeSubdivision(m.context, scheme, counts, ids, {tags, args, ints, {}}, {&l, 1});
  };
  return k;
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  all.push_back(quadric("sphere", with<4>(makeSphere, {1, -0.5f, 1, 300})));
  all.push_back(quadric("cone", with<3>(makeCone, {2, 1, 360})));
  all.push_back(quadric("cylinder", with<4>(makeCylinder, {1, -1, 1, -200})));
  all.push_back(quadric("hyperboloid", with<7>(makeHyperboloid, {1, 0, -1, 0.5f, 1, 1, 360})));
  all.push_back(quadric("paraboloid", with<4>(makeParaboloid, {1, 0.1f, 1, 360})));
  all.push_back(quadric("disk", with<3>(makeDisk, {0, 1, 360})));
  all.push_back(quadric("torus", with<5>(makeTorus, {1, 0.3f, 0, 270, 360})));
  for (const char* type : {"bilinear", "bicubic"}) {
    const int n = type[3] == 'i' ? 2 : 4;
    Kind k{type, [=](Made& m, ParamList l) { return makePatch(m.context, type, {&l, 1}); }, sheet(n, n, false)};
    k.varying = k.faceVarying = lattice(1, 1), k.vertex = triples(k.p), k.varyingByParameter = true;
    all.push_back(std::move(k));
  }
  all.push_back(patchMesh("bilinear mesh", "bilinear", nullptr, 4, 3));
  all.push_back(patchMesh("bezier mesh", "bicubic", "bezier", 7, 2));
  all.push_back(patchMesh("b-spline mesh", "bicubic", "b-spline", 6, 3));
  all.push_back(patchMesh("catmull-rom mesh", "bicubic", "catmull-rom", 5, 2));
  {
    Kind k{"NuPatch", {}, sheet(5, 4, false), 6, lattice(3, 2, 3, 2), {}, lattice(3, 2, 3, 2)};
    k.make = [](Made& m, ParamList l) {
      static const std::vector<float> u{-2, -1, 0, 1, 2, 3, 4, 5}, v{-2, -1, 0, 1, 2, 3, 4};
      return makeNuPatch(m.context, {5, 3, u, 0, 3}, {4, 3, v, 0, 2}, {&l, 1});
    };
    k.vertex = triples(k.p), k.varyingByParameter = true;
    all.push_back(std::move(k));
  }
  all.push_back(polygons("Polygon", {1}, {5}, {0, 1, 2, 3, 4}, {0, 0, 0, 2, 0, 0, 3, 2, 0, 1, 4, 0, -1, 2, 0}));
  std::vector<float> ring = {0, 0, 0, 4, 0, 0, 4, 4, 0, 0, 4, 0, 1, 1, 0, 1, 2, 0, 2, 2, 0, 2, 1, 0};
  all.push_back(polygons("GeneralPolygon", {2}, {4, 4}, {0, 1, 2, 3, 4, 5, 6, 7}, ring));
  all.push_back(polygons("PointsPolygons", {1, 1}, {4, 3}, {0, 1, 2, 3, 1, 6, 2}, ring));
  all.push_back(polygons("PointsGeneralPolygons", {2, 1}, {4, 4, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7}, ring));
  all.push_back(subdivision("SubdivisionMesh", "catmull-clark"));
  all.push_back(subdivision("SubdivisionMesh loop", "loop"));
  all.push_back(subdivision("SubdivisionMesh bilinear", "bilinear"));
  return all;
}

/// Every class of one type.
ParamList variables(const Kind& k, const std::string& type) {
  ParamList l;
  if (!k.p.empty()) l.add(param("vertex point P", k.p));
  std::vector<float> numbers(k.uniforms);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  l.add(param("uniform float item", numbers));
  const auto add = [&](const std::string& storage, const std::vector<Vec3>& items) {
    const std::string name = storage + " " + type + " " + storage[0] + std::to_string(storage.size());
    const VarSpec spec = *parseDeclaration(name);
    std::vector<float> values;
    for (const Vec3& at : items)
      for (int c = 0; c < spec.width(); ++c) values.push_back(valueAt(at, c));
    l.add(param(name.c_str(), values));
  };
  std::vector<Vec3> uniforms;
  for (const float f : numbers) uniforms.push_back({f, -f, 2 * f});
  add("constant", {{3, 2, 1}});
  add("uniform", uniforms);
  add("varying", k.varying);
  add("vertex", k.vertex);
  add("facevarying", k.faceVarying);
  add("facevertex", k.faceVarying);
  return l;
}

/// How many values of a grid are not what they should be.
int wrongValues(const Kind& k, const Grid& g, const char* name, int side) {
  const Var* v = g.vars.find(name);
  if (!v) return 1;
  int wrong = 0;
  const bool parameter = name[0] == 'v' && name[1] == '6' ? k.vertexByParameter : k.varyingByParameter;
  for (int j = 0; j <= side; ++j)
    for (int i = 0; i <= side; ++i) {
      const Vec3 p = g.triple("P", i, j);
      if (std::min(p.x, p.y) < (k.within < 1e9f ? 1 : -1e9f) || std::max(p.x, p.y) > k.within) continue;
      const float item = g.value("item", 0, 0);
      Vec3 where = parameter ? Vec3{g.value("u", i, j), g.value("v", i, j), 0} : p;
      if (name[0] == 'c') where = {3, 2, 1};
      if (name[0] == 'u') where = {item, -item, 2 * item};
      for (int c = 0; c < v->spec.width(); ++c)
        if (!(std::abs(g.value(name, i, j, c) - valueAt(where, c)) < 2e-4f * (1 + std::abs(valueAt(where, c)))))
          ++wrong;
    }
  return wrong;
}

}  // namespace

TEST_CASE("primitive variables of every class and type, on every primitive with faces") {
  for (const Kind& k : kinds())
    for (const char* type : kTypes) {
      CAPTURE(k.name);
      CAPTURE(type);
      Made made;
      const GeometryPtr g = k.make(made, variables(k, type));
      REQUIRE(g);
      CHECK(made.diag.all().empty());
      const std::vector<Name> names = {"item", "c8", "u7", "v7", "v6", "f11", "f10"};
      CHECK(g->primvars().size() >= names.size());
      for (int face = 0; face<g->faceCount(); face += g->faceCount()> 40 ? 3 : 1)
        for (const int side : {2, 16}) {
          if (side == 16 && face % 5 != 0) continue;
          const Grid whole(*g, face, {}, side, side, names), part(*g, face, {0.25f, 0.5f, 0.5f, 1}, side, side, names);
          for (const char* name : {"c8", "u7", "v7", "v6", "f11", "f10"}) {
            CAPTURE(name);
            CHECK(wrongValues(k, whole, name, side) + wrongValues(k, part, name, side) == 0);
          }
        }
    }
}

TEST_CASE("strings: constant and uniform, one or several") {
  for (const Kind& k : kinds()) {
    CAPTURE(k.name);
    Made made;
    ParamList l = variables(k, "float");
    Param one, many;
    one.spec = *parseDeclaration("constant string[2] texts"), one.strings = {"a", "b"};
    many.spec = *parseDeclaration("uniform string each");
    for (size_t i = 0; i < k.uniforms; ++i) many.strings.push_back("item " + std::to_string(i));
    l.add(one), l.add(many);
    const GeometryPtr g = k.make(made, std::move(l));
    REQUIRE(g);
    for (int face = 0; face < g->faceCount(); face += 2) {
      const Grid grid(*g, face, {}, 2, 2, {"texts", "each", "item"});
      CHECK(grid.vars.find("texts")->strings[1] == "b");
      CHECK(grid.vars.find("each")->strings[0] ==
            ("item " + std::to_string(static_cast<int>(grid.value("item", 0, 0)))));
    }
  }
}

TEST_CASE("points, curves and blobs: every class and type") {
  const size_t n = 6;
  std::vector<float> p;
  for (size_t i = 0; i < n; ++i)
    for (const float f : {static_cast<float>(i), 0.5f * static_cast<float>(i), 0.0f}) p.push_back(f);
  for (const char* type : kTypes) {
    CAPTURE(type);
    // Points have their own values; along linear curves everything is affine, along cubic ones vertex values are.
    Kind k{"elements", {}, p, 1, triples(p), triples(p), triples(p)};
    Made made;
    const ParamList list = variables(k, type);
    const GeometryPtr points = makePoints(made.context, static_cast<int>(n), {&list, 1});
    REQUIRE(points);
    const PointSet& set = *points->asPoints();
    const std::vector<int> counts{static_cast<int>(n)};
    const GeometryPtr linear = makeCurves(made.context, "linear", counts, "nonperiodic", {&list, 1});
    REQUIRE(linear);
    CHECK(made.diag.all().empty());
    for (const char* name : {"c8", "v7", "v6", "f11", "f10", "u7"}) {
      CAPTURE(name);
      Arena arena;
      VarBlock dots(static_cast<int>(n)), line(static_cast<int>(n));
      set.addPrimvar(name, 0, dots, arena);
      std::vector<CurvePlace> places;
      for (size_t i = 0; i < n; ++i) places.push_back({0, static_cast<int>(i * 5 / n), 0.15f * static_cast<float>(i)});
      linear->asCurves()->addPrimvar(name, places, line, arena);
      const Var *a = dots.find(name), *b = line.find(name);
      REQUIRE(a);
      REQUIRE(b);
      for (size_t i = 0; i < n; ++i)
        for (int c = 0; c < a->spec.width(); ++c) {
          const Vec3 there = set.positions(0)[i];
          const float along = static_cast<float>(places[i].segment) + places[i].t;
          const Vec3 here{along, 0.5f * along, 0};
          const bool one = name[0] == 'c' || name[0] == 'u';
          const Vec3 only = name[0] == 'c' ? Vec3{3, 2, 1} : Vec3{0, 0, 0};
          const auto value = [&](const Var& v) {
            return v.data[static_cast<size_t>(c) * static_cast<size_t>(v.stride) + (v.uniform ? 0 : i)];
          };
          CHECK(value(*a) == valueAt(one ? only : there, c));
          CHECK(value(*b) == doctest::Approx(valueAt(one ? only : here, c)).epsilon(1e-5));
        }
    }
    // Two balls with equal values: what is blended is that value.
    ParamList same;
    const std::string storages[] = {"constant", "uniform", "varying", "vertex"};
    for (const std::string& storage : storages) {
      const VarSpec spec = *parseDeclaration(storage + " " + type + " " + storage[0] + std::to_string(storage.size()));
      std::vector<float> values;
      for (int leaf = 0; leaf < (storage[0] == 'v' ? 2 : 1); ++leaf)
        for (int c = 0; c < spec.width(); ++c) values.push_back(valueAt({1, 2, 3}, c));
      Param q;
      q.spec = spec, q.floats = values;
      same.add(std::move(q));
    }
    const std::vector<int> code{1001, 0, 1001, 16, 0, 2, 0, 1};
    const std::vector<float> floats{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,    0, 0, 1,
                                    1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.4f, 0, 0, 1};
    const GeometryPtr blob = makeBlobby(made.context, 2, code, {&floats, 1}, {&same, 1});
    REQUIRE(blob);
    int wrong = 0;
    for (int f = 0; f < blob->faceCount(); f += 29) {
      const Grid grid(*blob, f, {}, 2, 2, {"c8", "u7", "v7", "v6"});
      for (const char* name : {"c8", "u7", "v7", "v6"})
        for (int c = 0; c < grid.vars.find(name)->spec.width(); ++c)
          if (std::abs(grid.value(name, 1, 1, c) - valueAt({1, 2, 3}, c)) > 1e-4f) ++wrong;
    }
    CHECK(wrong == 0);
  }
}

}  // namespace reyes::geom::test
