// SPDX-License-Identifier: Apache-2.0
// Exit statuses of every subcommand, worst first where several apply: internal, memory, input, environment, picture.
#pragma once

#include "reyes/base/diag.h"

namespace reyes::tools {

constexpr int kExitOk = 0;
constexpr int kExitUsage = 1;         ///< wrong flags: not retried
constexpr int kExitPicture = 2;       ///< rendered, but something picture-changing was missing or wrong
constexpr int kExitInput = 3;         ///< input could not be read or understood
constexpr int kExitEnvironment = 10;  ///< transient: file server, disk full, output could not be written
constexpr int kExitMemory = 33;       ///< over the memory limit
constexpr int kExitInternal = 70;     ///< our own fault
constexpr int kExitStopped = 75;      ///< stopped early, with a checkpoint to go on from: queued again, no failure

/// The status that the errors reported so far give.
inline int exitStatus(const Diagnostics& diag) {
  if (diag.has(Impact::kInternal)) return kExitInternal;
  if (diag.has(Impact::kMemory)) return kExitMemory;
  if (diag.has(Impact::kInput)) return kExitInput;
  if (diag.has(Impact::kEnvironment)) return kExitEnvironment;
  if (diag.has(Impact::kPicture)) return kExitPicture;
  return kExitOk;
}

}  // namespace reyes::tools
