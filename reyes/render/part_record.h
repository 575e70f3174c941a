// SPDX-License-Identifier: Apache-2.0
// A part of the film as bytes: what its displays got, in their order, flat ones before deep ones. Written by film for
// a checkpoint, and given to the displays again where a frame goes on from one. The bytes may be anybody's.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "reyes/render/outputs.h"

namespace reyes::render {

/// Interleaved floats of a flat display.
void addFlat(std::vector<std::byte>& record, std::span<const float> pixels);
void addDeep(std::vector<std::byte>& record, const display::DeepBlock& block);

/// Gives each display of the plan its pixels of `rect`. False, and no display has got any, where the record is not
/// exactly what they need.
bool restorePart(OutputPlan& plan, const PixelRect& rect, std::span<const std::byte> record);

}  // namespace reyes::render
