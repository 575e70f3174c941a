// SPDX-License-Identifier: Apache-2.0
// The .slb file: magic, version, hash of the table of operations, then the program in little-endian words. Reading
// trusts nothing: every length is checked against the bytes left, and the result goes through the verifier.
#include <bit>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

constexpr std::string_view kMagic = "REYESSLB";
constexpr uint32_t kVersion = 1;

/// Changes whenever an operation is added, removed or gets other operands: then files are compiled again.
uint64_t tableHash() {
  static const uint64_t hash = [] {
    uint64_t h = 0;
    for (int i = 0; i < opCount(); ++i) {
      const OpInfo& info = opInfo(static_cast<Op>(i));
      h = hashCombine(h, hashBytes(info.mnemonic));
      for (const OperandInfo& o : info.operands)
        h = hashCombine(h, static_cast<uint64_t>(o.kind) * 8 + static_cast<uint64_t>(o.access) * 2 + o.arrayOf);
      h = hashCombine(h, static_cast<uint64_t>(info.required), static_cast<uint64_t>(info.tail));
    }
    return h;
  }();
  return hash;
}

struct Writer {
  std::string out;
  void u8(uint32_t v) { out.push_back(static_cast<char>(v & 255)); }
  void u16(uint32_t v) { u8(v), u8(v >> 8); }
  void u32(uint32_t v) { u16(v & 0xffff), u16(v >> 16); }
  void u64(uint64_t v) { u32(static_cast<uint32_t>(v)), u32(static_cast<uint32_t>(v >> 32)); }
  void text(std::string_view s) { u32(static_cast<uint32_t>(s.size())), out.append(s); }
};

struct Reader {
  std::string_view in;
  bool ok = true;

  uint32_t u8() {
    if (in.empty()) return ok = false, 0u;
    const uint32_t v = static_cast<unsigned char>(in[0]);
    in.remove_prefix(1);
    return v;
  }
  uint32_t u16() {
    const uint32_t lo = u8();
    return lo | u8() << 8;
  }
  uint32_t u32() {
    const uint32_t lo = u16();
    return lo | u16() << 16;
  }
  uint64_t u64() {
    const uint64_t lo = u32();
    return lo | static_cast<uint64_t>(u32()) << 32;
  }
  std::string text() {
    const size_t n = u32();
    if (n > in.size()) return ok = false, std::string();
    std::string s(in.substr(0, n));
    in.remove_prefix(n);
    return s;
  }
  /// A count of items of at least `bytes` each; 0 and not ok where the file cannot hold them.
  size_t count(size_t bytes) {
    const size_t n = u32();
    if (n > in.size() / bytes) return ok = false, 0;
    return n;
  }
};

void writeSymbol(Writer& w, const Symbol& s) {
  w.text(s.name.str());
  w.u8(static_cast<uint32_t>(s.type));
  w.u8(static_cast<uint32_t>(s.kind));
  w.u8((s.output ? 1u : 0u) | (s.varying ? 2u : 0u));
  w.u16(s.reg);
  w.u32(static_cast<uint32_t>(s.arrayLength));
  w.u32(s.defaultBegin);
  w.u32(s.defaultEnd);
}

Symbol readSymbol(Reader& r) {
  Symbol s;
  s.name = Name(r.text());
  s.type = static_cast<Type>(r.u8());
  s.kind = static_cast<SymbolKind>(r.u8());
  const uint32_t flags = r.u8();
  s.output = flags & 1, s.varying = flags & 2;
  s.reg = static_cast<uint16_t>(r.u16());
  s.arrayLength = static_cast<int>(r.u32() & 0x7fffffff);
  s.defaultBegin = r.u32();
  s.defaultEnd = r.u32();
  return s;
}

void readRegisters(Reader& r, Program& p) {
  const size_t n = r.count(6);
  uint64_t planes = 0;
  for (size_t i = 0; i < n && r.ok; ++i) {
    Register g;
    const uint32_t bits = r.u8();
    g.type = static_cast<RegType>(bits & 127);
    g.varying = bits & 128;
    g.arrayLength = static_cast<int>(r.u32() & 0x7fffffff);
    r.u8();  // reserved
    if (g.arrayLength > (1 << 20)) {
      r.ok = false;
      return;
    }
    p.registers.push_back(g);
    p.uniformOffset.push_back(g.varying ? 0xffffffffu : static_cast<uint32_t>(planes));
    if (!g.varying) planes += static_cast<uint64_t>(g.planes());
    if (planes > (1u << 22)) r.ok = false;
  }
}

