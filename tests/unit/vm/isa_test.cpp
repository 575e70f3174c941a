// SPDX-License-Identifier: Apache-2.0
// Every kernel on every instruction set that this machine runs: the same bits, whether operands are uniform or varying,
// and whether lanes are masked or not.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "reyes/base/hash.h"
#include "reyes/vm/machine.h"
#include "reyes/vm/tables.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

constexpr int kNu = 7, kNv = 5, kPoints = kNu * kNv;

/// Numbers of all sizes and some special ones.
float sample(uint64_t key) {
  const uint64_t h = mix64(key);
  const float unit = toUnitFloat(mix64(h)) * 2 - 1;
  switch (h % 8) {
    case 0:
      return unit * 1000;
    case 1:
      return 0;
    case 2:
      return std::floor(unit * 10);
    case 3:
      return unit * 1e-4f;
    case 4:
      return unit * 1e5f;
    default:
      return unit * 3;
  }
}

/// A light of known planes, for the light functions.
struct OneLight : Services {
  std::vector<float> planes;
  int lightCount() override { return 2; }
  bool light(int i, const Lanes& l, const float* const[3], LightSample& s) override {
    planes.resize(static_cast<size_t>(l.lanes) * 7);
    for (size_t k = 0; k < planes.size(); ++k) planes[k] = sample(k + 99);
    for (int c = 0; c < 3; ++c) s.L[c] = planes.data() + c * l.lanes, s.Cl[c] = planes.data() + (3 + c) * l.lanes;
    s.nondiffuse = planes.data() + 6 * l.lanes;
    s.ambient = i == 1;
    return true;
  }
};

RegType typeOf(OperandKind k) {
  return k == OperandKind::kTriple   ? RegType::kTriple
         : k == OperandKind::kMatrix ? RegType::kMatrix
         : k == OperandKind::kString ? RegType::kString
                                     : RegType::kFloat;
}

