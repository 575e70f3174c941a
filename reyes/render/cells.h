// SPDX-License-Identifier: Apache-2.0
// Small faces: where a face with straight sides is no larger than a micropolygon, it is one, and its corners are all
// there is to it. Ranges of such faces become grids of unconnected micropolygons (hider::GridKind::kCells), shaded in
// one run; faces that lie between samples are left out of them. So a mesh of millions of faces costs what can be seen
// of it, and no edges are asked for. Called by open_node.cpp.
#pragma once

#include "reyes/render/worker.h"

namespace reyes::render {

/// True where faces of the primitive may be drawn as cells.
bool mayBeCells(const scene::Primitive& primitive, const PrimitiveFrame& frame, const scene::View& view);

/// Opens a range of faces as one grid. kDisplaced, kFailed where nothing of it meets a sample, or kOpening where it has
/// to be split: some face is larger than a micropolygon, or there are too many for one grid.
NodeState openCells(Worker& worker, Node& node);

/// Whether every cell of a still grid is hidden.
bool cellsHidden(const hider::BucketHider& hider, const hider::MicroGrid& grid);

}  // namespace reyes::render
