// SPDX-License-Identifier: Apache-2.0
// The curves of a node on their way to a grid: thin ribbons many at once (curves_build.cpp), a broad one alone
// (curves_broad.cpp).
#pragma once

#include "reyes/render/curve_lines.h"
#include "reyes/render/worker.h"

namespace reyes::render {

/// The planes that a grid of ribbons, or of one broad ribbon, begins with.
struct CurveVariables {
  float *p[3], *du[3], *dv[3], *ng[3];
  float *u, *v, *s, *t;
};
CurveVariables addCurveVariables(GridWork& work);
/// Primitive variables at `places`, the curves' own s, t or st, and N.
void addCurvePrimvars(const Node& node, int k, std::span<const geom::CurvePlace> places, GridWork& work);

inline Vec3 at(CurveLine& l, float* (CurveLine::*plane)(int), int i) {
  return {(l.*plane)(0)[i], (l.*plane)(1)[i], (l.*plane)(2)[i]};
}
/// Ng of a cross-section: to the side that the ribbon faces.
Vec3 crossSectionNormal(Vec3 side, Vec3 along, bool flip);
/// True where normals are turned at motion key k.
bool curveTurned(const Node& node, int k);

struct CurveBuilder {
  Worker& worker;
  Node& node;
  const CurvePlan& plan;
  std::vector<geom::CurvePlace> places = {};
  CurveLine line = {};

  /// Centre lines and which way they are broad.
  void makeLine(int k, GridWork& work);
  /// The same after the centre line was moved: its directions are in `line`.
  void face(int k, Arena& arena);
  void fillVariables(int k, GridWork& work);
  bool ribbons();
  void projectRibbons(int k, RasterBound& box);
  /// A broad ribbon, `nu` micropolygons across.
  bool surface(int nu);
  void surfaceKey(int k, int nu, GridWork& work);
  void followCentre(int k, int nu, GridWork& work);
};

}  // namespace reyes::render
