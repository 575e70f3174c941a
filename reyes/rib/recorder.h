// SPDX-License-Identifier: Apache-2.0
// Keeps requests for later replay: ObjectBegin..ObjectEnd, inline archives, and tests.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "reyes/rib/ri.h"

namespace reyes::rib {

/// Requests in order, each with its place. Immutable once recorded; replay is thread-safe.
class Recording {
 public:
  void replay(Ri& ri) const;
  size_t size() const { return calls_.size(); }
  void add(std::function<void(Ri&)> call) { calls_.push_back(std::move(call)); }

 private:
  std::vector<std::function<void(Ri&)>> calls_;
};

/// An Ri that appends to `into`.
std::unique_ptr<Ri> makeRecorder(Recording& into);

/// An Ri that does nothing: a base for partial implementations and tests.
class NullRi;

}  // namespace reyes::rib
