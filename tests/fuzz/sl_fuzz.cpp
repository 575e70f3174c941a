// SPDX-License-Identifier: Apache-2.0
// Fuzzes the shading language compiler: any bytes as a source, at both levels. What compiles is read back from its file
// form.
#include <cstddef>
#include <cstdint>
#include <string>

#include "reyes/sl/compiler.h"
#include "reyes/vm/program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string source(reinterpret_cast<const char*>(data), size);
  for (const int optimise : {1, 0}) {
    reyes::Diagnostics diag;
    diag.setPrinter({});
    reyes::sl::CompileOptions options;
    options.optimise = optimise;
    const auto r = reyes::sl::compileString(source, options, diag);
    // A program that the verifier refuses is our fault, whatever the source.
    if (diag.has(reyes::Impact::kInternal)) __builtin_trap();
    if (!r.program) return 0;
    std::string error;
    if (!reyes::vm::deserialize(reyes::vm::serialize(*r.program), error)) __builtin_trap();
  }
  return 0;
}
