// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for hostile .slb files. The first byte says how the rest is used: as a file; as the body of a file
// whose header and checksum are right; as text for the assembler; or as choices that grow a well-typed program.
// Whatever the reader lets through runs on a small grid, on every instruction set, which must agree.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "../unit/vm/grower.h"
#include "reyes/base/hash.h"

using namespace reyes;
using namespace reyes::vm;
using namespace reyes::vm::test;

namespace {

void run(const std::shared_ptr<const Program>& p) {
  if (!p) return;
  // Files that are read are written back to the same bytes.
  std::string error;
  const std::string bytes = serialize(*p);
  const auto again = deserialize(bytes, error);
  if (!again || serialize(*again) != bytes) __builtin_trap();
  if (p->code.size() > 3000 || p->uniforms.size() > 100000) return;

  // Registers of many megabytes say nothing new, and take the sanitizer seconds.
  int64_t planes = 0;
  for (const Register& r : p->registers) planes += r.planes();
  if (planes > 100000) return;

  World world;
  std::vector<uint32_t> first;
  for (const Isa isa : supportedIsas()) {
    Instance instance(p);
    instance.initialise(world, isa);
    Machine machine(isa);
    machine.begin(instance, {12, 4, 3, 0.3f, 0.5f, 9, false, 200});
    machine.run(world);
    std::vector<uint32_t> bits;
    for (const Symbol& s : p->symbols) {
      const Value v = machine.value(s.name);
      if (!v.data) continue;
      for (int e = 0; e < std::min(v.elements(), 8); ++e)
        for (int i = 0; i < (v.uniform ? 1 : 12); ++i) {
          const float f = v.at(i, 0, e);
          bits.push_back(f != f ? 0 : std::bit_cast<uint32_t>(f));
        }
    }
    if (first.empty()) first = bits;
    if (first != bits) __builtin_trap();
  }
}

/// Magic, version and table hash of a right file.
const std::string& header() {
  static const std::string h = [] {
    std::string error;
    return serialize(*ProgramBuilder(ShaderType::kSurface, "x").finish(error)).substr(0, 20);
  }();
  return h;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string error;
  switch (data[0] % 4) {
    case 0:
      run(deserialize(rest, error));
      break;
    case 1: {
      std::string file = header() + rest;
      const uint64_t hash = hashBytes(file);
      for (int i = 0; i < 8; ++i) file += static_cast<char>(hash >> (8 * i) & 255);
      run(deserialize(file, error));
      break;
    }
    case 2:
      run(assemble(rest, error));
      break;
    default:
      run(Grower(data + 1, size - 1).grow());
  }
  return 0;
}
