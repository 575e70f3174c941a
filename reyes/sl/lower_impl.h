// SPDX-License-Identifier: Apache-2.0
// The lowering's class, shared by the files that hold its parts: shader and scopes, statements, expressions, calls.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "reyes/sl/ast.h"
#include "reyes/sl/ir.h"
#include "reyes/sl/type_set.h"

namespace reyes::sl {

/// Something an expression gave: a register and what it means.
struct Value {
  int reg = -1;
  Type type = Type::kUnknown;
  int arrayLength = 0;
};

/// A name in scope.
struct Variable {
  Type type = Type::kUnknown;
  int reg = -1;
  int arrayLength = 0;
  bool input = false;  ///< a shader parameter without `output`
};

class Lowerer {
 public:
  Lowerer(const Ast& ast, const Shader& shader, Ir& ir, Diagnostics& diag)
      : ast_(ast), shader_(shader), ir_(ir), diag_(diag) {}
  void run();

 private:
  struct Scope {
    int parent = -1;
    std::unordered_map<std::string_view, Variable> variables;
    std::unordered_map<std::string_view, std::vector<const Function*>> functions;
  };
  struct FunctionRef {
    const Function* function = nullptr;
    int scope = 0;  ///< where it was defined: its names are looked up from there
  };
  /// The shader's body or one inlined call.
  struct Frame {
    const Function* function = nullptr;
    Variable result;
    int callerScope = 0;
    int loops = 0;         ///< loops open in it
    bool wrapped = false;  ///< `return` leaves a loop that runs once
  };
  static constexpr size_t kMaxInstructions = 200'000;
  static constexpr int kMaxInlines = 20'000;
  static constexpr size_t kMaxFrames = 64;

  // Shader, scopes, registers (lower_shader.cpp).
  void declareParameters();
  void parameterDefault(const VarDecl& d, size_t symbol);
  void shadowReadOnlyGlobals();
  void checkUnusedFunctions();
  int pushScope(int parent);
  Variable* find(std::string_view name, int scope);
  Variable* lookup(std::string_view name);
  Variable* global(std::string_view name);
  Variable* bindExtern(const VarDecl& d);
  std::vector<FunctionRef> findFunctions(std::string_view name);
  Variable declare(std::string_view name, const Variable& v, const SourceLoc& loc);
  int newReg(vm::RegType type, int arrayLength, RegKind kind);
  int temp(vm::RegType type, int arrayLength = 0) { return newReg(type, arrayLength, RegKind::kTemp); }
  int temp(Type type) { return temp(vm::regTypeOf(type)); }
  int variable(Type type, int arrayLength, Detail detail, std::string_view name, const SourceLoc& loc);
  int constant(float f);
  int constant(Vec3 v);
  int constant(std::string text);
  int constantRegister(std::string key, vm::RegType type, std::vector<float> value, std::string text);
  bool isConstant(int reg) const { return ir_.reg(reg).kind == RegKind::kConstant; }
  void emit(vm::Op op, std::vector<int> args, const SourceLoc& loc, int target = 0);
  int openRegion(vm::Op op, std::vector<int> args, const SourceLoc& loc);
  void closeRegion() { region_ = ir_.regions[static_cast<size_t>(region_)].parent; }
  void error(const char* code, const SourceLoc& loc, std::string text);
  Value zero(Type type);
  int arrayLengthOf(const VarDecl& d);
  bool constantNumber(const Expr* e, float& value) const;

  // Statements (lower_statement.cpp).
  void statement(const Stmt* s);
  void scoped(const Stmt* s);
  void declaration(const VarDecl& d);
  void warnOfHidden(const VarDecl& d);
  void initialiseArray(const VarDecl& d, const Variable& v);
  void ifStatement(const Stmt* s);
  /// The body where register `test` is not 0, else the other branch.
  void branches(const Stmt* s, int test);
  void loop(const Stmt* s);
  void illuminance(const Stmt* s);
  void illuminanceMessages(const Stmt* s, size_t first, std::vector<std::pair<std::string, const Expr*>>& received);
  void illuminate(const Stmt* s);
  void solar(const Stmt* s);
  void gather(const Stmt* s);
  void returnStatement(const Stmt* s);
  void jump(const Stmt* s);
  std::vector<int> cone(const Stmt* s, size_t first);

