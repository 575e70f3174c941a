// SPDX-License-Identifier: Apache-2.0
// Faces with a control point very far away: bounds of their pieces stay conservative, and are as small as the pieces.
#include "geom_check.h"

namespace reyes::geom::test {
namespace {

/// n points near the origin, one of them at `far`.
std::vector<float> scattered(int n, int which, Vec3 far) {
  std::mt19937 random(static_cast<unsigned>(n + which));
  std::vector<float> p;
  for (int i = 0; i < 3 * n; ++i) p.push_back(static_cast<float>(random() % 2001) / 1000 - 1);
  for (int c = 0; c < 3; ++c) p[static_cast<size_t>(3 * which + c)] = far[c];
  return p;
}

/// Pieces around dyadic places: every point lies in its bound, and the bound of a small one is small where it is.
void checkPieces(const std::string& what, const GeometryPtr& made, float far) {
  CAPTURE(what);
  REQUIRE(made);
  const Geometry& g = *made;
  std::mt19937 random(3);
  int outside = 0, wide = 0;
  for (int n = 0; n < 600; ++n) {
    const int face = static_cast<int>(random() % static_cast<unsigned>(g.faceCount()));
    const int level = static_cast<int>(random() % 23);
    const auto size = static_cast<float>(1 << level);
    // Half of the pieces lie near corners, where the far point counts least.
    const auto place = [&] {
      const auto cells = static_cast<unsigned>(1 << level);
      const unsigned near = random() % std::min(cells, 4u), any = random() % cells;
      return static_cast<float>(random() % 2 ? any : random() % 2 ? near : cells - 1 - near) / size;
    };
    UvRect r;
    r.u0 = place(), r.v0 = place(), r.u1 = r.u0 + 1 / size, r.v1 = r.v0 + 1 / size;
    const Bound3 b = g.bound(face, r, 0);
    Vec2 uv[25];
    Vec3 p[25];
    for (int i = 0; i < 25; ++i) uv[i] = {gridParam(r.u0, r.u1, i % 5, 4), gridParam(r.v0, r.v1, i / 5, 4)};
    g.pointsAt(face, uv, 0, p);
    Bound3 exact;
    for (const Vec3 q : p) outside += inside(b, q) ? 0 : 1, exact.add(q);
    for (int c = 0; c < 3 && level > 12; ++c) {
      const float most = std::max(std::fabs(exact.min[c]), std::fabs(exact.max[c])) + (exact.max[c] - exact.min[c]);
      if (b.max[c] - b.min[c] > 8 * (exact.max[c] - exact.min[c]) + 1e-2f * most + far * 1e-14f) ++wide;
    }
  }
  CHECK(outside == 0);
  CHECK(wide == 0);
}

}  // namespace

TEST_CASE("pieces of faces with one far control point have bounds of their own size") {
  for (const float far : {1e3f, 1e6f, 1e12f}) {
    CAPTURE(far);
    Made made;
    const Vec3 at{far, -far, 0};
    const ParamList sixteen = points(scattered(16, 0, at)), four = points(scattered(4, 3, at));
    checkPieces("bicubic", makePatch(made.context, "bicubic", {&sixteen, 1}), far);
    checkPieces("bilinear", makePatch(made.context, "bilinear", {&four, 1}), far);
    const std::vector<float> k{0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    const ParamList many = points(scattered(25, 7, at));
    checkPieces("NURBS", makeNuPatch(made.context, {5, 5, k, 0, 1}, {5, 5, k, 0, 1}, {&many, 1}), far);
    std::vector<float> pw;
    for (int i = 0; i < 16; ++i)
      for (int c = 0; c < 4; ++c)
        pw.push_back(c == 3 ? 1 + 0.3f * static_cast<float>(i % 3)
                            : (i == 5 && c == 1 ? far : static_cast<float>((i * 7 + c * 3) % 11) / 5 - 1));
    const std::vector<float> bezier{0, 0, 0, 0, 1, 1, 1, 1};
    const ParamList rational = list({param("vertex hpoint Pw", pw)});
    checkPieces("rational", makeNuPatch(made.context, {4, 4, bezier, 0, 1}, {4, 4, bezier, 0, 1}, {&rational, 1}), far);
    // Three quads around a vertex.
    const std::vector<int> quads{4, 4, 4}, around{0, 1, 2, 3, 1, 4, 5, 2, 3, 2, 5, 6};
    const ParamList seven = points(scattered(7, 3, at));
    const std::vector<std::string> names{"interpolateboundary"};
    const std::vector<int> noArguments{0, 0};
    const SubdivTags tags{names, noArguments, {}, {}};
    checkPieces("Catmull-Clark", makeSubdivision(made.context, "catmull-clark", quads, around, tags, {&seven, 1}), far);
    const std::vector<int> triangles{3, 3, 3}, fan{0, 1, 2, 0, 2, 3, 0, 3, 4};
    const ParamList five = points(scattered(5, 4, at));
    checkPieces("Loop", makeSubdivision(made.context, "loop", triangles, fan, tags, {&five, 1}), far);
    checkPieces("bilinear mesh", makeSubdivision(made.context, "bilinear", quads, around, tags, {&seven, 1}), far);
    for (const Diagnostic& d : made.diag.all()) FAIL_CHECK(d.text);
  }
}

}  // namespace reyes::geom::test
