// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/macro.h"

#include <algorithm>

#include "reyes/base/format.h"

namespace reyes::sl {
namespace {
constexpr size_t kMaxProduced = 512u << 10;  // tokens made by all expansions of a compilation
constexpr int kMaxArgDepth = 200;

bool sameBody(const Macro& a, const Macro& b) {
  return a.functionLike == b.functionLike && a.params == b.params && a.body.size() == b.body.size() &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), [](auto& x, auto& y) { return x.text == y.text; });
}
}  // namespace

void MacroExpander::define(std::string_view name, Macro macro, const SourceLoc& loc) {
  auto& slot = macros_[name];
  if (slot && !slot->predefined && !sameBody(*slot, macro))
    diag_.warning("sl-macro-redefined", loc, format("macro '{}' is defined again, differently", name));
  slot = std::make_shared<Macro>(std::move(macro));
  slot->loc = loc;
}

void MacroExpander::push(std::vector<Token> tokens, std::shared_ptr<Macro> macro) {
  produced_ += tokens.size() + 1;
  if (produced_ > kMaxProduced && !overLimit_) {
    overLimit_ = true;
    diag_.error("sl-macro-limit", tokens.empty() ? SourceLoc{} : tokens[0].loc, "macro expansion grows without bound",
                Impact::kInput);
  }
  if (macro) ++macro->active;
  contexts_.push_back({std::move(tokens), 0, std::move(macro)});
}

Token MacroExpander::read() {
  while (!contexts_.empty()) {
    Context& top = contexts_.back();
    if (top.next < top.tokens.size()) return top.tokens[top.next++];
    if (top.macro) --top.macro->active;
    contexts_.pop_back();
  }
  return isolated_ ? Token{} : source_();
}

Token MacroExpander::next() {
  for (;;) {
    if (overLimit_) return {};
    Token t = read();
    if (t.kind != Tok::kIdent || t.noExpand || !expand(t)) return t;
  }
}

/// True where `name` was replaced (its expansion is pushed). Else the token stands for itself.
bool MacroExpander::expand(const Token& name) {
  const auto it = macros_.find(name.text);
  if (it == macros_.end()) return false;
  const std::shared_ptr<Macro> macro = it->second;
  if (macro->active > 0) {
    Token painted = name;
    painted.noExpand = true;
    push({painted}, nullptr);
    return true;
  }
  Args args;
  if (macro->functionLike) {
    const Token open = read();
    if (!open.is("(")) {
      Token plain = name;
      plain.noExpand = true;
      if (open.kind == Tok::kEnd)
        push({plain}, nullptr);
      else
        push({plain, open}, nullptr);
      return true;
    }
    if (!collectArgs(name, args)) return true;
    if (args.size() == 1 && args[0].empty() && macro->params.empty()) args.clear();
    if (args.size() != macro->params.size()) {
      diag_.error("sl-macro-arguments", name.loc,
                  format("macro '{}' takes {} arguments, {} given", name.text, macro->params.size(), args.size()),
                  Impact::kInput);
      args.resize(macro->params.size());
    }
  }
  if (!macro->predefined) sources_.noteExpansion(name.loc, name.text, macro->loc);
  push(substitute(*macro, args, name), macro);
  return true;
}

bool MacroExpander::collectArgs(const Token& name, Args& args) {
  args.emplace_back();
  for (int nest = 0;;) {
    const Token t = read();
    if (t.kind == Tok::kEnd || overLimit_) {
      diag_.error("sl-macro-open", name.loc, format("the arguments of macro '{}' are never closed", name.text),
                  Impact::kInput);
      return false;
    }
    if (t.is(")") && nest-- == 0) return true;
    if (t.is("(")) ++nest;
    if (t.is(",") && nest == 0)
      args.emplace_back();
    else
      args.back().push_back(t);
  }
}