  // Expressions (lower_expression.cpp). `wanted` is what the context needs (kUnknown: anything); `dest` a register that
  // may take the result directly, or -1.
  TypeSet types(const Expr* e);
  TypeSet callTypes(const Expr* e);
  Value lowerExpr(const Expr* e, Type wanted, int dest = -1);
  Value lowerAs(const Expr* e, Type type, int dest = -1);
  int condition(const Expr* e);
  Value convert(Value v, Type to, const SourceLoc& loc, int dest = -1);
  Value name(const Expr* e, Type wanted);
  Value unary(const Expr* e, Type wanted, int dest);
  Value binary(const Expr* e, Type wanted, int dest);
  Value compare(const Expr* e, int dest);
  Value arithmetic(const Expr* e, Value left, Type wanted, int dest);
  Value emitArithmetic(char op, Value a, Value b, const SourceLoc& loc, int dest);
  Value ternary(const Expr* e, Type wanted, int dest);
  Value assign(const Expr* e, Type wanted);
  Value assignElement(const Expr* e);
  Value assignArray(const Expr* e, Variable target);
  void store(const Expr* lhs, Value v);
  Value cast(const Expr* e, int dest);
  Value tuple(const Expr* e, Type wanted, int dest);
  Value index(const Expr* e, int dest);
  Value result(vm::Op op, Type type, std::vector<int> args, const SourceLoc& loc, int dest);
  Variable* assignable(const Expr* e);
  const Variable* arrayNamed(const Expr* e);

  // Calls (lower_call.cpp, lower_inline.cpp).
  struct ArgSpec {
    char letter = 'f';
    bool read = true, write = false, array = false;
  };
  static std::vector<ArgSpec> argSpecs(const vm::BuiltinInfo& b);
  Value call(const Expr* e, Type wanted, int dest);
  Value builtinCall(const Expr* e, Type wanted, int dest);
  int matchCost(const vm::BuiltinInfo& b, const Expr* e, const std::vector<TypeSet>& sets, Type wanted);
  static bool acceptsCount(const vm::BuiltinInfo& b, size_t fixed, const Expr* e, const std::vector<TypeSet>& sets);
  Value emitBuiltin(const vm::BuiltinInfo& b, const Expr* e, const std::vector<TypeSet>& sets, Type wanted, int dest);
  Type tripleOf(const vm::BuiltinInfo& b, const std::vector<TypeSet>& sets, Type wanted);
  Type argType(char letter, TypeSet set, Type triple) const;
  void noMatch(const Expr* e, const std::vector<TypeSet>& sets);
  void unknownFunction(const Expr* e);
  const Expr* channelBase(const Expr* e);
  FunctionRef chooseFunction(const Expr* e, const std::vector<FunctionRef>& all);
  Value inlineCall(const FunctionRef& f, const Expr* e, int dest);
  Variable bindArgument(const VarDecl& param, const Expr* arg, bool written,
                        std::vector<std::pair<const Expr*, Value>>& copyBack);
  void lowerBody(const Function& f);

  const Ast& ast_;
  const Shader& shader_;
  Ir& ir_;
  Diagnostics& diag_;
  std::vector<IrInstr>* code_ = nullptr;
  std::deque<Scope> scopes_;
  std::vector<Frame> frames_;
  std::map<std::string, int> constants_;
  std::unordered_set<std::string_view> complained_;
  std::unordered_set<const Function*> inlined_;
  int scope_ = 0, shaderScope_ = 0, region_ = 0;
  int inlines_ = 0;
  bool tooLarge_ = false;
};

/// Tree questions (lower_inline.cpp): does a return stand anywhere but at the end; is a name assigned to in it.
bool needsReturnLoop(const Stmt* body);
bool hasReturn(const Stmt* s);
bool assigns(const Stmt* s, std::string_view name);

/// The entry of `names` nearest to `name` by edit distance; empty if none is near.
std::string_view nearest(std::string_view name, const std::vector<std::string_view>& names);
std::string didYouMean(std::string_view name, const std::vector<std::string_view>& names);
/// True where every lane of the result depends on that lane of the operands alone, component by component, so that the
/// result may overwrite an operand.
bool inPlaceSafe(vm::Op op);

}  // namespace reyes::sl
