// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for hostile .slb files. The first byte says how the rest is used: as a file; as the body of a file
// whose header and checksum are right; as text for the assembler; or as choices that grow a well-typed program. Whatever
// the reader lets through runs on a small grid, on every instruction set, which must agree.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "reyes/base/hash.h"
#include "reyes/vm/machine.h"
#include "reyes/vm/tables.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

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

void run(const std::shared_ptr<const Program>& p) {
  if (!p) return;
  // Files that are read are written back to the same bytes.
  std::string error;
  const std::string bytes = serialize(*p);
  const auto again = deserialize(bytes, error);
  if (!again || serialize(*again) != bytes) __builtin_trap();
  if (p->code.size() > 3000 || p->uniforms.size() > 100000) return;

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

/// Grows a program from bytes: mostly well-typed instructions over a fixed set of registers, with nested control flow.
class Grower {
 public:
  Grower(const uint8_t* data, size_t size) : data_(data), size_(size), b_(ShaderType::kSurface, "f") {
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
    const int from = next();
    for (int k = 0; k < registers_; ++k) {
      const uint16_t r = static_cast<uint16_t>((from + k) % registers_);
      const Register& g = b_.reg(r);
      if (g.type == t && (g.arrayLength > 0) == array && (g.varying || !mustVary)) return r;
    }
    return -1;
  }
  void statement(int depth) {
    const int op = (next() | next() << 8) % (opCount() + 60);
    if (op >= opCount()) return block(op - opCount(), depth);
    const OpInfo& info = opInfo(static_cast<Op>(op));
    if (info.flow || (info.builtin && info.builtin->flags & BuiltinInfo::Planned)) return;
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
        case OperandKind::kFloat: t = RegType::kFloat; break;
        case OperandKind::kTriple: t = RegType::kTriple; break;
        case OperandKind::kMatrix: t = RegType::kMatrix; break;
        case OperandKind::kString: t = RegType::kString; break;
        case OperandKind::kAny: array = anyArray; break;
        case OperandKind::kArray: array = true; break;
        case OperandKind::kElement:
        case OperandKind::kFree: break;
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
      const int at = b_.emit(Op::kIlluminanceBegin, {t, reg(RegType::kTriple, true), reg(RegType::kTriple, true), s, reg(RegType::kTriple, false)});
      ++loops_;
      body(depth);
      --loops_;
      b_.emit(Op::kIlluminanceNext, {}, at);
      b_.setTarget(at, b_.emit(Op::kIlluminanceEnd));
    } else if (kind < 45) {
      const int at = b_.emit(Op::kIlluminateBegin, {reg(RegType::kTriple, true), reg(RegType::kTriple, false), reg(RegType::kTriple, false),
                                                    reg(RegType::kTriple, false), reg(RegType::kFloat, false)});
      body(depth);
      b_.setTarget(at, b_.emit(Op::kIlluminateEnd));
    } else if (loops_ > 0) {
      b_.emit(kind & 1 ? Op::kBreak : Op::kContinue, {}, 1 + next() % loops_);
    }
  }

  const uint8_t* data_;
  size_t size_;
  ProgramBuilder b_;
  uint16_t registers_ = 0;
  int loops_ = 0;
};

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
    case 0: run(deserialize(rest, error)); break;
    case 1: {
      std::string file = header() + rest;
      const uint64_t hash = hashBytes(file);
      for (int i = 0; i < 8; ++i) file += static_cast<char>(hash >> (8 * i) & 255);
      run(deserialize(file, error));
      break;
    }
    case 2: run(assemble(rest, error)); break;
    default: run(Grower(data + 1, size - 1).grow());
  }
  return 0;
}
