// SPDX-License-Identifier: Apache-2.0
// Names of the variables of a grid, interned once: a grid must not ask the table of names, which has a lock.
#pragma once

#include "reyes/base/name.h"

namespace reyes::render {

struct GridNames {
  const Name P = "P", N = "N", Ng = "Ng", u = "u", v = "v", Ci = "Ci", Oi = "Oi";
};
inline const GridNames& gridNames() {
  static const GridNames all;
  return all;
}

}  // namespace reyes::render