std::vector<Token> MacroExpander::expandList(const std::vector<Token>& tokens) {
  if (depth_ >= kMaxArgDepth) {
    diag_.error("sl-too-deep", tokens.empty() ? SourceLoc{} : tokens[0].loc,
                format("macro arguments are nested deeper than {}", kMaxArgDepth), Impact::kInput);
    return tokens;
  }
  ++depth_;
  std::vector<Context> outer;
  outer.swap(contexts_);
  const bool wasIsolated = isolated_;
  isolated_ = true;
  std::vector<Token> out;
  push(tokens, nullptr);
  for (Token t = next(); t.kind != Tok::kEnd; t = next()) out.push_back(t);
  for (Context& c : contexts_)
    if (c.macro) --c.macro->active;
  contexts_.swap(outer);
  isolated_ = wasIsolated;
  --depth_;
  return out;
}

std::vector<Token> MacroExpander::substitute(const Macro& macro, const Args& args, const Token& name) {
  std::vector<Token> out;
  std::vector<std::vector<Token>> expanded(args.size());
  std::vector<bool> done(args.size(), false);
  const auto paramIndex = [&](const Token& t) -> int {
    if (t.kind != Tok::kIdent) return -1;
    const auto it = std::find(macro.params.begin(), macro.params.end(), t.text);
    return it == macro.params.end() ? -1 : static_cast<int>(it - macro.params.begin());
  };
  for (size_t i = 0; i < macro.body.size(); ++i) {
    Token t = macro.body[i];
    t.loc = name.loc;
    t.lineStart = false;
    const bool pasteNext = i + 1 < macro.body.size() && macro.body[i + 1].is("##");
    const bool pastePrev = i > 0 && macro.body[i - 1].is("##");
    if (t.is("##") && i > 0 && i + 1 < macro.body.size()) continue;
    if (macro.functionLike && t.is("#") && i + 1 < macro.body.size() && paramIndex(macro.body[i + 1]) >= 0) {
      out.push_back(stringify(args[static_cast<size_t>(paramIndex(macro.body[++i]))], t));
      continue;
    }
    const int p = paramIndex(t);
    if (p < 0) {
      if (pastePrev && !out.empty())
        paste(out, t);
      else
        out.push_back(t);
      continue;
    }
    // Operands of ## are taken unexpanded, all others fully expanded (once).
    const auto slot = static_cast<size_t>(p);
    if (pasteNext || pastePrev) {
      for (size_t k = 0; k < args[slot].size(); ++k) {
        if (k == 0 && pastePrev && !out.empty())
          paste(out, args[slot][k]);
        else
          out.push_back(args[slot][k]);
      }
    } else {
      if (!done[slot]) expanded[slot] = expandList(args[slot]), done[slot] = true;
      out.insert(out.end(), expanded[slot].begin(), expanded[slot].end());
    }
    if (out.size() > kMaxProduced) break;
  }
  return out;
}

Token MacroExpander::stringify(const std::vector<Token>& arg, const Token& at) {
  std::string s = "\"";
  for (const Token& t : arg) {
    if (t.spaceBefore && s.size() > 1) s += ' ';
    for (const char c : t.text) {
      if (t.kind == Tok::kString && (c == '"' || c == '\\')) s += '\\';
      s += c;
    }
  }
  Token t = at;
  t.kind = Tok::kString;
  t.text = sources_.keep(s + '"');
  return t;
}

/// Joins `right` onto the last token of `out`: a name or a number stays one, anything else only where it is an
/// operator.
void MacroExpander::paste(std::vector<Token>& out, const Token& right) {
  Token& left = out.back();
  const std::string joined = std::string(left.text) + std::string(right.text);
  const bool word = (left.kind == Tok::kIdent || left.kind == Tok::kNumber) &&
                    (right.kind == Tok::kIdent || right.kind == Tok::kNumber) && joined.find('.') == std::string::npos;
  const bool number = left.kind == Tok::kNumber && right.kind == Tok::kNumber;
  static constexpr std::string_view kOps[] = {"+=", "-=", "*=", "/=", "==", "!=", "<=", ">=", "&&", "||", "->"};
  const bool op = std::find(std::begin(kOps), std::end(kOps), joined) != std::end(kOps);
  if (!word && !number && !op) {
    diag_.error("sl-macro-paste", left.loc, format("'{}' ## '{}' does not make one token", left.text, right.text),
                Impact::kInput);
    out.push_back(right);
    return;
  }
  if (left.text.size() + right.text.size() > (1u << 16)) return;
  left.text = sources_.keep(joined);
  left.noExpand = false;
}

}  // namespace reyes::sl
