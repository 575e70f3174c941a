// SPDX-License-Identifier: Apache-2.0
// A piece becomes a grid: diced, displaced and stitched to the points of its lines at every motion key (while the node
// is opened); later, if some bucket still sees it, shaded once and turned into what the hider takes.
#pragma once

#include "reyes/render/dice_rate.h"
#include "reyes/render/grid_dice.h"
#include "reyes/render/worker.h"

namespace reyes::render {

/// How a node that becomes a grid of nu x nv is diced at a motion key.
DicePlan planOf(const Node& node, int nu, int nv, int key);

/// Dices, displaces and stitches. False where nothing of it can be seen (facing away, or nothing finite).
bool buildGrid(Worker& worker, Node& node, const DiceRate& rate);

/// Half spaces that the view keeps, in camera space: dot(p, normal) >= offset.
struct HalfSpace {
  Vec3 normal;
  float offset;
};
std::vector<HalfSpace> clippingPlanes(const scene::View& view, float time);

/// Planes of raster positions of one motion key.
struct KeyPlanes {
  float *x, *y, *z;
};
/// Projects points; those that cannot be seen for themselves (behind the eye, cut off by a plane) are taken away.
void project(const PrimitiveFrame& prim, std::span<const HalfSpace> planes, int n, const float* const p[3],
             const KeyPlanes& out);

/// Says where a grid lies: `box` holds its vertices at every key. With `clip` the hider cuts off what is outside of the
/// node's bound, where anything is.
void placeGrid(Node& node, const RasterBound& box, bool clip);

/// Copies a variable's planes; a uniform is spread. Values that are no numbers become 0.
void copyPlanes(Worker& worker, const PrimitiveFrame& prim, const Var* v, int width, int points, float* out);
bool allOnes(const Var* v, int points);
/// Counts a grid that was shaded at so many points, and its micropolygons.
void countShaded(Stats& stats, const hider::MicroGrid& grid, int points);

/// Runs surface and atmosphere, keeps colours and output variables, drops everything else.
void shadeGrid(Worker& worker, Node& node);

}  // namespace reyes::render
