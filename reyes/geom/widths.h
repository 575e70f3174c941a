// SPDX-License-Identifier: Apache-2.0
// "width" and "constantwidth" of Points and Curves. Used by their factories.
#pragma once

#include "reyes/geom/factory.h"
#include "reyes/geom/primvars.h"

namespace reyes::geom {

struct Widths {
  Storage storage = Storage::kConstant;
  std::vector<float> values{1.0f};  ///< as many as the class needs; never negative
};

/// The widths of motion key `key` (from 0), the faults of which are reported (wrong counts of the first key: by
/// readPrimvars()). Where a key gives none it has those of the key before; the first one 1.
Widths readWidths(const Context& context, const ParamList& params, const ClassCounts& counts, const char* request,
                  size_t key, const Widths* before);

/// Widths of every motion key.
std::vector<Widths> readWidths(const Context& context, Keys keys, const ClassCounts& counts, const char* request);

}  // namespace reyes::geom
