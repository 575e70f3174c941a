// SPDX-License-Identifier: Apache-2.0
// A ribbon of many pixels: rows across its centre line, an ordinary grid. Where it is displaced the rows follow the
// centre line, so that it stays as broad as it was where displacement bends it, as thin ribbons do. Called when a node
// of one curve is opened.
#include <algorithm>
#include <cmath>

#include "reyes/render/curve_builder.h"
#include "reyes/render/elements.h"
#include "reyes/render/grid_build.h"
#include "reyes/render/grid_dice.h"

namespace reyes::render {
namespace {

constexpr float kBeside = 1.0f / 64;  ///< of a segment: places beside a row, for its direction

/// The direction between two places of a displaced line; `other` where it has none.
Vec3 directionOr(Vec3 from, Vec3 to, Vec3 other) {
  const Vec3 d = to - from;
  const float l = length(d);
  return l > 0 ? d / l : other;
}

/// A cross-section's own axes, of unit length.
struct Axes {
  Vec3 side, normal, along;
  Axes(Vec3 broad, Vec3 direction) {
    const float l = length(broad);
    side = l > 0 ? broad / l : Vec3{1, 0, 0};
    normal = crossSectionNormal(side, direction, false);
    along = cross(normal, side);
  }
};

/// Beside every row of a piece: a run of two or three places of one segment, or, at a joint, two runs.
struct Besides {
  CurvePlan plan;
  std::vector<int> starts, row;  ///< of runs: first vertex, and whose row it is
  void add(int of, int element, int segment, float t0, float t1, int n) {
    starts.push_back(plan.vertices), row.push_back(of);
    plan.stretches.push_back({element, segment, t0, t1, n, true, true});
    plan.vertices += n + 1;
  }
};

Besides placesBeside(const geom::CurveSet& set, std::span<const geom::CurvePlace> rows) {
  Besides b;
  for (size_t j = 0; j < rows.size(); ++j) {
    const geom::CurvePlace& r = rows[j];
    const int of = static_cast<int>(j);
    const bool start = r.t == 0, end = r.t == 1;
    const int beside = start || end ? curveNeighbour(set, r.element, r.segment, end) : -1;
    if (beside >= 0) {
      b.add(of, r.element, start ? beside : r.segment, 1 - kBeside, 1, 1);
      b.add(of, r.element, start ? r.segment : beside, 0, kBeside, 1);
    } else if (start || end) {
      b.add(of, r.element, r.segment, start ? 0 : 1 - kBeside, start ? kBeside : 1, 1);
    } else {
      const float h = std::min({kBeside, r.t, 1 - r.t});
      b.add(of, r.element, r.segment, r.t - h, r.t + h, 2);
    }
  }
  return b;
}

}  // namespace

/// Variables of a broad ribbon: rows across, `nu` micropolygons in each.
void CurveBuilder::surfaceKey(int k, int nu, GridWork& work) {
  const geom::CurveSet& set = *node.prim->geometry().asCurves();
  const int row = nu + 1, rows = plan.vertices;
  work.arena.reset();
  work.vars = VarBlock(row * rows);
  makeLine(k, work);
  const bool flip = curveTurned(node, k);
  const CurveVariables vars = addCurveVariables(work);
  std::vector<geom::CurvePlace> all(static_cast<size_t>(row * rows));
  for (int j = 0; j < rows; ++j) {
    const Vec3 centre = at(line, &CurveLine::p, j), side = at(line, &CurveLine::side, j),
               along = at(line, &CurveLine::d, j), ng = crossSectionNormal(side, along, flip);
    const geom::CurvePlace& place = places[static_cast<size_t>(j)];
    const float v = (static_cast<float>(place.segment) + place.t) / static_cast<float>(set.segments(place.element));
    for (int i = 0; i < row; ++i) {
      const int to = j * row + i;
      const float u = geom::gridParam(node.rect.u0, node.rect.u1, i, nu);
      for (int c = 0; c < 3; ++c) {
        vars.p[c][to] = centre[c] + side[c] * (u - 0.5f);
        vars.du[c][to] = side[c], vars.dv[c][to] = along[c], vars.ng[c][to] = ng[c];
      }
      vars.u[to] = u, vars.v[to] = v;
      vars.s[to] = set.texture(0, u, v), vars.t[to] = set.texture(1, u, v);
      all[static_cast<size_t>(to)] = place;
    }
  }
  addCurvePrimvars(node, k, all, work);
  startShadeGrid(node, k, work);
  work.grid.elements = false, work.grid.runs = {};
  work.grid.nu = nu, work.grid.nv = rows - 1;
  work.grid.du = (node.rect.u1 - node.rect.u0) / static_cast<float>(nu);
  work.grid.dv = (node.rect.v1 - node.rect.v0) / static_cast<float>(rows - 1);
}

bool CurveBuilder::surface(int nu) {
  const PrimitiveFrame& prim = *node.prim;
  const int rows = plan.vertices, points = (nu + 1) * rows, keys = prim.keyCount();
  node.grid = std::make_unique<Grid>();
  Grid& grid = *node.grid;
  const size_t all = static_cast<size_t>(points) * static_cast<size_t>(keys);
  grid.positions = std::make_unique_for_overwrite<float[]>(3 * all);
  grid.bytes = static_cast<int64_t>(sizeof(Grid) + 3 * all * sizeof(float));
  hider::MicroGrid& m = grid.micro;
  m.nu = nu, m.nv = rows - 1, m.keys = keys, m.times = prim.shutterTimes();
  m.x = {grid.positions.get(), all}, m.y = {m.x.data() + all, all}, m.z = {m.y.data() + all, all};
  node.work = worker.works.take();
  curvePlaces(plan, places);
  RasterBound box;
  for (int k = 0; k < keys; ++k) {
    GridWork& work = k == 0 ? *node.work : worker.scratch;
    {
      const StageTimer timer(worker.stats, Stage::kDice);
      surfaceKey(k, nu, work);
    }
    if (prim.displaces()) {
      displaceElements(worker, node, k, work);
      followCentre(k, nu, work);
    }
    const Var p = *work.vars.find("P");
    const float* const planes[3] = {p.plane(0), p.plane(1), p.plane(2)};
    float* const base = grid.positions.get() + static_cast<size_t>(points) * static_cast<size_t>(k);
    const auto clips = clippingPlanes(*worker.frame->view, prim.keys()[static_cast<size_t>(k)].time);
    project(prim, clips, points, planes, {base, base + all, base + 2 * all});
    for (int i = 0; i < points; ++i) {
      const float x = base[i], y = base[all + static_cast<size_t>(i)], z = base[2 * all + static_cast<size_t>(i)];
      if (std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) box.add(x, y, z);
    }
  }
  return finishElements(worker, node, box);
}

/// Rows of a displaced ribbon are put across its displaced centre line: what moves a point otherwise than the middle of
/// its row is kept, turned with the row.
void CurveBuilder::followCentre(int k, int nu, GridWork& work) {
  const PrimitiveFrame& prim = *node.prim;
  // 1. The middle of each row and places beside it, displaced: the same in all pieces that have the row.
  const Besides beside = placesBeside(*prim.geometry().asCurves(), places);
  std::unique_ptr<GridWork> room = worker.works.take();
  room->arena.reset();
  room->vars = VarBlock(beside.plan.vertices);
  CurveBuilder middles{worker, node, beside.plan};
  curvePlaces(beside.plan, middles.places);
  middles.makeLine(k, *room);
  middles.fillVariables(k, *room);
  startShadeGrid(node, k, *room);
  room->runs = beside.starts;
  room->runs.push_back(beside.plan.vertices);
  room->grid.runs = room->runs;
  displaceElements(worker, node, k, *room);
  // 2. The centre line anew.
  const int row = nu + 1, rows = plan.vertices;
  const Var moved = *room->vars.find("P");
  const auto point = [&](int i) { return Vec3{moved.plane(0)[i], moved.plane(1)[i], moved.plane(2)[i]}; };
  CurveLine before = line;
  line.joints.clear();
  for (size_t r = 0; r < beside.starts.size(); ++r) {
    const int j = beside.row[r], first = beside.starts[r], n = beside.plan.stretches[r].n;
    const Vec3 was = at(before, &CurveLine::d, j);
    const bool joint = r + 1 < beside.row.size() && beside.row[r + 1] == j;
    Vec3 direction = directionOr(point(first), point(first + n), was);
    const Vec3 middle = point(n == 2 ? first + 1 : joint || places[static_cast<size_t>(j)].t == 1 ? first + n : first);
    if (joint) {
      const int next = beside.starts[++r];
      const Vec3 after = directionOr(point(next), point(next + 1), was);
      line.joints.push_back({j, direction, after});
      direction = direction + after;
    }
    for (int c = 0; c < 3; ++c) line.p(c)[j] = middle[c], line.d(c)[j] = direction[c];
  }
  worker.works.give(std::move(room));
  face(k, work.arena);
  // 3. The rows.
  const Var p = *work.vars.find("P");
  for (int j = 0; j < rows; ++j) {
    const Vec3 centre = at(line, &CurveLine::p, j), side = at(line, &CurveLine::side, j);
    const Vec3 was = at(before, &CurveLine::p, j), wasSide = at(before, &CurveLine::side, j);
    const Axes from(wasSide, at(before, &CurveLine::d, j)), to(side, at(line, &CurveLine::d, j));
    for (int i = 0; i < row; ++i) {
      const int v = j * row + i;
      const float u = geom::gridParam(node.rect.u0, node.rect.u1, i, nu) - 0.5f;
      const Vec3 rest = Vec3{p.plane(0)[v], p.plane(1)[v], p.plane(2)[v]} - (was + wasSide * u) - (centre - was);
      const Vec3 q = centre + side * u + to.side * dot(rest, from.side) + to.normal * dot(rest, from.normal) +
                     to.along * dot(rest, from.along);
      for (int c = 0; c < 3; ++c) p.plane(c)[v] = q[c];
    }
  }
}

}  // namespace reyes::render
