// SPDX-License-Identifier: Apache-2.0
// Text to program, for tests and for reading what disassemble() wrote. Lines, in this order:
//   shader surface "name"
//   hash HEX | file "path" | note "key" "value"
//   reg rN uniform|varying float|triple|matrix|string[[len]] [= values]      (N counts from 0)
//   sym param|global|local [output] TYPE rN "name" [default BEGIN END]
//   [index] mnemonic rA rB ... [->target]      main      ; comment
// Where no line says `main`, the main code begins after the default code of the parameters.
#include <bit>
#include <charconv>
#include <cstdlib>

#include "reyes/base/format.h"
#include "reyes/vm/tables.h"

namespace reyes::vm {

namespace {

/// Words of one line; strings keep a leading quote so that "main" and main differ.
bool splitLine(std::string_view line, std::vector<std::string>& words) {
  words.clear();
  for (size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
    } else if (c == ';') {
      return true;
    } else if (c == '"') {
      std::string s = "\"";
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] != '\\' || i + 1 >= line.size()) {
          s += line[i];
        } else if (line[i + 1] >= '0' && line[i + 1] <= '7' && i + 3 < line.size()) {
          s += static_cast<char>((line[i + 1] - '0') * 64 + (line[i + 2] - '0') * 8 + (line[i + 3] - '0'));
          i += 3;
        } else {
          s += line[++i];
        }
      }
      if (i >= line.size()) return false;
      ++i;
      words.push_back(std::move(s));
    } else {
      const size_t begin = i;
      while (i < line.size() && line[i] != ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != ';') ++i;
      words.emplace_back(line.substr(begin, i - begin));
    }
  }
  return true;
}

bool parseInt(std::string_view s, int64_t& v) {
  const auto [end, fault] = std::from_chars(s.data(), s.data() + s.size(), v);
  return fault == std::errc() && end == s.data() + s.size();
}

bool parseFloat(const std::string& s, float& v) {
  if (s.rfind("nan:", 0) == 0) {
    v = std::bit_cast<float>(static_cast<uint32_t>(std::strtoul(s.c_str() + 4, nullptr, 16)));
    return true;
  }
  const auto [end, fault] = std::from_chars(s.data(), s.data() + s.size(), v);
  return fault == std::errc() && end == s.data() + s.size();
}

class Assembler {
 public:
  std::shared_ptr<const Program> run(std::string_view text, std::string& error) {
    int number = 0;
    while (!text.empty() && error_.empty()) {
      ++number;
      const size_t eol = std::min(text.find('\n'), text.size());
      if (!splitLine(text.substr(0, eol), words_)) fail("string without an end");
      text.remove_prefix(std::min(eol + 1, text.size()));
      if (error_.empty() && !words_.empty()) line();
      if (!error_.empty()) error_ = format("line {}: {}", number, error_);
    }
    if (error_.empty() && !builder_) fail("no shader line");
    error = error_;
    if (!error_.empty()) return nullptr;
    return builder_->finish(error);
  }

 private:
  void fail(std::string what) {
    if (error_.empty()) error_ = std::move(what);
  }
  std::string text(size_t i) const {
    return i < words_.size() && words_[i][0] == '"' ? words_[i].substr(1) : std::string();
  }
  int64_t integer(size_t i) {
    int64_t v = 0;
    if (i >= words_.size() || !parseInt(words_[i], v)) fail("number expected");
    return v;
  }
  uint16_t reg(const std::string& w) {
    int64_t v = -1;
    if (w.size() < 2 || w[0] != 'r' || !parseInt(std::string_view(w).substr(1), v) || v < 0 || v > 0xffff)
      fail("register expected: " + w);
    return static_cast<uint16_t>(v);
  }

  void line();
  void shaderLine();
  void registerLine();
  void symbolLine();
  void instructionLine();

  std::vector<std::string> words_;
  std::unique_ptr<ProgramBuilder> builder_;
  std::string error_;
};

void Assembler::line() {
  const std::string& w = words_[0];
  if (w == "shader") return shaderLine();
  if (!builder_) return fail("shader line expected");
  Program& p = builder_->program();
  if (w == "hash") {
    p.sourceHash = words_.size() > 1 ? std::strtoull(words_[1].c_str(), nullptr, 16) : 0;
  } else if (w == "file") {
    p.files.push_back(text(1));
  } else if (w == "note") {
    p.annotations.emplace_back(text(1), text(2));
  } else if (w == "reg") {
    registerLine();
  } else if (w == "sym") {
    symbolLine();
  } else if (w == "main") {
    builder_->beginMain();
  } else {
    instructionLine();
  }
}

