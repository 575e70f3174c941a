// SPDX-License-Identifier: Apache-2.0
// Subdivision surfaces: the limit against known masks and against OpenSubdiv's own evaluation, shared edges and
// vertices bit for bit, tags, primvars a class.
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyDescriptor.h>

#include "geom_check.h"
#include "reyes/geom/patch_set.h"
#include "reyes/geom/subdiv_cache.h"
#include "subdiv_reference.h"

namespace reyes::geom::test {
namespace {

struct Mesh {
  std::vector<int> counts, ids;
  std::vector<float> p;
  Vec3 at(int v) const {
    return {p[static_cast<size_t>(3 * v)], p[static_cast<size_t>(3 * v + 1)], p[static_cast<size_t>(3 * v + 2)]};
  }
};

Mesh cube() {
  Mesh m;
  m.counts.assign(6, 4);
  m.ids = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
  for (int i = 0; i < 8; ++i) m.p.insert(m.p.end(), {(i & 1) * 2.0f - 1, (i >> 1 & 1) * 2.0f - 1, (i >> 2) * 2.0f - 1});
  return m;
}

/// A prism over a polygon of n corners: two n-gons and n quads.
Mesh prism(int n) {
  Mesh m;
  for (int level = 0; level < 2; ++level)
    for (int i = 0; i < n; ++i)
      m.p.insert(m.p.end(), {static_cast<float>(std::cos(2 * M_PI * i / n)),
                             static_cast<float>(std::sin(2 * M_PI * i / n)), static_cast<float>(level)});
  m.counts = {n, n};
  for (int i = 0; i < n; ++i) m.ids.push_back(n - 1 - i);
  for (int i = 0; i < n; ++i) m.ids.push_back(n + i);
  for (int i = 0; i < n; ++i) {
    m.counts.push_back(4);
    m.ids.insert(m.ids.end(), {i, (i + 1) % n, n + (i + 1) % n, n + i});
  }
  return m;
}

/// Only triangles: no edge has a quad.
Mesh octahedron() {
  Mesh m;
  m.p = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
  m.ids = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
  m.counts.assign(8, 3);
  return m;
}

Mesh sheet(int nu, int nv) {
  Mesh m;
  std::mt19937 random(9);
  for (int j = 0; j <= nv; ++j)
    for (int i = 0; i <= nu; ++i)
      m.p.insert(m.p.end(), {static_cast<float>(i), static_cast<float>(j), static_cast<float>(random() % 100) * 0.01f});
  for (int j = 0; j < nv; ++j)
    for (int i = 0; i < nu; ++i) {
      const int a = j * (nu + 1) + i;
      m.counts.push_back(4);
      m.ids.insert(m.ids.end(), {a, a + 1, a + nu + 2, a + nu + 1});
    }
  return m;
}

/// A sheet of triangles.
Mesh triangles(int nu, int nv) {
  Mesh m = sheet(nu, nv), t;
  t.p = m.p;
  for (size_t f = 0; f < m.counts.size(); ++f) {
    const int* q = &m.ids[4 * f];
    t.counts.insert(t.counts.end(), {3, 3});
    t.ids.insert(t.ids.end(), {q[0], q[1], q[2], q[0], q[2], q[3]});
  }
  return t;
}

struct Tags {
  std::vector<std::string> names;
  std::vector<int> argCounts, ints;
  std::vector<float> floats;
  void add(const char* name, std::vector<int> i, std::vector<float> f = {}) {
    names.push_back(name);
    argCounts.insert(argCounts.end(), {static_cast<int>(i.size()), static_cast<int>(f.size())});
    ints.insert(ints.end(), i.begin(), i.end());
    floats.insert(floats.end(), f.begin(), f.end());
  }
  operator SubdivTags() const { return {names, argCounts, ints, floats}; }
};

GeometryPtr make(Made& made, const Mesh& m, const Tags& tags = {}, std::vector<Param> more = {},
                 const char* scheme = "catmull-clark") {
  more.insert(more.begin(), param("vertex point P", m.p));
  const ParamList l = list(std::move(more));
  return makeSubdivision(made.context, scheme, m.counts, m.ids, tags, {&l, 1});
}

void checkAll(const Geometry& g, float tolerance = 1e-5f) {
  checkFaces(g, tolerance, 60);
  checkBounds(g, 60);
  checkParts(g, 0);
  checkParts(g, g.faceCount() - 1);
}

float distanceToReference(const Geometry& g, const Mesh& m, const std::vector<int>& creases = {},
                          const std::vector<float>& sharpness = {}, bool loop = false) {
  SubdivShape s;
  s.counts = m.counts, s.ids = m.ids, s.p = m.p, s.creases = creases, s.creaseSharpness = sharpness;
  if (loop) s.scheme = "loop";
  return distanceToReference(g, s);
}

/// Limits at the vertices of a quad mesh with creases by Chaikin's rule, after six uniform refinements.
std::vector<Vec3> chaikinLimits(const Mesh& m, const std::vector<int>& creases, const std::vector<float>& sharpness) {
  namespace Far = OpenSubdiv::Far;
  struct Value {
    Vec3 p;
    void Clear(void* = nullptr) { p = Vec3(); }
    void AddWithWeight(const Value& o, float w) { p += o.p * w; }
  };
  Far::TopologyDescriptor d;
  d.numVertices = static_cast<int>(m.p.size() / 3), d.numFaces = static_cast<int>(m.counts.size());
  d.numVertsPerFace = m.counts.data(), d.vertIndicesPerFace = m.ids.data();
  d.numCreases = static_cast<int>(sharpness.size());
  d.creaseVertexIndexPairs = creases.data(), d.creaseWeights = sharpness.data();
  OpenSubdiv::Sdc::Options o;
  o.SetCreasingMethod(OpenSubdiv::Sdc::Options::CREASE_CHAIKIN);
  using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
  const std::unique_ptr<Far::TopologyRefiner> refiner(
      Factory::Create(d, Factory::Options(OpenSubdiv::Sdc::SCHEME_CATMARK, o)));
  Far::TopologyRefiner::UniformOptions uniform(6);
  uniform.fullTopologyInLastLevel = true;
  refiner->RefineUniform(uniform);
  std::vector<Value> values(m.p.size() / 3);
  std::vector<int> place(values.size());
  for (size_t v = 0; v < values.size(); ++v) values[v].p = m.at(static_cast<int>(v)), place[v] = static_cast<int>(v);
  const Far::PrimvarRefiner primvars(*refiner);
  for (int level = 1; level <= 6; ++level) {
    std::vector<Value> next(static_cast<size_t>(refiner->GetLevel(level).GetNumVertices()));
    primvars.Interpolate(level, values, next);
    for (int& v : place) v = refiner->GetLevel(level - 1).GetVertexChildVertex(v);
    values = std::move(next);
  }
  std::vector<Value> limit(values.size());
  primvars.Limit(values, limit);
  std::vector<Vec3> result;
  for (const int v : place) result.push_back(limit[static_cast<size_t>(v)].p);
  return result;
}

}  // namespace

TEST_CASE("cube: closed, corners at their limit, close to the reference") {
  Made made;
  const Mesh m = cube();
  const auto g = make(made, m);
  REQUIRE(g->faceCount() == 6);
  for (const auto& [id, uses] : edgeUses(*g)) CHECK(uses == 2);
  CHECK(edgeUses(*g).size() == 12);
  // Limit at a corner of valence 3: 9/24 of itself, 4/24 of each neighbour, 1/24 of each diagonal.
  const Vec3 expected =
      m.at(0) * (9.0f / 24) + (m.at(1) + m.at(2) + m.at(4)) * (4.0f / 24) + (m.at(3) + m.at(5) + m.at(6)) * (1.0f / 24);
  CHECK(distance(Grid(*g, 0, {}, 2, 2).triple("P", 0, 0), expected) < 1e-6f);
  CHECK(distanceToReference(*g, m) < 1e-5f);
  for (int f = 0; f < 6; ++f) {
    const Grid q(*g, f, {}, 4, 4);
    CHECK(dot(q.triple("Ng", 1, 2), q.triple("P", 1, 2)) > 0.5f);
  }
  checkAll(*g);
}

TEST_CASE("prisms: faces that are no quads become a quad a corner, sides are halves of their edges") {
  for (const int n : {3, 5, 7}) {
    Made made;
    const Mesh m = prism(n);
    const auto g = make(made, m);
    REQUIRE(g->faceCount() == 3 * n);
    const FaceEdge half = g->edge(0, Side::kV0);
    CHECK(std::abs(half.t1 - half.t0) == 0.5f);
    CHECK(half.ownerFace >= 2 * n);
    CHECK(distanceToReference(*g, m) < 1e-5f);
    checkAll(*g);
  }
}

TEST_CASE("octahedron: triangles alone, halves are edges of their own") {
  Made made;
  const Mesh m = octahedron();
  const auto g = make(made, m);
  REQUIRE(g->faceCount() == 24);
  for (const auto& [id, uses] : edgeUses(*g)) CHECK(uses == 2);
  CHECK(edgeUses(*g).size() == 48);
  CHECK(distanceToReference(*g, m) < 1e-5f);
  checkAll(*g);
}

TEST_CASE("sheet: boundary faces are drawn with interpolateboundary alone; inner ones are B-splines") {
  Made made;
  const Mesh m = sheet(4, 4);
  const auto inner = make(made, m);
  REQUIRE(inner->faceCount() == 4);
  // (1 4 1) x (1 4 1) / 36 around vertex 6.
  Vec3 expected;
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) expected += m.at(j * 5 + i) * ((i == 1 ? 4.0f : 1.0f) * (j == 1 ? 4.0f : 1.0f) / 36);
  CHECK(distance(Grid(*inner, 0, {}, 1, 1).triple("P", 0, 0), expected) < 1e-6f);
  checkAll(*inner);
  Tags tags;
  tags.add("interpolateboundary", {});
  const auto whole = make(made, m, tags);
  REQUIRE(whole->faceCount() == 16);
  CHECK(distance(Grid(*whole, 0, {}, 1, 1).triple("P", 0, 0), m.at(0)) < 1e-6f);
  CHECK(distanceToReference(*whole, m) < 1e-5f);
  checkAll(*whole);
  CHECK_FALSE(make(made, sheet(1, 1)));
  CHECK(made.diag.hasCode("geom-degenerate"));
}

