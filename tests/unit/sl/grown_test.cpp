// SPDX-License-Identifier: Apache-2.0
// Shaders that grow from random choices: optimised or not, on every instruction set, over grids of several sizes, with
// branches packed or not, each point gets the same bits.
#include <doctest/doctest.h>

#include <bit>

#include "reyes/base/hash.h"
#include "tests/unit/sl/run_shader.h"
#include "tests/unit/sl/shader_grower.h"

using namespace reyes;

namespace {

/// Bits of both outputs in some points of a 4 x 4 grid.
std::vector<uint32_t> bitsOf(const std::shared_ptr<const vm::Program>& p, const test::RunOptions& how) {
  std::vector<uint32_t> bits;
  for (const char* name : {"result", "tint"})
    for (const int lane : {0, 5, how.side * how.side - 1})
      for (const float f : test::runShader(p, name, lane, how))
        bits.push_back(f != f ? 0x7fc00000u : std::bit_cast<uint32_t>(f));
  return bits;
}

}  // namespace

TEST_CASE("grown shaders give the same bits however they are compiled and run") {
  for (uint64_t seed = 0; seed < 250; ++seed) {
    std::vector<uint8_t> bytes(30 + mix64(seed) % 300);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(mix64(seed * 9176 + i) >> 17);
    const std::string source = test::ShaderGrower(bytes.data(), bytes.size()).grow();
    const auto plain = test::compiled(source, 0), fast = test::compiled(source, 1);
    if (!plain || !fast) return;
    using Pack = vm::GridInfo::Pack;
    for (const int side : {4, 16}) {
      const std::vector<uint32_t> want = bitsOf(plain, {side, Isa::kSse4, nullptr, Pack::kNever});
      for (const Isa isa : supportedIsas())
        for (const Pack pack : {Pack::kNever, Pack::kAlways}) {
          const bool same = bitsOf(fast, {side, isa, nullptr, pack}) == want;
          CHECK_MESSAGE(same, "seed ", seed, " ", std::string(isaName(isa)), " side ", side, " pack ",
                        static_cast<int>(pack), "\n", source);
          if (!same) return;
        }
    }
  }
}