void Assembler::shaderLine() {
  for (int t = 0; t <= static_cast<int>(ShaderType::kImager); ++t)
    if (words_.size() > 1 && words_[1] == shaderTypeName(static_cast<ShaderType>(t))) {
      builder_ = std::make_unique<ProgramBuilder>(static_cast<ShaderType>(t), text(2));
      return;
    }
  fail("unknown kind of shader");
}

void Assembler::registerLine() {
  if (words_.size() < 4) return fail("reg rN uniform|varying type expected");
  Register g;
  g.varying = words_[2] == "varying";
  std::string type = words_[3];
  const size_t bracket = type.find('[');
  if (bracket != std::string::npos) {
    int64_t n = 0;
    if (!parseInt(std::string_view(type).substr(bracket + 1, type.size() - bracket - 2), n) || n < 1 || n > (1 << 20))
      return fail("bad array length");
    g.arrayLength = static_cast<int>(n);
    type.resize(bracket);
  }
  if (type == "float")
    g.type = RegType::kFloat;
  else if (type == "triple")
    g.type = RegType::kTriple;
  else if (type == "matrix")
    g.type = RegType::kMatrix;
  else if (type == "string")
    g.type = RegType::kString;
  else
    return fail("unknown type " + type);
  if (builder_->program().uniforms.size() > (1u << 21)) return fail("too many values");
  const uint16_t r = builder_->addRegister(g);
  if (reg(words_[1]) != r) return fail(format("register r{} expected", r));

  // Values after '='.
  if (words_.size() < 6 || words_[4] != "=") return;
  std::vector<float> values;
  for (size_t i = 5; i < words_.size(); ++i) {
    if (g.type == RegType::kString) {
      builder_->setInitialString(r, static_cast<int>(i - 5), text(i));
      continue;
    }
    float v = 0;
    if (!parseFloat(words_[i], v)) return fail("number expected: " + words_[i]);
    values.push_back(v);
  }
  if (g.type != RegType::kString) builder_->setInitial(r, values);
}

void Assembler::symbolLine() {
  Symbol s;
  size_t i = 1;
  const auto word = [&]() -> std::string { return i < words_.size() ? words_[i] : std::string(); };
  if (word() == "param")
    s.kind = SymbolKind::kParameter;
  else if (word() == "global")
    s.kind = SymbolKind::kGlobal;
  else if (word() == "local")
    s.kind = SymbolKind::kLocal;
  else
    return fail("param, global or local expected");
  ++i;
  if (word() == "output") s.output = true, ++i;
  const auto type = parseType(word());
  if (!type) return fail("unknown type " + word());
  s.type = *type;
  ++i;
  s.reg = reg(word());
  if (!error_.empty() || s.reg >= builder_->program().registers.size()) return fail("no such register");
  s.name = Name(text(++i));
  s.varying = builder_->reg(s.reg).varying;
  s.arrayLength = builder_->reg(s.reg).arrayLength;
  if (++i < words_.size() && words_[i] == "default") {
    s.defaultBegin = static_cast<uint32_t>(integer(i + 1));
    s.defaultEnd = static_cast<uint32_t>(integer(i + 2));
  }
  builder_->addSymbol(s);
}

void Assembler::instructionLine() {
  size_t i = 0;
  int64_t index = 0;
  if (parseInt(words_[0], index)) ++i;
  if (i >= words_.size()) return fail("operation expected");
  const int op = findOp(words_[i]);
  if (op == opCount()) return fail("unknown operation " + words_[i]);
  std::vector<uint16_t> args;
  int64_t target = -1;
  for (++i; i < words_.size(); ++i) {
    if (words_[i].rfind("->", 0) == 0) {
      if (!parseInt(std::string_view(words_[i]).substr(2), target) || target < 0 || target > 0x7fffffff)
        return fail("bad target");
    } else {
      args.push_back(reg(words_[i]));
    }
  }
  builder_->emit(static_cast<Op>(op), args, static_cast<int32_t>(target));
}

}  // namespace

std::shared_ptr<const Program> assemble(std::string_view text, std::string& error) {
  return Assembler().run(text, error);
}

}  // namespace reyes::vm