TEST_CASE("creases, corners, holes") {
  Made made;
  const Mesh m = cube();
  Tags sharp;
  sharp.add("crease", {4, 5, 7, 6, 4}, {10});
  sharp.add("corner", {0}, {10});
  sharp.add("hole", {1});
  const auto g = make(made, m, sharp);
  REQUIRE(g->faceCount() == 5);
  CHECK(distance(Grid(*g, 0, {}, 1, 1).triple("P", 0, 0), m.at(0)) < 1e-6f);
  // The creased rim stays in its plane, and follows the curve of its own points: (1 4 1) / 6.
  const Vec3 rim = (m.at(4) + m.at(5) * 4 + m.at(7)) / 6;
  bool found = false;
  for (int f = 0; f < 5; ++f)
    for (int k = 0; k < 4; ++k) {
      const Grid q(*g, f, {}, 1, 1);
      found = found || distance(q.triple("P", k & 1, k >> 1), rim) < 1e-5f;
    }
  CHECK(found);
  checkAll(*g);
  Tags soft;
  soft.add("crease", {4, 5, 7, 6, 4}, {2.5f});
  const auto s = make(made, m, soft);
  CHECK(distanceToReference(*s, m, {4, 5, 5, 7, 7, 6, 6, 4}, {2.5f, 2.5f, 2.5f, 2.5f}) < 1e-3f);
  checkAll(*s);
  Tags bad;
  bad.add("crease", {4, 99}, {1});
  bad.add("crease", {0, 7}, {1});
  bad.add("dent", {1});
  CHECK(make(made, m, bad));
  CHECK(made.diag.hasCode("geom-bad-index"));
  CHECK(made.diag.hasCode("geom-unknown-tag"));
  CHECK(made.diag.hasCode("geom-bad-crease"));
}

