// SPDX-License-Identifier: Apache-2.0
// Points and curves: a node is a range of elements that lie near each other; opened, it splits into ranges (curves also
// along their length) until one grid holds it, which is shaded in one run of the shaders and sampled as discs or
// ribbons. Called by open_node.cpp.
#pragma once

#include "reyes/render/worker.h"

namespace reyes::render {

/// State after opening: kSplit, kDisplaced or kFailed.
NodeState openElements(Worker& worker, Node& node);
/// Runs surface and atmosphere over the grid of an opened node, keeps colours and output variables.
void shadeElements(Worker& worker, Node& node);

/// True for uniform values that shaders take as uniform, or strings: a batch can hold only one of each.
bool takesUniform(const scene::Primitive& primitive);
/// True for curves with such values.
bool curvesApart(const scene::Primitive& primitive);

// Parts of it.

/// Splits a range into up to four, at multiples of a block; a node without a block to split at, in halves.
NodeState splitElements(Worker& worker, Node& node);
/// The grid of all points of the node. False where there is nothing to see.
bool buildPoints(Worker& worker, Node& node);

/// Opens a node of curves.
NodeState openCurves(Worker& worker, Node& node);
/// Node::place of a range of elements between two v.
uint64_t elementPlace(const Node& node);

/// Ends a grid of elements: its box, its clip, memory counted. False where there is nothing to see.
bool finishElements(Worker& worker, Node& node, RasterBound box);
/// Displaces `work` at motion key k, where the primitive is displaced.
void displaceElements(Worker& worker, const Node& node, int k, GridWork& work);
/// The part of a ShadeGrid that does not depend on what the elements are.
void startShadeGrid(const Node& node, int k, GridWork& work);

}  // namespace reyes::render
