// SPDX-License-Identifier: Apache-2.0
// How finely a piece of a face is diced: from raster lengths of lines at fixed parameters and from the points that its
// sides own. A pure function of piece, view and primitive. Called when a node is opened.
#pragma once

#include "reyes/render/node.h"

namespace reyes::render {

struct DiceRate {
  int nu = 1, nv = 1;
  int leastU = 1, leastV = 1;      ///< the points that the sides own
  int seenU = 1, seenV = 1;        ///< as nu and nv, without chords outside the window
  float cameraU = 0, cameraV = 0;  ///< at the eye plane: lengths in camera space, how to split there
  bool finite = true;              ///< false: the surface has points that are no numbers
};

DiceRate diceRate(const Node& node);

/// Steps that a line takes at least, so that small round things keep their shape: by its length and the distance of its
/// ends, in pixels.
inline int leastSteps(float length, float ends) {
  if (!(length > 1e-3f) || ends >= 0.9f * length) return 1;
  return ends < 0.25f * length ? 8 : 4;
}

/// Steps of about `edge` pixels that make up `pixels`: at least one.
int stepCount(float pixels, float edge);
/// The same with the edge that a primitive's blur allows, for a line that takes `least` steps at least: the lens makes
/// steps longer, but keeps the shape of what turns, whose area it spreads.
int stepCount(const PrimitiveFrame& prim, float pixels, float blur, float lens, int least);
/// For Attribute "dice" "binary": n, or the next power of two above it.
int toPowerOfTwo(int n);

/// True where a grid of this rate is too large, or too slender, to be one grid.
bool mustSplit(const DiceRate& rate, int gridSize);

/// For a piece that is split to the last in one direction: it takes few steps there, and what is outside the window no
/// longer counts. With a corner 1e17 units away all pieces along the other direction would be split as far.
DiceRate rateAtEnd(DiceRate rate, bool u, bool v);

/// For a piece that splits no further (a picture magnified without sense): a grid of ordinary size, but never coarser
/// than its sides, whose points it shares with others. So short a side has few of them (line.cpp).
DiceRate held(DiceRate rate, int gridSize);

}  // namespace reyes::render