TEST_CASE("primvars: vertex at the limit, varying between corners, facevarying with its own topology") {
  Made made;
  Mesh m = cube();
  std::vector<float> id(8), st;
  for (int i = 0; i < 8; ++i) id[static_cast<size_t>(i)] = static_cast<float>(i);
  for (int f = 0; f < 6; ++f) st.insert(st.end(), {0, 0, 1, 0, 1, 1, 0, 1});
  const std::vector<Param> more = {
      param("vertex point copy", m.p), param("varying float id", id), param("facevarying float[2] st", st),
      param("uniform float face", {0, 1, 2, 3, 4, 5}), param("constant color c", {1, 2, 3})};
  const std::vector<Name> names = {"copy", "id", "st", "face", "c"};
  const auto g = make(made, m, {}, more);
  const Grid q(*g, 2, {}, 4, 4, names);
  for (int j = 0; j <= 4; ++j)
    for (int i = 0; i <= 4; ++i) CHECK(sameBits(q.triple("copy", i, j), q.triple("P", i, j)));
  CHECK(q.value("id", 4, 0) == 1);
  CHECK(q.value("id", 4, 4) == 5);
  CHECK(q.value("id", 2, 2) == 2.5f);
  // A face of st alone: a square whose corners stay.
  CHECK(q.value("s", 0, 0) == doctest::Approx(0));
  CHECK(q.value("s", 4, 4) == doctest::Approx(1));
  CHECK(q.value("t", 2, 2) == doctest::Approx(0.5f));
  CHECK(q.value("face", 0, 0) == 2);
  checkParts(*g, 2, names);
  // Shared values are smooth: as the surface is.
  std::vector<float> same;
  for (const int v : m.ids) same.push_back(m.p[static_cast<size_t>(3 * v)]);
  const auto smooth = make(made, m, {}, {param("facevarying float x", same)});
  const Grid s(*smooth, 1, {}, 4, 4, {"x"});
  for (int i = 0; i <= 4; ++i) CHECK(s.value("x", i, 1) == doctest::Approx(s.triple("P", i, 1).x).epsilon(1e-4));
  Tags linear;
  linear.add("facevaryinginterpolateboundary", {0});
  const Grid l(*make(made, m, linear, {param("facevarying float x", same)}), 1, {}, 4, 4, {"x"});
  CHECK(l.value("x", 1, 1) == -0.5f);
  // A face that is no quad: corner, means of two, mean of all.
  const Mesh p = prism(5);
  std::vector<float> w(10);
  for (int i = 0; i < 10; ++i) w[static_cast<size_t>(i)] = static_cast<float>(i);
  const Grid n(*make(made, p, {}, {param("varying float w", w)}), 5, {}, 2, 2, {"w"});
  CHECK(n.value("w", 0, 0) == 5);
  CHECK(n.value("w", 2, 0) == 5.5f);
  CHECK(n.value("w", 0, 2) == 7);
  CHECK(n.value("w", 2, 2) == doctest::Approx(7));
}

