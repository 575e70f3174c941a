// SPDX-License-Identifier: Apache-2.0
// Reads RIB bytes (ASCII, binary encoding, gzip; by content, mixed) and calls an Ri, a request at a time.
// Errors go to the diagnostics with file, line and column, and reading goes on at the next request.
#pragma once

#include <istream>
#include <memory>
#include <string>

#include "reyes/base/diag.h"
#include "reyes/base/parallel.h"
#include "reyes/rib/ri.h"

namespace reyes::rib {

/// The table of Declare, shared by a run and every archive it reads. Starts with the standard variables of RI 3.2.
class Declarations {
 public:
  Declarations();
  ~Declarations();
  Declarations(const Declarations&);
  /// False (and nothing changes) where `declaration` is not one.
  bool declare(const std::string& name, const std::string& declaration);
  /// The spec of a token: an inline declaration, else a declared name, else Type::kUnknown with that name.
  VarSpec lookUp(const std::string& token) const;
  /// True for a standard variable that no Declare has replaced: its values may still turn out to be of another type.
  bool isStandard(const std::string& token) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct ReaderOptions {
  Name file;  ///< name for messages
  bool stopAtWorldEnd = false;
  Parallel* parallel = nullptr;  ///< long arrays are read by its threads; not for streams that keep one waiting
  bool stopAtMarker = false;     ///< byte 0xff ends the stream, as in the answers of RunProgram
};

/// Reads the whole stream. False where bytes could not be understood at all (truncated gzip, binary garbage); every
/// fault is reported. `declarations` is updated by Declare requests. Comments are passed as archiveRecord.
bool readRib(std::istream& in, const ReaderOptions& options, Declarations& declarations, Ri& ri, Diagnostics& diag);

/// As readRib, from a file. Not found: false, with an `rib-cannot-open` error located at `from`.
bool readRibFile(const std::string& path, Declarations& declarations, Ri& ri, Diagnostics& diag,
                 const SourceLoc& from = {}, Parallel* parallel = nullptr);

}  // namespace reyes::rib
