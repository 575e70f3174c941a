// SPDX-License-Identifier: Apache-2.0
// Random and spoiled arguments of every request: a result or a message, never a crash; what is made dices to finite
// points inside its bound.
#include "geom_check.h"

#include <limits>

namespace reyes::geom::test {
namespace {

class Source {
 public:
  explicit Source(unsigned seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  float number() {
    static constexpr float kOdd[] = {
        0,      -0.0f, 1e-30f, 1e30f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(),
        -1e-3f, 360};
    return below(60) == 0 ? kOdd[below(8)] : static_cast<float>(below(9)) - 4;
  }
  std::vector<float> numbers(int n) {
    std::vector<float> v;
    for (int i = 0; i < n; ++i) v.push_back(number());
    return v;
  }
  std::vector<int> ints(int n, int low, int high) {
    std::vector<int> v;
    for (int i = 0; i < n; ++i) v.push_back(low + below(high - low));
    return v;
  }

 private:
  std::mt19937 random_;
};

void checkMade(const GeometryPtr& g) {
  if (!g) return;
  for (int f = 0; f < std::min(g->faceCount(), 6); ++f) {
    const UvRect rect{0.25f, 1, 0, 0.5f};
    const Bound3 b = g->bound(f, rect, 0);
    const Grid grid(*g, f, rect, 3, 3, {"a", "b"});
    int wrong = 0;
    for (int k = 0; k < 16; ++k) {
      const Vec3 p = grid.triple("P", k % 4, k / 4), n = grid.triple("Ng", k % 4, k / 4);
      if (!isFinite(p) || !inside(b, p) || !isFinite(n) || !(length(n) > 0.5f)) ++wrong;
    }
    CHECK(wrong == 0);
    for (const Side side : {Side::kV0, Side::kU1, Side::kV1, Side::kU0}) {
      const float t[3] = {0, 0.375f, 1};
      Vec3 p[3];
      g->edgePoints(f, side, t, 0, p);
      CHECK(isFinite(p[1]));
      CHECK(g->edge(g->edge(f, side).ownerFace, g->edge(f, side).ownerSide).id == g->edge(f, side).id);
    }
    for (int k = 0; k < 4; ++k) CHECK(g->vertex(f, k).ownerFace < g->faceCount());
  }
}

ParamList randomList(Source& s, int points) {
  return list({param("vertex point P", s.numbers(3 * points)), param("varying float a", s.numbers(1 + s.below(12))),
               param("facevarying float[2] b", s.numbers(s.below(60)))});
}

template <size_t N, class F>
void quadric(Made& made, Source& s, F make) {
  std::array<float, N> dims;
  for (float& f : dims) f = s.number();
  dims[N - 1] *= 90;
  checkMade(make(made.context, std::span<const std::array<float, N>>(&dims, 1), {}));
}

}  // namespace

TEST_CASE("random quadrics and meshes") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Source s(seed);
    Made made;
    quadric<4>(made, s, makeSphere);
    quadric<3>(made, s, makeCone);
    quadric<4>(made, s, makeCylinder);
    quadric<7>(made, s, makeHyperboloid);
    quadric<4>(made, s, makeParaboloid);
    quadric<3>(made, s, makeDisk);
    quadric<5>(made, s, makeTorus);
    static constexpr const char* kBases[] = {"bezier", "b-spline", "catmull-rom", "hermite", "power"};
    namedBasis(kBases[s.below(5)], made.context.uBasis, made.context.uStep);
    namedBasis(kBases[s.below(5)], made.context.vBasis, made.context.vStep);
    const int nu = s.below(9), nv = s.below(9);
    const ParamList l = randomList(s, nu * nv + (s.below(10) == 0 ? s.below(9) - 4 : 0) + 0 * 16);
    const char* wraps[] = {"periodic", "nonperiodic", "odd"};
    for (const char* type : {"bilinear", "bicubic"})
      checkMade(makePatchMesh(made.context, type, nu, wraps[s.below(3)], nv, wraps[s.below(3)], {&l, 1}));
  }
}

TEST_CASE("random polygons and subdivision meshes") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Source s(seed + 1000);
    Made made;
    const int points = 3 + s.below(12), faces = 1 + s.below(6);
    const std::vector<int> counts = s.ints(faces, s.below(5) == 0 ? -1 : 3, 6);
    int total = 0;
    for (const int n : counts) total += std::max(0, n);
    const std::vector<int> ids =
        s.ints(std::max(0, total - (s.below(8) == 0 ? 1 : 0)), s.below(10) == 0 ? -1 : 0, points);
    const ParamList l = randomList(s, points);
    std::vector<int> loops(static_cast<size_t>(faces), 1);
    if (s.below(2)) loops = {faces};
    checkMade(makePolygons(made.context, loops, counts, ids, {&l, 1}));
    const std::vector<std::string> names = {"interpolateboundary", "crease", "corner", "hole"};
    const std::vector<int> argCounts = {s.below(2), 0, 3, s.below(3), 2, 1, 1, 0}, ints = s.ints(s.below(9), 0, points);
    const std::vector<float> floats = s.numbers(s.below(6));
    const SubdivTags tags{names, argCounts, ints, floats};
    checkMade(makeSubdivision(made.context, "catmull-clark", counts, ids, tags, {&l, 1}));
  }
}

}  // namespace reyes::geom::test