TEST_CASE("subdivision: keys, bad faces, unknown schemes") {
  Made made;
  Mesh m = prism(5);
  const ParamList keys[2] = {points(m.p), points([&] {
                               std::vector<float> q = m.p;
                               for (float& f : q) f *= 2;
                               return q;
                             }())};
  const auto g = makeSubdivision(made.context, "catmull-clark", m.counts, m.ids, {}, keys);
  REQUIRE(g->keyCount() == 2);
  CHECK(distance(Grid(*g, 3, {}, 2, 2, {}, 1).triple("P", 1, 1), Grid(*g, 3, {}, 2, 2).triple("P", 1, 1) * 2) < 1e-5f);
  checkAll(*g);
  m.ids[0] = 77;
  m.ids[5] = m.ids[6];
  const auto rest = make(made, m);
  CHECK(rest == nullptr);  // the open rest has no face that is not at the boundary
  Tags tags;
  tags.add("interpolateboundary", {2});
  CHECK(make(made, m, tags)->faceCount() == 5);
  CHECK(made.diag.hasCode("geom-bad-index"));
  CHECK(made.diag.hasCode("geom-bad-face"));
  const ParamList l = points(cube().p);
  CHECK_FALSE(makeSubdivision(made.context, "loop", cube().counts, cube().ids, {}, {&l, 1}));
  CHECK(makeSubdivision(made.context, "butterfly", cube().counts, cube().ids, {}, {&l, 1}));
  CHECK(made.diag.hasCode("geom-unsupported-scheme"));
  CHECK(makeSubdivision(made.context, "bilinear", cube().counts, cube().ids, {}, {&l, 1})->faceCount() == 6);
  // Three faces on an edge.
  Mesh fan;
  fan.p = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, -1, 1, 0, -1, 1, 1, -1, -1, 0, -1, -1, 1};
  fan.counts = {4, 4, 4};
  fan.ids = {0, 2, 3, 1, 0, 4, 5, 1, 0, 6, 7, 1};
  const auto f = make(made, fan, tags);
  REQUIRE(f);
  CHECK(made.diag.hasCode("geom-non-manifold"));
  checkAll(*f);
}

