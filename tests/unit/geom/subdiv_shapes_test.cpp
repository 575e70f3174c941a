// SPDX-License-Identifier: Apache-2.0
// Every shape of subdiv_shapes.h: the limit against OpenSubdiv's own evaluation, shared edges and vertices bit for bit,
// bounds that hold, closed where they are closed.
#include "subdiv_reference.h"

namespace reyes::geom::test {
namespace {

GeometryPtr make(Made& made, const SubdivShape& s) {
  std::vector<std::string> names{"interpolateboundary"};
  std::vector<int> counts{1, 0}, ints{1};
  std::vector<float> floats;
  for (size_t i = 0; i < s.creaseSharpness.size(); ++i) {
    names.push_back("crease"), counts.insert(counts.end(), {2, 1});
    ints.insert(ints.end(), {s.creases[2 * i], s.creases[2 * i + 1]}), floats.push_back(s.creaseSharpness[i]);
  }
  for (size_t i = 0; i < s.corners.size(); ++i) {
    names.push_back("corner"), counts.insert(counts.end(), {1, 1});
    ints.push_back(s.corners[i]), floats.push_back(s.cornerSharpness[i]);
  }
  for (const int h : s.holes) names.push_back("hole"), counts.insert(counts.end(), {1, 0}), ints.push_back(h);
  const ParamList l = points(s.p);
  return makeSubdivision(made.context, s.scheme, s.counts, s.ids, {names, counts, ints, floats}, {&l, 1});
}

}  // namespace

TEST_CASE("subdivision of hard shapes: at the limit, whole, within bounds") {
  for (const SubdivShape& s : subdivShapes()) {
    CAPTURE(s.name);
    Made made;
    const auto g = make(made, s);
    REQUIRE(g);
    CHECK(made.diag.all().empty());
    CHECK(distanceToReference(*g, s) < 1e-5f);
    checkFaces(*g, 1e-5f, 60);
    checkBounds(*g, 40);
    checkParts(*g, 0);
    int open = 0;
    for (const auto& [id, uses] : edgeUses(*g)) open += uses == 2 ? 0 : 1;
    CHECK((open == 0) == s.closed);
  }
}

}  // namespace reyes::geom::test
