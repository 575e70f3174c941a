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

/// Width 1 where none is given. Wrong counts are reported by readPrimvars(), negative widths here if `report`.
Widths readWidths(const Context& context, const ParamList& params, const ClassCounts& counts, const char* request,
                  bool report);

}  // namespace reyes::geom