void readBody(Reader& r, Program& p) {
  p.type = static_cast<ShaderType>(r.u8());
  p.name = r.text();
  p.sourceHash = r.u64();
  for (size_t i = 0, n = r.count(4); i < n && r.ok; ++i) p.files.push_back(r.text());
  for (size_t i = 0, n = r.count(8); i < n && r.ok; ++i) {
    std::string key = r.text();
    p.annotations.emplace_back(std::move(key), r.text());
  }
  for (size_t i = 0, n = r.count(4); i < n && r.ok; ++i) p.strings.push_back(r.text());
  readRegisters(r, p);
  for (size_t i = 0, n = r.count(4); i < n && r.ok; ++i) p.uniforms.push_back(std::bit_cast<float>(r.u32()));
  for (size_t i = 0, n = r.count(21); i < n && r.ok; ++i) p.symbols.push_back(readSymbol(r));
  p.mainBegin = r.u32();
  for (size_t i = 0, n = r.count(2); i < n && r.ok; ++i) p.args.push_back(static_cast<uint16_t>(r.u16()));
  for (size_t i = 0, n = r.count(16); i < n && r.ok; ++i) {
    Instruction in;
    in.op = static_cast<Op>(r.u16());
    in.nargs = static_cast<uint16_t>(r.u16());
    in.firstArg = r.u32();
    in.target = static_cast<int32_t>(r.u32());
    p.code.push_back(in);
    p.lines.push_back(r.u32());
  }
}

}  // namespace

bool looksLikeSlb(std::string_view bytes) { return bytes.substr(0, kMagic.size()) == kMagic; }

std::string serialize(const Program& p) {
  Writer w;
  w.out = kMagic;
  w.u32(kVersion);
  w.u64(tableHash());
  w.u8(static_cast<uint32_t>(p.type));
  w.text(p.name);
  w.u64(p.sourceHash);
  w.u32(static_cast<uint32_t>(p.files.size()));
  for (const std::string& f : p.files) w.text(f);
  w.u32(static_cast<uint32_t>(p.annotations.size()));
  for (const auto& [key, value] : p.annotations) w.text(key), w.text(value);
  w.u32(static_cast<uint32_t>(p.strings.size()));
  for (const std::string& s : p.strings) w.text(s);
  w.u32(static_cast<uint32_t>(p.registers.size()));
  for (const Register& g : p.registers) {
    w.u8(static_cast<uint32_t>(g.type) | (g.varying ? 128u : 0u));
    w.u32(static_cast<uint32_t>(g.arrayLength));
    w.u8(0);
  }
  w.u32(static_cast<uint32_t>(p.uniforms.size()));
  for (const float f : p.uniforms) w.u32(std::bit_cast<uint32_t>(f));
  w.u32(static_cast<uint32_t>(p.symbols.size()));
  for (const Symbol& s : p.symbols) writeSymbol(w, s);
  w.u32(p.mainBegin);
  w.u32(static_cast<uint32_t>(p.args.size()));
  for (const uint16_t a : p.args) w.u16(a);
  w.u32(static_cast<uint32_t>(p.code.size()));
  for (size_t i = 0; i < p.code.size(); ++i) {
    const Instruction& in = p.code[i];
    w.u16(static_cast<uint32_t>(in.op));
    w.u16(in.nargs);
    w.u32(in.firstArg);
    w.u32(static_cast<uint32_t>(in.target));
    w.u32(p.lines[i]);
  }
  w.u64(hashBytes(w.out));
  return w.out;
}

std::shared_ptr<const Program> deserialize(std::string_view bytes, std::string& error) {
  const auto fail = [&](const char* what) -> std::shared_ptr<const Program> {
    error = what;
    return nullptr;
  };
  error.clear();
  if (!looksLikeSlb(bytes)) return fail("not a compiled shader of this renderer");
  Reader r{bytes.substr(kMagic.size())};
  if (r.u32() != kVersion || r.u64() != tableHash()) return fail("compiled by another version: compile it again");
  if (r.in.size() < 8) return fail("truncated");
  Reader trailer{bytes.substr(bytes.size() - 8)};
  if (trailer.u64() != hashBytes(bytes.substr(0, bytes.size() - 8))) return fail("damaged: its checksum does not fit");
  r.in.remove_suffix(8);

  auto p = std::make_shared<Program>();
  readBody(r, *p);
  if (!r.ok || !r.in.empty()) return fail("damaged: lengths do not fit");
  error = verify(*p);
  if (!error.empty()) return nullptr;
  analyse(*p);
  return p;
}

}  // namespace reyes::vm