TEST_CASE("loop: box splines and Gregory triangles, a third of a triangle a face") {
  Made made;
  const Mesh closed = octahedron(), open = triangles(4, 3);
  const auto g = make(made, closed, {}, {}, "loop");
  REQUIRE(g);
  CHECK(g->faceCount() == 24);
  for (const auto& [id, uses] : edgeUses(*g)) CHECK(uses == 2);
  CHECK(distanceToReference(*g, closed, {}, {}, true) < 1e-5f);
  checkAll(*g, 2e-5f);
  Tags tags;
  tags.add("interpolateboundary", {1});
  const std::vector<float> w(open.p.size() / 3, 1.0f);
  const auto s = make(made, open, tags, {param("vertex point copy", open.p), param("vertex float one", w)}, "loop");
  REQUIRE(s);
  CHECK(distanceToReference(*s, open, {}, {}, true) < 1e-5f);
  checkAll(*s, 2e-5f);
  CHECK(distance(Grid(*s, 19, {}, 1, 1).triple("P", 0, 0), open.at(4)) < 1e-5f);
  const Grid q(*s, 20, {}, 8, 8, {"copy", "one"});
  for (int j = 0; j <= 8; ++j)
    for (int i = 0; i <= 8; ++i) {
      CHECK(sameBits(q.triple("copy", i, j), q.triple("P", i, j)));
      CHECK(q.value("one", i, j) == doctest::Approx(1));
    }
  // Tangents against differences, on regular and Gregory triangles.
  for (const Geometry* shape : {g.get(), s.get()})
    for (int f = 0; f < shape->faceCount(); f += 7) {
      const float h = 1.0f / 128;
      const Grid fine(*shape, f, {0.5f - h, 0.5f + h, 0.25f - h, 0.25f + h}, 2, 2);
      CHECK(distance((fine.triple("P", 2, 1) - fine.triple("P", 0, 1)) / (2 * h), fine.triple("dPdu", 1, 1)) < 4e-3f);
      CHECK(distance((fine.triple("P", 1, 2) - fine.triple("P", 1, 0)) / (2 * h), fine.triple("dPdv", 1, 1)) < 4e-3f);
    }
  // Facevarying data with seams.
  std::vector<float> st;
  for (size_t f = 0; f < closed.counts.size(); ++f) st.insert(st.end(), {0, 0, 1, 0, 0, 1});
  const Grid t(*make(made, closed, {}, {param("facevarying float[2] st", st)}, "loop"), 4, {}, 4, 4);
  CHECK(std::abs(t.value("s", 0, 0) - 1) < 1e-4f);
}

