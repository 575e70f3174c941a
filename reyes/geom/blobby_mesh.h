// SPDX-License-Identifier: Apache-2.0
// The surface of a Blobby as quads whose corners lie on it: a vertex for every cell of a lattice that the surface
// crosses, a quad for every edge. Cells are found by halving boxes whose range of the field holds the threshold.
#pragma once

#include <array>
#include <vector>

#include "reyes/geom/blobby_field.h"

namespace reyes::geom {

struct BlobbyMesh {
  double cell = 0;  ///< side of a cell of the lattice
  std::vector<Vec3> points;
  std::vector<Double3> normals;           ///< outwards() at each point
  std::vector<std::array<int, 4>> quads;  ///< corners (u,v) = (0,0), (1,0), (0,1), (1,1); normals point outwards
  bool coarse = false;                    ///< cells had to be larger than the blobs want
};

BlobbyMesh meshBlobby(const BlobbyField& field);

/// The nearest place of the surface along the gradient, not farther than `most`; p itself where there is none.
Double3 ontoSurface(const BlobbyField& field, Double3 p, double most);
/// Unit vector out of the surface at p; zero where the field is flat.
Double3 outwards(const BlobbyField& field, Double3 p);

}  // namespace reyes::geom
