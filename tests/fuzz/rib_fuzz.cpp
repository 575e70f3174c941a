// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes through the reader; what was read is written in binary and must read back alike.
#include <cstdint>
#include <sstream>
#include <string>

#include "reyes/rib/reader.h"
#include "reyes/rib/writer.h"

using namespace reyes;
using namespace reyes::rib;

namespace {
/// Reads `bytes` and writes them as `encoding`; the requests understood are in the result.
std::string rewrite(const std::string& bytes, Encoding encoding) {
  Diagnostics diag;
  diag.setPrinter({});
  Declarations declarations;
  std::istringstream in(bytes);
  std::ostringstream out;
  {
    const auto writer = makeWriter(out, {encoding, false});
    readRib(in, {}, declarations, *writer, diag);
  }
  return out.str();
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string binary = rewrite({reinterpret_cast<const char*>(data), size}, Encoding::kBinary);
  const std::string ascii = rewrite(binary, Encoding::kAscii);
  if (rewrite(ascii, Encoding::kBinary) != binary) __builtin_trap();
  return 0;
}
