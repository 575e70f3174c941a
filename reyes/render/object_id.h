// SPDX-License-Identifier: Apache-2.0
// The output variable id: Attribute "identifier" "id" of what a pixel shows, a whole number. What has no such attribute
// has the variable id of its shaders or of the primitive, rounded, else 0. Filled when a grid is shaded.
#pragma once

#include <optional>

#include "reyes/render/outputs.h"
#include "reyes/vars/var_block.h"

namespace reyes::render {

bool isObjectId(const scene::OutputVariable& v);

/// The attribute; 32 bits, negative numbers as their two's complement.
std::optional<uint32_t> objectIdOf(const scene::Attributes& attributes);

/// Planes of a whole number (hider/whole_number.h) of `points` vertices. `variable`, where there is no id, is of
/// `shaded` points, to which those of later rows of vertices are the same again; it may be null.
void fillObjectId(const std::optional<uint32_t>& id, const Var* variable, int shaded, int points, float* out);

}  // namespace reyes::render
