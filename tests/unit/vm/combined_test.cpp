// SPDX-License-Identifier: Apache-2.0
// Operations that stand for two or three others give the bits of their parts, whatever varies.
#include <doctest/doctest.h>

#include <bit>

#include "reyes/base/hash.h"
#include "reyes/base/isa.h"
#include "reyes/vm/machine.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

/// r0 to r3 floats, r4 to r7 triples; results in r8 (float) or r9 (triple); r10 and r11 are for parts.
struct Case {
  const char *both, *parts;
};
constexpr Case kCases[] = {
    {"madf r8 r0 r1 r2", "mulf r10 r0 r1\naddf r8 r10 r2"},
    {"mulmulf r8 r0 r1 r2", "mulf r10 r0 r1\nmulf r8 r10 r2"},
    {"mulsubf r8 r0 r1 r2", "mulf r10 r0 r1\nsubf r8 r10 r2"},
    {"submadf r8 r0 r1 r2", "mulf r10 r0 r1\nsubf r8 r2 r10"},
    {"addmulf r8 r0 r1 r2", "addf r10 r0 r1\nmulf r8 r10 r2"},
    {"submulf r8 r0 r1 r2", "subf r10 r0 r1\nmulf r8 r10 r2"},
    {"absmulf r8 r0 r1", "mulf r10 r0 r1\nabs r8 r10"},
    {"absmadf r8 r0 r1 r2", "mulf r10 r0 r1\nabs r10 r10\naddf r8 r10 r2"},
    {"mulmultf r9 r4 r0 r5", "multf r11 r4 r0\nmult r9 r11 r5"},
    {"mulmadtf r9 r4 r0 r5 r6", "multf r11 r4 r0\nmult r11 r11 r5\naddt r9 r11 r6"},
    {"madmultf r9 r4 r0 r5 r6", "madtf r11 r4 r0 r5\nmult r9 r11 r6"},
    {"madmadtf r9 r4 r0 r5 r1", "multf r11 r4 r0\nmadtf r9 r5 r1 r11"},
    {"dotmul r8 r4 r5 r0", "dot r10 r4 r5\nmulf r8 r10 r0"},
    {"dotmax r8 r4 r5 r0", "dot r10 r4 r5\nmax r8 r10 r0"},
    {"maxdot r8 r4 r5 r0", "dot r10 r4 r5\nmax r8 r0 r10"},
    {"normaddt r9 r4 r5", "addt r11 r4 r5\nnormalize r9 r11"},
    {"normsubt r9 r4 r5", "subt r11 r4 r5\nnormalize r9 r11"},
    {"normforward r9 r4 r5 r6", "normalize r11 r4\nfaceforward3 r9 r11 r5 r6"},
    {"smoothmul r8 r0 r1 r2 r3", "smoothstep r10 r0 r1 r2\nmulf r8 r10 r3"},
};

/// Bits of both results. Bit k of `varying` decides about r[k].
std::vector<uint32_t> bitsOf(const std::string& code, unsigned varying, Isa isa) {
  constexpr int kPoints = 48;
  std::string text = "shader surface \"t\"\n", symbols;
  for (int r = 0; r < 12; ++r) {
    const bool isTriple = (r >= 4 && r <= 7) || r == 9 || r == 11, source = r < 8;
    const std::string name = "r" + std::to_string(r);
    text +=
        "reg " + name + (source && !(varying >> r & 1) ? " uniform " : " varying ") + (isTriple ? "triple" : "float");
    if (source && !(varying >> r & 1)) text += isTriple ? " = 0.5 -2 0.75" : " = 1.5";
    text += "\n";
    if (r < 10) symbols += std::string("sym global ") + (isTriple ? "point " : "float ") + name + " \"" + name + "\"\n";
  }
  std::string error;
  const auto program = assemble(text + symbols + code + "\nend\n", error);
  REQUIRE_MESSAGE(program, error);
  Instance instance(program);
  Services services;
  instance.initialise(services, isa);
  Machine m(isa);
  m.begin(instance, {kPoints, kPoints, 1, 1, 1, 0, false, 1000});
  std::vector<std::vector<float>> memory;
  for (int r = 0; r < 10; ++r) {
    if (r < 8 && !(varying >> r & 1)) continue;
    std::vector<float>& v = memory.emplace_back(3 * kPoints);
    // Some zeros, so that normalize() and max() meet them.
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = i % 16 == 5 ? 0 : toUnitFloat(mix64(i * 31 + static_cast<uint64_t>(r))) * 4 - 2;
    m.bindPlanes(Name("r" + std::to_string(r)), v.data(), kPoints);
  }
  m.run(services);
  std::vector<uint32_t> bits;
  for (size_t k = memory.size() - 2; k < memory.size(); ++k)
    for (const float f : memory[k]) bits.push_back(f != f ? 0x7fc00000u : std::bit_cast<uint32_t>(f));
  return bits;
}

}  // namespace

TEST_CASE("two operations in one give the bits of both") {
  for (const Case& c : kCases)
    for (const Isa isa : supportedIsas())
      for (unsigned varying = 1; varying < 256; varying += 3) {
        const bool same = bitsOf(c.both, varying, isa) == bitsOf(c.parts, varying, isa);
        CHECK_MESSAGE(same, c.both, " varying ", varying, " ", isaName(isa));
      }
}
