// SPDX-License-Identifier: Apache-2.0
// Random programs: bytes choose well-typed instructions and nested control flow. Used by the fuzzer and by the test
// that runs programs lane by lane.
#pragma once

#include <string>
#include <vector>

#include "reyes/vm/machine.h"
#include "reyes/vm/tables.h"

namespace reyes::vm::test {

/// Two lights and some answers, so that every call has something to do.
struct World : Services {
  std::vector<float> planes;
  int lightCount() override { return 2; }
  std::string_view lightCategory(int i) override { return i ? "a,b" : ""; }
  bool light(int i, const Lanes& l, const float* const[3], LightSample& s) override {
    planes.assign(static_cast<size_t>(l.lanes) * 6, 0.5f);
    for (int c = 0; c < 3; ++c) s.L[c] = planes.data() + c * l.lanes, s.Cl[c] = planes.data() + (3 + c) * l.lanes;
    s.ambient = i == 1;
    return true;
  }
  bool query(Query, std::string_view name, std::string_view, RegType, QueryResult& r) override {
    r.numbers = {1, 2, 3};
    r.strings = {std::string(name)};
    return true;
  }
  std::string shaderName(std::string_view which) override { return std::string(which); }
};

/// Grows a program from bytes: mostly well-typed instructions over a fixed set of registers, with nested control flow.
class Grower {
 public:
  /// With `laneByLane`, only operations whose result at a point depends on that point alone.
  Grower(const uint8_t* data, size_t size, bool laneByLane = false)
      : data_(data), size_(size), lanesOnly_(laneByLane), b_(ShaderType::kSurface, "f") {
    for (int t = 0; t < 4; ++t)
      for (const bool varying : {false, true})
        for (const int length : {0, 0, 3}) {
          if (t == 3 && varying) continue;
          const uint16_t r = b_.addRegister(static_cast<RegType>(t), varying, length);
          if (!varying && t != 3) b_.setInitial(r, std::vector<float>{1.5f, -2, 0.25f});
          if (t == 3) b_.setInitialString(r, 0, length ? "%f %s\n" : "bezier");
          if (b_.program().symbols.size() < 40 && (r & 1)) {
            Symbol s;
            s.name = Name("v" + std::to_string(r));
            s.type = t == 0 ? Type::kFloat : t == 1 ? Type::kPoint : t == 2 ? Type::kMatrix : Type::kString;
            s.reg = r, s.kind = SymbolKind::kGlobal, s.varying = varying, s.arrayLength = length;
            b_.addSymbol(s);
          }
        }
    registers_ = static_cast<uint16_t>(b_.program().registers.size());
  }
  std::shared_ptr<const Program> grow() {
    while (size_ > 0 && b_.here() < 400) statement(0);
    std::string error;
    return b_.finish(error);
  }

 private:
  uint8_t next() { return size_ ? --size_, *data_++ : 0; }

