// SPDX-License-Identifier: Apache-2.0
// Programs as text and as files: round trips, and that the verifier and the reader turn down what is not sound.
#include <doctest/doctest.h>

#include <bit>
#include <cstring>
#include <set>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/vm/machine.h"
#include "reyes/vm/tables.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

const char* const kText = R"(shader light "my \"light\""
hash 00000000deadbeef
file "a.sl"
note "key" "value"
reg r0 uniform float = 0.1
reg r1 varying triple
reg r2 uniform string[2] = "" "tex\011ture"
reg r3 uniform matrix = 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1
reg r4 varying float
reg r5 uniform float = nan:7fc00001
sym param output float r0 "intensity" default 0 2
sym global color r1 "Cl"
sym local string r2 "names"
    0  addf r0 r0 r5
    1  end
main
    2  gtf r4 r4 r0
    3  if r4 ->6
    4  tf r1 r0
    5  else ->7
    6  noise_t_p r1 r1
    7  endif
    8  end
)";

std::string errorOf(const std::string& text) {
  std::string error;
  const auto p = assemble(text, error);
  return p ? "" : error;
}

}  // namespace

TEST_CASE("text and files round trip") {
  std::string error;
  std::string text = kText;
  // Targets: if -> else, else -> endif.
  text.replace(text.find("->6"), 3, "->5");
  const auto p = assemble(text, error);
  REQUIRE_MESSAGE(p, error);
  CHECK(disassemble(*p) == text);
  const std::string bytes = serialize(*p);
  CHECK(looksLikeSlb(bytes));
  const auto q = deserialize(bytes, error);
  REQUIRE_MESSAGE(q, error);
  CHECK(disassemble(*q) == text);
  CHECK(serialize(*q) == bytes);
  CHECK(q->writes("Cl"));
  CHECK(!q->writes("intensity"));
  CHECK(q->reads("intensity"));
}

TEST_CASE("any float goes through text and file bit for bit") {
  constexpr uint32_t kCount = 100000;
  std::vector<float> values;
  for (uint32_t i = 0; i < kCount; ++i) values.push_back(std::bit_cast<float>(static_cast<uint32_t>(mix64(i))));
  // Text made by the disassembler, from a program whose values were put in place.
  std::string error;
  const auto zeros = assemble(format("shader surface \"t\"\nreg r0 uniform float[{}]\nend\n", kCount), error);
  REQUIRE_MESSAGE(zeros, error);
  Program p = *zeros;
  p.uniforms = values;
  const auto fromText = assemble(disassemble(p), error);
  REQUIRE_MESSAGE(fromText, error);
  const auto fromFile = deserialize(serialize(*fromText), error);
  REQUIRE_MESSAGE(fromFile, error);
  CHECK(std::memcmp(fromText->uniforms.data(), values.data(), kCount * sizeof(float)) == 0);
  CHECK(std::memcmp(fromFile->uniforms.data(), values.data(), kCount * sizeof(float)) == 0);
}

TEST_CASE("the verifier turns down what is not sound") {
  const std::string head =
      "shader surface \"t\"\nreg r0 varying float\nreg r1 uniform float\nreg r2 varying triple\nreg r3 uniform "
      "string\n";
  CHECK(errorOf(head + "addf r0 r0 r1\nend\n").empty());
  CHECK(errorOf(head + "addf r1 r0 r1\nend\n").find("uniform result") != std::string::npos);
  CHECK(errorOf(head + "addf r0 r0 r2\nend\n").find("float expected") != std::string::npos);
  CHECK(errorOf(head + "addf r0 r0\nend\n").find("too few") != std::string::npos);
  CHECK(errorOf(head + "addf r0 r0 r1 r1\nend\n").find("too many") != std::string::npos);
  CHECK(errorOf(head + "addf r0 r0 r9\nend\n").find("no such register") != std::string::npos);
  CHECK(errorOf(head + "mov r0 r2\nend\n").find("differ in type") != std::string::npos);
  CHECK(!errorOf(head + "0 if r0 ->9\n1 end\n").empty());
  CHECK(!errorOf(head + "0 if r0 ->2\n1 endif\n2 end\n").empty());
  CHECK(!errorOf(head + "0 loop_begin ->1\n1 loop_next ->0\n2 loop_end\n3 end\n").empty());
  CHECK(!errorOf(head + "break ->1\nend\n").empty());
  CHECK(!errorOf(head + "endif\nend\n").empty());
  CHECK(!errorOf(head + "texture_2 r0 r3 r1 r0 r0 r3\nend\n").empty());
  CHECK(errorOf(head + "texture_2 r0 r3 r1 r0 r0 r3 r1\nend\n").empty());
}

TEST_CASE("no prefix and no flipped byte of a file is taken for a program or crashes") {
  std::string error, text = kText;
  text.replace(text.find("->6"), 3, "->5");
  const std::string bytes = serialize(*assemble(text, error));
  for (size_t n = 0; n < bytes.size(); ++n) CHECK_UNARY(deserialize(bytes.substr(0, n), error) == nullptr);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x41);
    CHECK_UNARY(deserialize(bad, error) == nullptr);
  }
}

TEST_CASE("tables are consistent") {
  std::set<std::string_view> names;
  for (int i = 0; i < opCount(); ++i) CHECK_UNARY(names.insert(opInfo(static_cast<Op>(i)).mnemonic).second);
  CHECK(opInfo(builtinOp(Builtin::k_texture)).operands.size() == 5);
  CHECK(opInfo(builtinOp(Builtin::k_fresnel_rt)).operands.size() == 7);
  CHECK(findOp("noise_p") == static_cast<int>(builtinOp(Builtin::k_noise_p)));
}
