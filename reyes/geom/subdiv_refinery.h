// SPDX-License-Identifier: Apache-2.0
// How values at the vertices of a control mesh become values at the points of its patches, for one topology. Made by
// buildSubdiv(); kept by SubdivCache for meshes with the same topology.
#pragma once

#include <opensubdiv/far/patchTable.h>
#include <opensubdiv/far/primvarRefiner.h>
#include <opensubdiv/far/topologyRefiner.h>

#include <memory>
#include <vector>

#include "reyes/geom/subdiv.h"

namespace reyes::geom {

namespace Far = OpenSubdiv::Far;

struct SubdivRefinery {
  std::unique_ptr<Far::TopologyRefiner> refiner;
  std::unique_ptr<const Far::PatchTable> table;  ///< none: bilinear, the points are the mesh's own and the middles
  const ControlMesh* mesh = nullptr;             ///< of the topology that this belongs to
  int nonManifoldEdges = 0, nonManifoldVertices = 0;

  /// `channel` -1: values at vertices; else at those of a facevarying topology.
  std::vector<float> refine(int channel, const std::vector<float>& in, int width) const;

 private:
  std::vector<float> middles(const std::vector<float>& in, size_t width) const;
};

}  // namespace reyes::geom
