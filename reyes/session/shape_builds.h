// SPDX-License-Identifier: Apache-2.0
// Shapes of a world that other threads make while its file is read on. The scene builder adds the costly ones and
// waits at WorldEnd, where messages about them come in the order of the scene. Which shapes these are does not depend
// on the number of threads, so neither do the world and what is said.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "reyes/base/parallel.h"
#include "reyes/geom/factory.h"
#include "reyes/scene/world.h"

namespace reyes::session {

class ShapeBuilds {
 public:
  /// Makes a shape and says what is wrong with it.
  using Make = std::function<geom::GeometryPtr(Diagnostics& diag)>;

  explicit ShapeBuilds(Parallel& parallel) : parallel_(parallel), group_(parallel) {}

  /// True where another thread will soon have time for a shape.
  bool free() const { return group_.open() < 2 * (parallel_.threads() - 1); }
  /// The shape of world.primitives[primitive], made by another thread, or at once. keyTimes are kept if it moves.
  void add(size_t primitive, std::vector<float> keyTimes, bool atOnce, Make make);
  /// Waits, puts the shapes into their primitives, leaves out primitives that have none, and reports in order.
  void finish(scene::Primitives& primitives, Diagnostics& diag);

 private:
  struct Build {
    size_t primitive = 0;
    std::vector<float> keyTimes;
    geom::GeometryPtr shape;
    Diagnostics messages;
  };
  Parallel& parallel_;
  std::vector<std::unique_ptr<Build>> builds_;
  TaskGroup group_;  ///< after what its tasks write to
};

}  // namespace reyes::session
