// SPDX-License-Identifier: Apache-2.0
// Refines a checked control mesh through OpenSubdiv into the patches of a SubdivGeometry, or finds that its topology
// has been seen already. Called by makeSubdivision().
#pragma once

#include <span>
#include <vector>

#include "reyes/geom/subdiv.h"
#include "reyes/geom/subdiv_cache.h"

namespace reyes::geom {

/// What the tags of a request say.
enum class SubdivScheme { kCatmullClark, kLoop, kBilinear };
struct SubdivRules {
  SubdivScheme scheme = SubdivScheme::kCatmullClark;
  int boundary = 0;             ///< interpolateboundary: 0 no, 1 edges and corners, 2 edges
  int faceVaryingBoundary = 1;  ///< 0 linear, 1 edges and corners, 2 edges, 3 all boundaries sharp
  bool propagateCorners = false;
  bool smoothTriangles = false;
  bool chaikin = false;
  std::vector<int> creasePairs;  ///< two vertices a crease edge
  std::vector<float> creaseSharpness;
  std::vector<int> corners;
  std::vector<float> cornerSharpness;
  std::vector<int> holes;  ///< control faces
};

struct SubdivBuilt {
  bool drawable = false;  ///< some face is left
  int nonManifoldEdges = 0, nonManifoldVertices = 0;
};
/// Fills topology, positions and smooth of `data`, whose positions (a key) and primvars are the request's; `mesh` has
/// faces and vertices.
SubdivBuilt buildSubdiv(const SubdivRules& rules, const ControlMesh& mesh, SubdivCache* cache, SubdivData& data);

}  // namespace reyes::geom
