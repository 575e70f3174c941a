// SPDX-License-Identifier: Apache-2.0
// Patches of OpenSubdiv's table as those of a PatchSet. Called by buildSubdiv().
#pragma once

#include <vector>

#include "reyes/geom/subdiv_refinery.h"

namespace reyes::geom {

/// The patches of one topology (channel -1: the surface), in order of the geometry's faces. faceOfPtex maps ptex faces
/// to the first of theirs, -1: none; each has `perPtex`, that share its patches.
PatchSet collectPatches(const Far::PatchTable& table, int channel, const std::vector<int>& faceOfPtex, int perPtex,
                        int faces);

/// One bilinear patch a face, over the points that SubdivRefinery makes without a table.
PatchSet bilinearPatches(const SubdivTopology& topology);

}  // namespace reyes::geom
