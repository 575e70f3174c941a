// SPDX-License-Identifier: Apache-2.0
// The centre lines of the curves of a node: how finely they are diced, where their vertices are, which way their
// ribbons are broad. Pure functions of piece, view and primitive, so that pieces that meet share the bits of their last
// vertex. Called by curves_build.cpp.
#pragma once

#include "reyes/geom/curves.h"
#include "reyes/render/node.h"

namespace reyes::render {

/// n micropolygons along a part of one segment.
struct CurveStretch {
  int element = 0, segment = 0;
  float t0 = 0, t1 = 1;
  int n = 1;
  bool begins = false, ends = false;  ///< a run of joined stretches
};

struct CurvePlan {
  std::vector<CurveStretch> stretches;
  int vertices = 0;
  bool wide = false;  ///< some segment is broader than a ribbon of one micropolygon may be
};

/// Plans the curves of a node between its rect.v0 and v1. With `mayBeWide` the first wide segment ends it.
void planCurves(const Node& node, bool mayBeWide, CurvePlan& plan);

/// Micropolygons across the whole of a curve: 1, or a power of two that makes them about square.
int micropolygonsAcross(const PrimitiveFrame& prim, int element);

/// A vertex where two segments meet: directions before and after.
struct CurveJoint {
  int vertex;
  Vec3 before, after;
};

/// Vertices in camera space, planes of `count` floats.
struct CurveLine {
  int count = 0;
  std::vector<float> planes;
  std::vector<CurveJoint> joints;
  float* p(int c) { return planes.data() + static_cast<size_t>(c * count); }
  float* d(int c) { return p(3 + c); }     ///< derivative by v, never zero
  float* side(int c) { return p(6 + c); }  ///< from the left border to the right one
  float* width() { return p(9); }          ///< object space
  void resize(int n) { count = n, planes.resize(static_cast<size_t>(10 * n)), joints.clear(); }
};

/// The segment joined to one end of a segment; -1 where there is none.
int curveNeighbour(const geom::CurveSet& set, int element, int segment, bool end);
/// Places of the plan's vertices.
void curvePlaces(const CurvePlan& plan, std::vector<geom::CurvePlace>& places);
/// Fills p, d, width and joints at motion key k.
void placeCurves(const Node& node, const CurvePlan& plan, int k, CurveLine& line);
/// Directions along runs of points that were displaced.
void followPoints(const Node& node, const CurvePlan& plan, CurveLine& line);
/// Fills side: ribbons face the eye, or `normals` (camera space, planes; null: the eye).
void faceCurves(const Node& node, const CurvePlan& plan, int k, const float* const normals[3], CurveLine& line);

}  // namespace reyes::render
