// SPDX-License-Identifier: Apache-2.0
// Refines a checked control mesh through OpenSubdiv into the patches of a SubdivGeometry. Called by makeSubdivision().
#pragma once

#include <span>
#include <vector>

#include "reyes/geom/subdiv.h"

namespace reyes::geom {

/// What the tags of a request say.
struct SubdivRules {
  int boundary = 0;             ///< interpolateboundary: 0 no, 1 edges and corners, 2 edges
  int faceVaryingBoundary = 1;  ///< as above, 3: linear
  bool propagateCorners = false;
  bool smoothTriangles = false;
  std::vector<int> creasePairs;  ///< two vertices a crease edge
  std::vector<float> creaseSharpness;
  std::vector<int> corners;
  std::vector<float> cornerSharpness;
  std::vector<int> holes;  ///< control faces
};

/// Fills edges, faces, sets, positions and smooth of `data`, whose mesh has faces and vertices and whose positions (a
/// key) and primvars are the request's. False where no face is left.
bool buildSubdiv(const SubdivRules& rules, SubdivData& data);

}  // namespace reyes::geom
