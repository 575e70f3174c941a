// SPDX-License-Identifier: Apache-2.0
// The teapot: one topology, outward normals, open only where Newell left it open.
#include "geom_check.h"

namespace reyes::geom::test {

TEST_CASE("teapot: size, topology, bounds, bit-equal borders") {
  Made made;
  const auto g = makeTeapot(made.context, {});
  REQUIRE(g->faceCount() == 32);
  const Bound3 b = g->bound(0, 32, 0);
  CHECK(b.min.z == doctest::Approx(0).epsilon(1e-4));
  CHECK(b.max.z == doctest::Approx(3.15f));
  CHECK(b.min.x == doctest::Approx(-3));
  CHECK(b.max.x > 3.3f);
  CHECK(b.min.y == doctest::Approx(-b.max.y));
  int open = 0;
  for (const auto& [id, uses] : edgeUses(*g)) {
    CHECK(uses <= 2);
    open += uses == 1;
  }
  // Inner rim 4, lid 4, handle's ends 4, spout's ends 4.
  CHECK(open == 16);
  checkFaces(*g, 1e-5f);
  checkBounds(*g, 200);
  checkParts(*g, 5);
}

TEST_CASE("teapot: the body's normals point away from the axis, the bottom's down, the knob's tip up") {
  Made made;
  const auto g = makeTeapot(made.context, {});
  for (int face = 4; face < 12; ++face) {
    const Grid grid(*g, face, {}, 4, 4);
    for (int j = 0; j <= 4; ++j)
      for (int i = 0; i <= 4; ++i) {
        const Vec3 p = grid.triple("P", i, j);
        CHECK(dot(grid.triple("Ng", i, j), {p.x, p.y, 0}) > 0);
      }
  }
  CHECK(Grid(*g, 0, {}, 4, 4).triple("Ng", 2, 0).z < -0.999f);
  CHECK(Grid(*g, 20, {}, 4, 4).triple("Ng", 2, 4).z > 0.999f);
  // Handle and spout face away from their plane of symmetry at their sides.
  for (int face = 24; face < 32; ++face)
    CHECK(Grid(*g, face, {}, 4, 4).triple("Ng", 2, 2).y * (face % 2 == 0 ? -1.0f : 1.0f) > 0);
}

}  // namespace reyes::geom::test
