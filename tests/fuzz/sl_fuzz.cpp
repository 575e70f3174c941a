// SPDX-License-Identifier: Apache-2.0
// Fuzzes the shading language compiler, at both levels. Bytes are a source; after a 1 they are choices that
// grow a right one, which must compile. What compiles is read back from its file form.
#include <cstddef>
#include <cstdint>
#include <string>

#include "../unit/sl/shader_grower.h"
#include "reyes/sl/compiler.h"
#include "reyes/vm/program.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const bool grown = data[0] == 1;
  const std::string source = grown ? reyes::test::ShaderGrower(data + 1, size - 1).grow()
                                   : std::string(reinterpret_cast<const char*>(data), size);
  for (const int optimise : {1, 0}) {
    reyes::Diagnostics diag;
    diag.setPrinter({});
    reyes::sl::CompileOptions options;
    options.optimise = optimise;
    const auto r = reyes::sl::compileString(source, options, diag);
    // A program that the verifier refuses is our fault, whatever the source.
    if (diag.has(reyes::Impact::kInternal)) __builtin_trap();
    if (!r.program && grown) __builtin_trap();
    if (!r.program) return 0;
    std::string error;
    if (!reyes::vm::deserialize(reyes::vm::serialize(*r.program), error)) __builtin_trap();
  }
  return 0;
}
