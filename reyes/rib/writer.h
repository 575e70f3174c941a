// SPDX-License-Identifier: Apache-2.0
// Prints requests back as RIB. parse -> write -> parse is the identity.
#pragma once

#include <memory>
#include <ostream>

#include "reyes/rib/ri.h"

namespace reyes::rib {

enum class Encoding { kAscii, kBinary };

struct WriterOptions {
  Encoding encoding = Encoding::kAscii;
  bool gzip = false;
};

/// An Ri that prints what it is told to `out`, which must outlive it. Numbers keep every bit.
std::unique_ptr<Ri> makeWriter(std::ostream& out, const WriterOptions& options);

}  // namespace reyes::rib
