// SPDX-License-Identifier: Apache-2.0
// P, Pw or Pz of a request in every motion key, checked. Used by the factories.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reyes/geom/factory.h"

namespace reyes::geom {

struct Positions {
  int width = 3;  ///< 3, or 4 with the weight last
  size_t items = 0;
  std::vector<std::vector<float>> keys;  ///< negative zeros made positive
  std::vector<bool> bad;                 ///< a point: not finite in some key, or a weight that is not positive
  bool anyBad = false;
};

/// Reads positions; `needed` points at least (exactly, if `exact`). Reports faults under the request's name; empty
/// where nothing can be drawn. A later key that does not fit is reported and dropped. For Pz, `columns` and `rows` give
/// x, y.
std::optional<Positions> readPositions(const Context& context, Keys keys, size_t needed, bool exact,
                                       const char* request, int columns = 0, int rows = 0);

/// Reports dropped faces, once a request.
void reportDropped(const Context& context, const char* request, size_t faces);

}  // namespace reyes::geom