  /// A register of that type, from a random place on; -1 if there is none.
  int find(RegType t, bool array, bool mustVary) {
    int found[32], count = 0;
    for (uint16_t r = 0; r < registers_; ++r) {
      const Register& g = b_.reg(r);
      if (g.type == t && (g.arrayLength > 0) == array && (g.varying || !mustVary)) found[count++] = r;
    }
    return count ? found[next() % count] : -1;
  }
  void statement(int depth) {
    const int op = (next() | next() << 8) % (opCount() + 60);
    if (op >= opCount()) return block(op - opCount(), depth);
    const OpInfo& info = opInfo(static_cast<Op>(op));
    if (info.flow || (info.builtin && info.builtin->flags & BuiltinInfo::Planned)) return;
    if (lanesOnly_ && (info.builtin && info.builtin->flags & (BuiltinInfo::Derivative | BuiltinInfo::Effect))) return;
    if (lanesOnly_ && !info.operands.empty() && info.operands[0].kind == OperandKind::kString) return;
    if (lanesOnly_ && info.operands.size() > 2 && info.operands.back().kind == OperandKind::kFree) return;
    instruction(static_cast<Op>(op), info);
  }
  void instruction(Op op, const OpInfo& info) {
    std::vector<uint16_t> args;
    const RegType any = static_cast<RegType>(next() % 3);
    const bool anyArray = next() % 4 == 0;
    for (const OperandInfo& o : info.operands) {
      RegType t = any;
      bool array = o.arrayOf;
      switch (o.kind) {
        case OperandKind::kFloat:
          t = RegType::kFloat;
          break;
        case OperandKind::kTriple:
          t = RegType::kTriple;
          break;
        case OperandKind::kMatrix:
          t = RegType::kMatrix;
          break;
        case OperandKind::kString:
          t = RegType::kString;
          break;
        case OperandKind::kAny:
          array = anyArray;
          break;
        case OperandKind::kArray:
          array = true;
          break;
        case OperandKind::kElement:
        case OperandKind::kFree:
          break;
      }
      const int r = find(t, array, o.access != Access::kRead && t != RegType::kString);
      if (r < 0) return;
      args.push_back(static_cast<uint16_t>(r));
    }
    if (info.tail == Tail::kRepeat || info.tail == Tail::kValues)
      for (int n = next() % 4; n > 0; --n) args.push_back(info.tail == Tail::kRepeat ? args.back() : 0);
    b_.emit(op, args);
  }
  void body(int depth) {
    for (int n = next() % 5; n > 0 && size_ > 0; --n) statement(depth + 1);
  }
  void block(int kind, int depth) {
    if (depth > 6) return;
    const auto reg = [&](RegType t, bool vary) { return static_cast<uint16_t>(find(t, false, vary)); };
    if (kind < 15) {
      const int at = b_.emit(Op::kIf, {reg(RegType::kFloat, false)});
      body(depth);
      if (next() & 1) {
        const int other = b_.emit(Op::kElse);
        b_.setTarget(at, other);
        body(depth);
        b_.setTarget(other, b_.emit(Op::kEndIf));
      } else {
        b_.setTarget(at, b_.emit(Op::kEndIf));
      }
    } else if (kind < 30) {
      const int at = b_.emit(Op::kLoopBegin);
      const int test = b_.emit(Op::kLoopTest, {reg(RegType::kFloat, false)});
      ++loops_;
      body(depth);
      const int step = b_.emit(Op::kLoopStep);
      body(depth);
      --loops_;
      b_.emit(Op::kLoopNext, {}, at);
      const int end = b_.emit(Op::kLoopEnd);
      for (const int i : {at, test, step}) b_.setTarget(i, end);
    } else if (kind < 40) {
      const uint16_t t = reg(RegType::kTriple, true), s = reg(RegType::kString, false);
      const int at = b_.emit(Op::kIlluminanceBegin, {t, reg(RegType::kTriple, true), reg(RegType::kTriple, true), s,
                                                     reg(RegType::kTriple, false)});
      ++loops_;
      body(depth);
      --loops_;
      b_.emit(Op::kIlluminanceNext, {}, at);
      b_.setTarget(at, b_.emit(Op::kIlluminanceEnd));
    } else if (kind < 45) {
      const int at = b_.emit(Op::kIlluminateBegin,
                             {reg(RegType::kTriple, true), reg(RegType::kTriple, false), reg(RegType::kTriple, false),
                              reg(RegType::kTriple, false), reg(RegType::kFloat, false)});
      body(depth);
      b_.setTarget(at, b_.emit(Op::kIlluminateEnd));
    } else if (loops_ > 0) {
      b_.emit(kind & 1 ? Op::kBreak : Op::kContinue, {}, 1 + next() % loops_);
    }
  }

  const uint8_t* data_;
  size_t size_;
  bool lanesOnly_;
  ProgramBuilder b_;
  uint16_t registers_ = 0;
  int loops_ = 0;
};

}  // namespace reyes::vm::test