/// Results of one operation: varying bit k of `pattern` decides about source k; masked runs it inside an if.
std::vector<uint32_t> resultsOf(Op op, unsigned pattern, bool masked, Isa isa) {
  const OpInfo& info = opInfo(op);
  ProgramBuilder b(ShaderType::kSurface, "t");
  std::vector<uint16_t> args, inputs, outputs;
  const auto variable = [&](RegType t, bool varying, int length, uint64_t key) {
    const uint16_t r = b.addRegister(t, varying, length);
    if (!varying) {
      std::vector<float> v;
      for (int i = 0; i < b.reg(r).planes(); ++i) v.push_back(sample(key + static_cast<uint64_t>(i)));
      if (t != RegType::kString)
        b.setInitial(r, v);
      else
        b.setInitialString(r, 0, "hsv");
    }
    return r;
  };
  bool anyVarying = false;
  unsigned source = 0;
  for (const OperandInfo& o : info.operands)
    anyVarying |= o.access == Access::kRead && o.kind != OperandKind::kString && (pattern >> source++ & 1);
  source = 0;
  for (const OperandInfo& o : info.operands) {
    const RegType t = typeOf(o.kind);
    const bool isArray = o.arrayOf || o.kind == OperandKind::kArray;
    const bool written = o.access != Access::kRead;
    const bool varying = written ? anyVarying || masked : t != RegType::kString && (pattern >> source++ & 1);
    const uint16_t r = variable(t, varying && (t != RegType::kString), isArray ? 5 : 0,
                                args.size() * 1000 + static_cast<uint64_t>(op));
    args.push_back(r);
    (written ? outputs : inputs).push_back(r);
  }
  if (info.tail == Tail::kRepeat) args.push_back(args.back());
  const uint16_t cond = b.addRegister(RegType::kFloat, true);
  std::vector<uint16_t> bound = inputs;
  bound.push_back(cond);
  for (const uint16_t r : outputs) bound.push_back(r);
  for (size_t i = 0; i < bound.size(); ++i) {
    Symbol s;
    s.name = Name("v" + std::to_string(bound[i]));
    const Register& g = b.reg(bound[i]);
    s.type = g.type == RegType::kFloat    ? Type::kFloat
             : g.type == RegType::kTriple ? Type::kPoint
             : g.type == RegType::kMatrix ? Type::kMatrix
                                          : Type::kString;
    s.reg = bound[i], s.kind = SymbolKind::kGlobal, s.varying = g.varying, s.arrayLength = g.arrayLength;
    b.addSymbol(s);
  }
  if (masked) b.emit(Op::kIf, {cond}, 2);
  b.emit(op, args);
  if (masked) b.emit(Op::kEndIf);
  std::string error;
  const auto p = b.finish(error);
  REQUIRE_MESSAGE(p, info.mnemonic, ": ", error);

  Instance instance(p);
  OneLight services;
  instance.initialise(services, isa);
  Machine m(isa);
  m.begin(instance, {kPoints, kNu, kNv, 0.1f, 0.2f, 3, false, 1000});
  std::vector<std::vector<float>> memory;
  const int stride = padLanes(kPoints);
  memory.reserve(bound.size());
  for (const uint16_t r : bound) {
    const Register& g = p->registers[r];
    if (!g.varying) continue;
    std::vector<float>& v = memory.emplace_back(static_cast<size_t>(g.planes() * stride));
    for (size_t i = 0; i < v.size(); ++i)
      v[i] = r == cond ? static_cast<float>(i % 3) : sample(i * 131 + r + static_cast<uint64_t>(op) * 7);
    m.bindPlanes(Name("v" + std::to_string(r)), v.data(), stride);
  }
  m.run(services);
  std::vector<uint32_t> bits;
  for (const uint16_t r : outputs) {
    const Value v = m.value(Name("v" + std::to_string(r)));
    if (v.type == RegType::kString) continue;
    for (int c = 0; c < p->registers[r].planes(); ++c)
      for (int i = 0; i < (v.uniform ? 1 : kPoints); ++i) {
        const float f = v.plane(c)[i];
        bits.push_back(f != f ? 0x7fc00000u : std::bit_cast<uint32_t>(f));
      }
  }
  return bits;
}

bool testable(Op op) {
  const OpInfo& info = opInfo(op);
  if (info.flow) return false;
  return !(info.builtin && info.builtin->flags & BuiltinInfo::Planned);
}

}  // namespace

TEST_CASE("every operation gives the same bits on every instruction set") {
  const std::vector<Isa> isas = supportedIsas();
  for (int i = 0; i < opCount(); ++i) {
    const Op op = static_cast<Op>(i);
    if (!testable(op)) continue;
    for (const bool masked : {false, true})
      for (const unsigned pattern : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 11u, 0xffffu}) {
        const std::vector<uint32_t> want = resultsOf(op, pattern, masked, Isa::kSse4);
        for (const Isa isa : isas) {
          const bool same = resultsOf(op, pattern, masked, isa) == want;
          CHECK_MESSAGE(same, opInfo(op).mnemonic, " pattern ", pattern, masked ? " masked " : " ", isaName(isa));
        }
      }
  }
}

TEST_CASE("a masked operation changes active lanes alone, and those as the unmasked one does") {
  for (int i = 0; i < opCount(); ++i) {
    const Op op = static_cast<Op>(i);
    if (!testable(op) || opInfo(op).operands.empty() || opInfo(op).operands[0].access != Access::kWrite) continue;
    if (opInfo(op).operands.size() > 1 && opInfo(op).operands[1].access != Access::kRead) continue;
    const std::vector<uint32_t> all = resultsOf(op, 0xffff, false, Isa::kSse4),
                                some = resultsOf(op, 0xffff, true, Isa::kSse4);
    if (all.size() != some.size()) continue;
    bool same = true;
    for (size_t k = 0; k < all.size(); ++k)
      if (k % kPoints % 3 != 0) same &= all[k] == some[k];
    CHECK_MESSAGE(same, opInfo(op).mnemonic);
  }
}
