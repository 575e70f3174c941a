// SPDX-License-Identifier: Apache-2.0
// Trim curves: regions against closed forms, borders of the surface, both senses, loops in loops, faulty curves.
#include "geom_check.h"
#include "reyes/geom/trim_curves.h"

namespace reyes::geom::test {
namespace {

const float kHalf = static_cast<float>(std::sqrt(0.5));

/// Adds a circle as one rational quadratic curve, a loop of its own.
void addCircle(TrimCurves& t, float u, float v, float r) {
  const float c[9][3] = {{1, 0, 1},       {1, 1, kHalf}, {0, 1, 1},      {-1, 1, kHalf}, {-1, 0, 1},
                         {-1, -1, kHalf}, {0, -1, 1},    {1, -1, kHalf}, {1, 0, 1}};
  for (const float k : {0.f, 0.f, 0.f, .25f, .25f, .5f, .5f, .75f, .75f, 1.f, 1.f, 1.f}) t.knots.push_back(k);
  for (const auto& p : c) {
    t.u.push_back((u + r * p[0]) * p[2]);
    t.v.push_back((v + r * p[1]) * p[2]);
    t.w.push_back(p[2]);
  }
  t.curves.push_back(1), t.order.push_back(3), t.n.push_back(9), t.min.push_back(0), t.max.push_back(1);
}
/// Adds a polygon: a loop of straight curves, one a side.
void addPolygon(TrimCurves& t, const std::vector<Vec2>& p) {
  t.curves.push_back(static_cast<int>(p.size()));
  for (size_t i = 0; i < p.size(); ++i) {
    const Vec2 a = p[i], b = p[(i + 1) % p.size()];
    t.order.push_back(2), t.n.push_back(2), t.min.push_back(0), t.max.push_back(1);
    for (const float k : {0.f, 0.f, 1.f, 1.f}) t.knots.push_back(k);
    t.u.insert(t.u.end(), {a.x, b.x}), t.v.insert(t.v.end(), {a.y, b.y}), t.w.insert(t.w.end(), {1, 1});
  }
}
std::shared_ptr<const Outline> outline(Made& made, const TrimCurves& t, bool inside = true) {
  made.context.trim = std::make_shared<TrimCurves>(t);
  made.context.trimInside = inside;
  const float range[4] = {0, 1, 0, 1};
  return makeTrim(made.context, range);
}

}  // namespace

TEST_CASE("a circle: in and out to a millionth; boxes; both senses") {
  TrimCurves t;
  addCircle(t, 0.5f, 0.5f, 0.3f);
  for (const bool inside : {true, false}) {
    Made made;
    const auto o = outline(made, t, inside);
    REQUIRE(o);
    CHECK(made.diag.all().empty());
    for (int i = 0; i < 1000; ++i) {
      const double a = i * 0.3711;
      for (const double r : {0.3 - 2e-6, 0.3 + 2e-6}) {
        const float u = static_cast<float>(0.5 + r * std::cos(a)), v = static_cast<float>(0.5 + r * std::sin(a));
        CHECK(o->inside(u, v) == ((r < 0.3) == inside));
      }
    }
    const auto in = inside ? Outline::Cover::kIn : Outline::Cover::kOut;
    const auto out = inside ? Outline::Cover::kOut : Outline::Cover::kIn;
    CHECK(o->cover(0.4f, 0.6f, 0.4f, 0.6f) == in);
    CHECK(o->cover(0.75f, 0.85f, 0.45f, 0.55f) == Outline::Cover::kBorder);
    CHECK(o->cover(0.72f, 0.8f, 0.72f, 0.8f) == out);
    CHECK(o->cover(0, 0.1f, 0, 0.1f) == out);
    CHECK(o->cover(0, 1, 0, 1) == Outline::Cover::kBorder);
  }
}

TEST_CASE("loops in loops, and curves along the border of the surface") {
  TrimCurves t;
  addPolygon(t, {{0, 0}, {1, 0}, {1, 1}, {0, 1}});
  addCircle(t, 0.5f, 0.5f, 0.4f);
  addCircle(t, 0.5f, 0.5f, 0.2f);
  Made made;
  const auto o = outline(made, t);
  REQUIRE(o);
  for (const auto& [u, v, in] : std::initializer_list<std::tuple<float, float, bool>>{{0, 0, true},
                                                                                      {1, 1, true},
                                                                                      {0, 0.3f, true},
                                                                                      {1, 0.7f, true},
                                                                                      {0.4f, 1, true},
                                                                                      {0.6f, 0, true},
                                                                                      {0.5f, 0.15f, false},
                                                                                      {0.5f, 0.5f, true},
                                                                                      {0.35f, 0.35f, false},
                                                                                      {0.05f, 0.95f, true}})
    CHECK(o->inside(u, v) == in);
  CHECK(o->cover(0, 0.05f, 0, 0.05f) == Outline::Cover::kIn);
  // Half of the square, the slope meets the border at its corners.
  TrimCurves half;
  addPolygon(half, {{0, 0}, {1, 0}, {1, 1}});
  const auto h = outline(made, half);
  CHECK(h->inside(1, 0.5f));
  CHECK(h->inside(0.5f, 0));
  CHECK(h->inside(0.5f, 0.4999f));
  CHECK_FALSE(h->inside(0.5f, 0.5001f));
  CHECK_FALSE(h->inside(0, 0.5f));
  CHECK(made.diag.all().empty());
}

TEST_CASE("NURBS know their trim; faulty curves are named and leave the surface whole") {
  Made made;
  const std::vector<float> k = {0, 0, 1, 1};
  const ParamList p = points({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
  const auto make = [&](Made& m) { return makeNuPatch(m.context, {2, 2, k, 0, 1}, {2, 2, k, 0, 1}, {&p, 1}); };
  CHECK(make(made)->outline() == nullptr);
  TrimCurves t;
  addCircle(t, 0.5f, 0.5f, 0.3f);
  made.context.trim = std::make_shared<TrimCurves>(t);
  const auto g = make(made);
  REQUIRE(g->outline());
  CHECK(g->outline()->inside(0.5f, 0.5f));
  CHECK(made.diag.all().empty());
  TrimCurves knots = t, few = t, weight = t, open;
  knots.knots[3] = -1;
  few.u.pop_back();
  weight.w[2] = 0;
  addPolygon(open, {{0.2f, 0.2f}, {0.8f, 0.2f}, {0.5f, 0.8f}});
  open.curves[0] = 2, open.order.pop_back(), open.n.pop_back();
  TrimCurves none = t, more = t;
  none.curves[0] = -1;
  for (const TrimCurves* bad : {&knots, &few, &weight, &none}) {
    Made m;
    m.context.trim = std::make_shared<TrimCurves>(*bad);
    CHECK(make(m)->outline() == nullptr);
    CHECK(m.diag.hasCode("geom-bad-trim"));
  }
  more.curves[0] -= 1;
  Made spare;
  outline(spare, more);
  CHECK(spare.diag.hasCode("geom-bad-trim"));
  Made m;
  CHECK(outline(m, open)->inside(0.5f, 0.4f));
  CHECK(m.diag.hasCode("geom-open-trim"));
}

}  // namespace reyes::geom::test
