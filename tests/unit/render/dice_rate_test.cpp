// SPDX-License-Identifier: Apache-2.0
// The rate of pieces that split no further, and lengths outside the window.
#include <doctest/doctest.h>

#include "render_fixture.h"
#include "reyes/render/dice_rate.h"
#include "reyes/render/line.h"

using namespace reyes;
using namespace reyes::render;

TEST_CASE("a grid held to its size keeps the points of its sides") {
  DiceRate r;
  r.nu = 5000, r.nv = 300, r.leastU = 17, r.leastV = 16;
  for (const int gridSize : {1, 4, 256, 1000}) {
    const DiceRate h = held(r, gridSize);
    CHECK(h.nu >= r.leastU);
    CHECK(h.nv >= r.leastV);
    CHECK(h.nu * h.nv <= std::max(gridSize, 17 * 16));
  }
  const DiceRate same = held(r, 5000 * 300);
  CHECK(same.nu == 5000);
  CHECK(same.nv == 300);
}

TEST_CASE("however far a line is magnified its smallest piece has few points") {
  TestScene s(100, 100);
  s.view.projection = scene::ProjectionType::kOrthographic;
  const auto a = s.attributes();
  a->shadingRate = 0.01f;
  // One corner in the frame, 10^10 pixels to the next.
  scene::Primitive& p = s.add(s.patch({-1, -1, 1, 2e8f, -1, 1, -1, 2e8f, 1, 2e8f, 2e8f, 1}), a, {});
  const Projector projector(s.view, 1, 1);
  PrimitiveFrame frame;
  frame.prepare(s.world, s.view, projector, p, 1, false, false);
  const LinePtr line = Line::makeEdge(frame, 0, geom::Side::kV0, {}, {});
  CHECK(line->nearest(0x1p-22f) - line->nearest(0) <= 17);
  CHECK(line->count() < 4000);
  s.render(2);
  CHECK(s.diag.all().empty());
}
