// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "reyes/vm/pointwise.h"

using namespace reyes;
using namespace reyes::vm;

namespace {
uint16_t global(ProgramBuilder& b, const char* name, Type type) {
  const uint16_t r = b.addRegister(regTypeOf(type), true);
  Symbol s;
  s.name = name, s.type = type, s.reg = r, s.kind = SymbolKind::kGlobal, s.varying = true;
  b.addSymbol(s);
  return r;
}

struct Shader {
  ProgramBuilder b{ShaderType::kDisplacement, "d"};
  uint16_t P = global(b, "P", Type::kPoint), N = global(b, "N", Type::kNormal), du = global(b, "du", Type::kFloat);
  uint16_t f = b.addRegister(RegType::kFloat, true);
  Shader() { b.beginMain(); }
  bool pointwise() {
    std::string error;
    const auto program = b.finish(error);
    REQUIRE_MESSAGE(program, error);
    return isPointwise(*program, "P");
  }
};
}  // namespace

TEST_CASE("what a point's neighbours cannot change is pointwise, whatever follows it") {
  Shader s;
  s.b.emit(Builtin::k_noise_p, {s.f, s.P});
  s.b.emit(Op::kMadTF, {s.P, s.N, s.f, s.P});
  s.b.emit(Builtin::k_calculatenormal, {s.N, s.P});
  CHECK(s.pointwise());
}

TEST_CASE("differences, steps of the grid and random numbers before the last move are not") {
  {
    Shader s;
    s.b.emit(Builtin::k_calculatenormal, {s.N, s.P});
    s.b.emit(Op::kAddT, {s.P, s.P, s.N});
    CHECK(!s.pointwise());
  }
  {
    Shader s;
    s.b.emit(Op::kMadTF, {s.P, s.N, s.du, s.P});
    CHECK(!s.pointwise());
  }
  {
    Shader s;
    s.b.emit(Builtin::k_random, {s.f});
    s.b.emit(Op::kMadTF, {s.P, s.N, s.f, s.P});
    CHECK(!s.pointwise());
  }
}

TEST_CASE("in a loop the next round's move comes after the difference") {
  Shader s;
  const int begin = s.b.emit(Op::kLoopBegin);
  const int test = s.b.emit(Op::kLoopTest, {s.f});
  s.b.emit(Op::kMadTF, {s.P, s.N, s.f, s.P});
  s.b.emit(Builtin::k_calculatenormal, {s.N, s.P});
  s.b.emit(Op::kLoopStep);
  const int next = s.b.emit(Op::kLoopNext);
  const int end = s.b.emit(Op::kLoopEnd);
  s.b.setTarget(begin, end), s.b.setTarget(test, end), s.b.setTarget(end - 2, end), s.b.setTarget(next, begin);
  CHECK(!s.pointwise());
}