TEST_CASE("bilinear: flat between the points of its mesh, holes left out") {
  Made made;
  const Mesh m = prism(5);
  Tags hole;
  hole.add("hole", {0});
  const auto g = make(made, m, {}, {}, "bilinear"), h = make(made, m, hole, {}, "bilinear");
  REQUIRE(g->faceCount() == 15);
  CHECK(h->faceCount() == 10);
  const Grid top(*g, 5, {}, 4, 4);
  CHECK(top.triple("P", 0, 0) == m.at(5));
  CHECK(distance(top.triple("P", 4, 0), (m.at(5) + m.at(6)) / 2) < 1e-6f);
  CHECK(distance(top.triple("P", 4, 4), {0, 0, 1}) < 1e-6f);
  for (const auto& [id, uses] : edgeUses(*g)) CHECK(uses >= 1);
  checkAll(*g);
}

TEST_CASE("creases by Chaikin's rule; facevarying boundaries; tags with words") {
  Made made;
  const Mesh m = cube();
  const std::vector<int> pairs = {4, 5, 5, 7};
  const std::vector<float> sharp = {1.2f, 3.4f};
  Tags tags;
  tags.add("crease", {4, 5, 7}, sharp);
  const auto plain = make(made, m, tags);
  const std::vector<std::string> names = {"crease", "creasemethod"}, words = {"chaikin"};
  const std::vector<int> counts = {3, 2, 0, 0, 0, 1}, ints = {4, 5, 7};
  const ParamList l = points(m.p);
  const auto g =
      makeSubdivision(made.context, "catmull-clark", m.counts, m.ids, {names, counts, ints, sharp, words}, {&l, 1});
  REQUIRE(g);
  CHECK(made.diag.all().empty());
  CHECK(distanceToReference(*plain, m, pairs, sharp) < 1e-3f);
  const std::vector<Vec3> limits = chaikinLimits(m, pairs, sharp);
  float other = 0;
  for (int f = 0; f < 6; ++f)
    for (int k = 0; k < 4; ++k) {
      const int v = m.ids[static_cast<size_t>(4 * f + k)], i = k == 1 || k == 2, j = k > 1;
      CHECK(distance(Grid(*g, f, {}, 1, 1).triple("P", i, j), limits[static_cast<size_t>(v)]) < 1e-4f);
      other = std::max(other, distance(Grid(*plain, f, {}, 1, 1).triple("P", i, j), limits[static_cast<size_t>(v)]));
    }
  CHECK(other > 2e-3f);
  checkAll(*g);
  Tags odd;
  odd.add("facevaryinginterpolateboundary", {9});
  odd.add("creasemethod", {7});
  CHECK(make(made, m, odd));
  CHECK(made.diag.hasCode("geom-bad-tag"));
}

TEST_CASE("meshes with one topology share it, whatever their points") {
  SubdivCache cache;
  Made plain, cached;
  cached.context.subdivCache = &cache;
  for (int round = 0; round < 3; ++round) {
    Mesh m = prism(5);
    for (size_t i = 0; i < m.p.size(); ++i) m.p[i] += 0.1f * static_cast<float>(round) * static_cast<float>(i % 4);
    // The last one has a seam where the others have none.
    std::vector<float> st(30, 0.5f);
    if (round == 2) st[3] = 1;
    const std::vector<Param> more = {param("facevarying float w", st)};
    const auto a = make(plain, m, {}, more), b = make(cached, m, {}, more);
    for (int f = 0; f < a->faceCount(); ++f) {
      const Grid x(*a, f, {}, 4, 4, {"w"}), y(*b, f, {}, 4, 4, {"w"});
      for (int k = 0; k < 25; ++k) {
        CHECK(sameBits(x.triple("P", k % 5, k / 5), y.triple("P", k % 5, k / 5)));
        CHECK(x.value("w", k % 5, k / 5) == y.value("w", k % 5, k / 5));
      }
    }
    checkAll(*b);
  }
}

}  // namespace reyes::geom::test
