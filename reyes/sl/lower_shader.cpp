// SPDX-License-Identifier: Apache-2.0
// Lowering: the shader as a whole, its parameters, scopes, registers and constants.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "reyes/base/format.h"
#include "reyes/sl/globals.h"
#include "reyes/sl/lower.h"
#include "reyes/sl/lower_impl.h"

namespace reyes::sl {

void lower(const Ast& ast, const Shader& shader, Ir& ir, Diagnostics& diag) { Lowerer(ast, shader, ir, diag).run(); }

void Lowerer::run() {
  ir_.type = shader_.type;
  ir_.name = std::string(shader_.name);
  code_ = &ir_.code;
  scope_ = pushScope(-1);
  for (const Function* f : ast_.functions)
    if (f->body) scopes_[0].functions[f->name].push_back(f);
  shaderScope_ = scope_ = pushScope(0);
  frames_.push_back({});
  declareParameters();
  // The body, in a loop that runs once where a return leaves it early.
  Frame& frame = frames_.back();
  frame.wrapped = needsReturnLoop(shader_.body);
  const SourceLoc loc = shader_.loc;
  if (frame.wrapped) openRegion(vm::Op::kLoopBegin, {}, loc);
  for (const Stmt* s : shader_.body->children) statement(s);
  if (frames_.back().wrapped) {
    closeRegion();
    emit(vm::Op::kLoopEnd, {}, loc);
  }
  checkUnusedFunctions();
  shadowReadOnlyGlobals();
}

void Lowerer::declareParameters() {
  for (const VarDecl& d : shader_.params) {
    if (scopes_[static_cast<size_t>(scope_)].variables.contains(d.name)) {
      error("sl-redefined", d.loc, format("parameter '{}' is declared twice", d.name));
      continue;
    }
    Variable v{d.type, -1, d.isArray ? arrayLengthOf(d) : 0, !d.output};
    v.reg = variable(d.type, v.arrayLength, d.detail, d.name, d.loc);
    IrReg& r = ir_.reg(v.reg);
    r.kind = RegKind::kParameter;
    r.symbol = static_cast<int>(ir_.symbols.size());
    if (d.detail == Detail::kVarying && d.type != Type::kString) r.varying = true;
    ir_.symbols.push_back({d.name, d.type, vm::SymbolKind::kParameter, d.output, true, v.reg, {}});
    if (d.init) parameterDefault(d, ir_.symbols.size() - 1);
    scopes_[static_cast<size_t>(scope_)].variables[d.name] = v;
  }
}

/// A constant default becomes the register's initial value, any other becomes default code.
void Lowerer::parameterDefault(const VarDecl& d, size_t symbol) {
  std::vector<IrInstr> code;
  code_ = &code;
  const int reg = ir_.symbols[symbol].reg;
  const int length = ir_.reg(reg).arrayLength;
  if (length > 0) {
    initialiseArray(d, {d.type, reg, length, false});
  } else {
    const Value v = lowerAs(d.init, d.type);
    if (isConstant(v.reg) && code.empty() && !ir_.reg(reg).varying) {
      ir_.reg(reg).value = ir_.reg(v.reg).value;
      ir_.reg(reg).texts = {ir_.reg(v.reg).text};
    } else {
      emit(vm::Op::kMov, {reg, v.reg}, d.loc);
    }
  }
  code_ = &ir_.code;
  ir_.symbols[symbol].defaultCode = std::move(code);
}

/// Globals that are not the shader's to change become a private copy where the shader writes to them all the same.
void Lowerer::shadowReadOnlyGlobals() {
  std::vector<IrInstr> copies;
  for (const IrSymbol& s : ir_.symbols) {
    if (s.kind != vm::SymbolKind::kGlobal || s.writable) continue;
    bool written = false;
    for (const IrInstr& in : ir_.code)
      if (!opensRegion(in.op)) forEachWrite(in, [&](int r) { written = written || r == s.reg; });
    if (!written) continue;
    const int copy = newReg(ir_.reg(s.reg).type, 0, RegKind::kVariable);
    ir_.reg(copy).region = 0;
    for (IrInstr& in : ir_.code) std::replace(in.args.begin(), in.args.end(), s.reg, copy);
    IrInstr mov;
    mov.op = vm::Op::kMov;
    mov.args = {copy, s.reg};
    mov.loc = shader_.loc;
    copies.push_back(mov);
  }
  ir_.code.insert(ir_.code.begin(), copies.begin(), copies.end());
}

int Lowerer::pushScope(int parent) {
  scopes_.emplace_back().parent = parent;
  return static_cast<int>(scopes_.size()) - 1;
}

Variable* Lowerer::find(std::string_view name, int scope) {
  for (int s = scope; s >= 0; s = scopes_[static_cast<size_t>(s)].parent) {
    auto& vars = scopes_[static_cast<size_t>(s)].variables;
    if (const auto it = vars.find(name); it != vars.end()) return &it->second;
  }
  return nullptr;
}

Variable* Lowerer::lookup(std::string_view name) {
  if (Variable* v = find(name, scope_)) return v;
  return global(name);
}

/// The predefined variable of that name, made on first use.
Variable* Lowerer::global(std::string_view name) {
  const GlobalInfo* g = findGlobal(shader_.type, name);
  if (!g) return nullptr;
  auto& vars = scopes_[0].variables;
  if (const auto it = vars.find(name); it != vars.end()) return &it->second;
  const int reg = newReg(vm::regTypeOf(g->type), 0, RegKind::kGlobal);
  IrReg& r = ir_.reg(reg);
  r.varying = g->varying;
  r.region = 0;
  r.name = g->name;
  r.symbol = static_cast<int>(ir_.symbols.size());
  ir_.symbols.push_back({g->name, g->type, vm::SymbolKind::kGlobal, false, g->writable, reg, {}});
  return &(vars[g->name] = {g->type, reg, 0, false});
}

/// extern: the variable of the lexical surroundings, else of the shader, else of the caller.
Variable* Lowerer::bindExtern(const VarDecl& d) {
  const int own = scope_;
  if (Variable* v = find(d.name, scopes_[static_cast<size_t>(own)].parent)) return v;
  if (Variable* v = find(d.name, shaderScope_)) return v;
  for (size_t f = frames_.size(); f-- > 1;)
    if (Variable* v = find(d.name, frames_[f].callerScope)) return v;
  return global(d.name);
}

std::vector<Lowerer::FunctionRef> Lowerer::findFunctions(std::string_view name) {
  std::vector<FunctionRef> all;
  for (int s = scope_; s >= 0; s = scopes_[static_cast<size_t>(s)].parent) {
    const auto& funcs = scopes_[static_cast<size_t>(s)].functions;
    if (const auto it = funcs.find(name); it != funcs.end())
      for (const Function* f : it->second) all.push_back({f, s});
    if (!all.empty()) break;
  }
  return all;
}

Variable Lowerer::declare(std::string_view name, const Variable& v, const SourceLoc& loc) {
  auto& vars = scopes_[static_cast<size_t>(scope_)].variables;
  if (vars.contains(name)) error("sl-redefined", loc, format("'{}' is declared twice in this block", name));
  vars[name] = v;
  return v;
}

int Lowerer::newReg(vm::RegType type, int arrayLength, RegKind kind) {
  IrReg r;
  r.type = type;
  r.arrayLength = arrayLength;
  r.kind = kind;
  r.region = region_;
  ir_.regs.push_back(std::move(r));
  return static_cast<int>(ir_.regs.size()) - 1;
}

int Lowerer::variable(Type type, int arrayLength, Detail detail, std::string_view name, const SourceLoc& loc) {
  const int reg = newReg(vm::regTypeOf(type), arrayLength, RegKind::kVariable);
  IrReg& r = ir_.reg(reg);
  r.detail = detail;
  r.name = name;
  r.loc = loc;
  return reg;
}

int Lowerer::constantRegister(std::string key, vm::RegType type, std::vector<float> value, std::string text) {
  const auto it = constants_.find(key);
  if (it != constants_.end()) return it->second;
  const int reg = newReg(type, 0, RegKind::kConstant);
  ir_.reg(reg).region = 0;
  ir_.reg(reg).value = std::move(value);
  ir_.reg(reg).text = std::move(text);
  return constants_[std::move(key)] = reg;
}

int Lowerer::constant(float f) {
  return constantRegister(format("f{}", std::bit_cast<uint32_t>(f)), vm::RegType::kFloat, {f}, "");
}

int Lowerer::constant(Vec3 v) {
  return constantRegister(
      format("t{},{},{}", std::bit_cast<uint32_t>(v.x), std::bit_cast<uint32_t>(v.y), std::bit_cast<uint32_t>(v.z)),
      vm::RegType::kTriple, {v.x, v.y, v.z}, "");
}

int Lowerer::constant(std::string text) {
  std::string key = "s" + text;
  return constantRegister(std::move(key), vm::RegType::kString, {}, std::move(text));
}

void Lowerer::emit(vm::Op op, std::vector<int> args, const SourceLoc& loc, int target) {
  if (code_->size() >= kMaxInstructions) {
    if (!tooLarge_) error("sl-too-large", loc, "the shader is too large once its functions are inlined");
    tooLarge_ = true;
    return;
  }
  IrInstr in;
  in.op = op;
  in.args = std::move(args);
  in.loc = loc;
  in.target = target;
  code_->push_back(std::move(in));
}

/// Emits an instruction that starts a region; what follows is in it until closeRegion().
int Lowerer::openRegion(vm::Op op, std::vector<int> args, const SourceLoc& loc) {
  emit(op, std::move(args), loc);
  ir_.regions.push_back({region_, false});
  region_ = static_cast<int>(ir_.regions.size()) - 1;
  if (!code_->empty() && !tooLarge_) code_->back().region = region_;
  return region_;
}

void Lowerer::error(const char* code, const SourceLoc& loc, std::string text) {
  diag_.error(code, loc, std::move(text), Impact::kInput);
}

/// Stands in where an error was reported.
Value Lowerer::zero(Type type) {
  switch (type) {
    case Type::kString:
      return {constant(std::string()), type, 0};
    case Type::kMatrix:
      return {constantRegister("m0", vm::RegType::kMatrix, std::vector<float>(16, 0.0f), ""), type, 0};
    case Type::kColor:
    case Type::kPoint:
    case Type::kVector:
    case Type::kNormal:
      return {constant(Vec3{0, 0, 0}), type, 0};
    default:
      return {constant(0.0f), Type::kFloat, 0};
  }
}

int Lowerer::arrayLengthOf(const VarDecl& d) {
  if (!d.arraySize) {
    const size_t n = d.init && d.init->kind == ExprKind::kList ? d.init->args.size() : 0;
    if (n == 0) error("sl-array-size", d.loc, format("array '{}' has no length and no list of values", d.name));
    return static_cast<int>(std::clamp<size_t>(n, 1, 4096));
  }
  float f = 0;
  if (!constantNumber(d.arraySize, f)) {
    error("sl-array-size", d.arraySize->loc, format("the length of array '{}' is not a constant", d.name));
    return 1;
  }
  if (!(f >= 1 && f <= 4096)) {
    error("sl-array-size", d.arraySize->loc, format("the length of array '{}' must be 1 to 4096", d.name));
    return 1;
  }
  return static_cast<int>(f);
}

bool Lowerer::constantNumber(const Expr* e, float& value) const {
  float a = 0, b = 0;
  if (e->kind == ExprKind::kNumber) {
    value = e->number;
    return true;
  }
  if (e->kind == ExprKind::kUnary && e->name == "-" && constantNumber(e->args[0], a)) {
    value = -a;
    return true;
  }
  if (e->kind == ExprKind::kName && e->name == "PI") {
    value = std::numbers::pi_v<float>;
    return true;
  }
  if (e->kind == ExprKind::kBinary && constantNumber(e->args[0], a) && constantNumber(e->args[1], b)) {
    if (e->name == "+")
      value = a + b;
    else if (e->name == "-")
      value = a - b;
    else if (e->name == "*")
      value = a * b;
    else if (e->name == "/")
      value = a / b;
    else
      return false;
    return true;
  }
  return false;
}

std::string_view nearest(std::string_view name, const std::vector<std::string_view>& names) {
  std::string_view best;
  if (name.size() > 64) return best;
  // A name of one letter is near to every other one.
  if (name.size() < 2) return best;
  size_t bestDistance = name.size() / 3 + 1;
  std::vector<size_t> row;
  for (const std::string_view candidate : names) {
    if (candidate.size() > name.size() + bestDistance || candidate.size() + bestDistance < name.size()) continue;
    // Levenshtein distance, one row at a time.
    row.resize(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= name.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j < row.size(); ++j) {
        const size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (name[i - 1] == candidate[j - 1] ? 0 : 1)});
        diagonal = above;
      }
    }
    if (row.back() < bestDistance || (row.back() == bestDistance && best.empty())) {
      bestDistance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string didYouMean(std::string_view name, const std::vector<std::string_view>& names) {
  const std::string_view best = nearest(name, names);
  return best.empty() ? "" : format(": did you mean '{}'?", best);
}

}  // namespace reyes::sl
