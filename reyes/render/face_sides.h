// SPDX-License-Identifier: Apache-2.0
// The lines around pieces: the four edges of a whole face, and how a split hands the lines of a piece to its halves.
// Called when a node is opened.
#pragma once

#include "reyes/render/worker.h"

namespace reyes::render {

/// Place of a piece of a face. Other threads order nodes by it: it is set when a node is made and never changes.
uint64_t hashPlace(int face, const geom::UvRect& rect);

/// Gives a node that is one whole face its four sides.
void makeFaceSides(Worker& worker, Node& node);

/// Cuts `parent` in the middle of `axis` (kU: at constant u): sets rect, depth, place and sides of the two halves.
void splitPiece(const Node& parent, Axis axis, Node& low, Node& high);

/// False where the middle of the piece is no new parameter any more.
bool canSplit(const Node& node, Axis axis);

/// Camera-space points of T on all sides of a piece, one array a motion key, in `room`.
std::span<const std::vector<Vec3>> sidePoints(const Node& node, std::vector<std::vector<Vec3>>& room);

}  // namespace reyes::render
