// SPDX-License-Identifier: Apache-2.0
// Parameter lists: tokens are looked up (inline declaration, Declare, standard), values are checked against the type.
#include "reyes/base/format.h"
#include "reyes/rib/arguments.h"
#include "reyes/rib/request_table.h"

namespace reyes::rib {

const Arguments::Spec& Arguments::specOf(const std::string& token) {
  const auto it = specs_.find(token);
  if (it != specs_.end()) return it->second;
  // Names made by exporters a million at a time must not pile up here.
  if (specs_.size() > 4096) specs_.clear();
  return specs_[token] = {declarations_.lookUp(token), declarations_.isStandard(token)};
}

bool Arguments::read(ParamList& out) {
  if (bracket_) {
    // More values than the scalars before took.
    diag_.warning("rib-extra-arguments", peek().loc, format("{}: more values in brackets than it takes", request_));
    std::vector<float> floats;
    std::vector<std::string> strings;
    bracket_ = false;
    if (!readArrayBody(floats, nullptr, &strings)) return false;
  }
  while (nextIs(TokenKind::kString))
    if (!readParam(out)) return false;
  return true;
}

/// Reads one token and its value. A fault of the parameter alone drops it; false only where the request is lost.
bool Arguments::readParam(ParamList& out) {
  const Spec& known = specOf(token_.text);
  Param param;
  param.spec = known.spec;
  param.loc = token_.loc;
  lastLine_ = token_.loc.line;
  const bool standard = known.standard;
  drop();
  const Token& t = peek();
  if (t.kind == TokenKind::kWord || t.kind == TokenKind::kEnd || t.kind == TokenKind::kClose) {
    if (t.kind == TokenKind::kEnd && lexer_.failed()) return false;
    if (t.kind == TokenKind::kWord && t.loc.line == lastLine_ && !findRequest(t.text)) return missing("a value");
    diag_.error("rib-missing-value", param.loc, format("{}: \"{}\" has no value", request_, param.spec.name.str()));
    return true;
  }
  if (t.kind == TokenKind::kBad) return false;
  if (!readValues(param)) return false;
  if (fitsType(param, standard)) out.add(std::move(param));
  return true;
}

bool Arguments::readValues(Param& param) {
  const bool integers = param.spec.type == Type::kInteger;
  const bool open = param.spec.type == Type::kUnknown;
  if (nextIs(TokenKind::kOpen)) {
    drop();
    return readArrayBody(param.floats, integers || open ? &param.ints : nullptr, &param.strings);
  }
  // Without brackets: one string, or the numbers that follow.
  if (nextIs(TokenKind::kString)) {
    param.strings.push_back(std::move(token_.text));
    lastLine_ = token_.loc.line;
    drop();
    return true;
  }
  bool whole = integers || open;
  while (nextIs(TokenKind::kNumber)) {
    param.floats.push_back(token_.number.value);
    whole = whole && token_.number.isInteger;
    if (whole) param.ints.push_back(token_.number.integer);
    lastLine_ = token_.loc.line;
    drop();
  }
  if (!whole) param.ints.clear();
  return true;
}

/// Checks kind and number of the values. A parameter that does not fit is reported and dropped (false), except that a
/// standard variable given values of another kind becomes one of unknown type.
bool Arguments::fitsType(Param& param, bool standard) {
  VarSpec& spec = param.spec;
  if (spec.type == Type::kUnknown) return true;
  const bool wantsStrings = spec.type == Type::kString;
  const bool wrongKind = wantsStrings ? !param.floats.empty() : !param.strings.empty();
  if (wrongKind && standard) {
    const Name name = spec.name;
    spec = {};
    spec.name = name;
    return true;
  }
  if (wrongKind) {
    diag_.error("rib-type-mismatch", param.loc,
                format("{}: \"{}\" is a {} but has {}", request_, spec.name.str(), typeName(spec.type),
                       wantsStrings ? "numbers" : "strings"));
    return false;
  }
  if (spec.type == Type::kInteger && param.ints.size() != param.floats.size()) {
    param.ints.clear();
    if (!toInts(param.floats, param.ints)) return false;
  }
  // The width of a colour follows ColorSamples, which only the receiver knows.
  if (spec.type == Type::kColor || spec.width() <= 0) return true;
  if (param.count() % static_cast<size_t>(spec.width()) == 0) return true;
  diag_.error("rib-bad-count", param.loc,
              format("{}: \"{}\" has {} values, which is no multiple of the {} of a {}", request_, spec.name.str(),
                     param.count(), spec.width(), spec.declaration()));
  return false;
}

bool Arguments::readRest(ParamList& out) {
  for (;;) {
    const TokenKind kind = peek().kind;
    if (kind == TokenKind::kBad || kind == TokenKind::kClose) return false;
    if (kind == TokenKind::kEnd || kind == TokenKind::kWord) return true;
    Param param;
    param.loc = token_.loc;
    if (kind == TokenKind::kNumber) {
      param.floats.push_back(token_.number.value);
      if (token_.number.isInteger) param.ints.push_back(token_.number.integer);
      drop();
    } else if (!readValues(param)) {
      return false;
    }
    out.add(std::move(param));
  }
}

}  // namespace reyes::rib
