// SPDX-License-Identifier: Apache-2.0
// An Ri that writes down every call as one line of text, for comparing what was read.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/rib/forward_ri.h"
#include "reyes/rib/reader.h"

namespace reyes::rib {

class Trace final : public ForwardRi<Trace> {
 public:
  std::vector<std::string> lines;
  std::vector<SourceLoc> places;

  template <class... A, class... B>
  void call(void (Ri::*)(A...), const char* name, const B&... arguments) {
    std::string line = name;
    ((line += " " + show(arguments)), ...);
    lines.push_back(line);
    places.push_back(at());
  }
  std::string joined() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }

 private:
  static std::string show(float v) { return fmt::format("{}", v); }
  static std::string show(int v) { return fmt::format("{}", v); }
  static std::string show(bool v) { return v ? "true" : "false"; }
  static std::string show(const std::string& v) { return "'" + v + "'"; }
  static std::string show(const Handle& v) { return v.index() == 0 ? handleText(v) : show(std::get<1>(v)); }
  static std::string show(Vec3 v) { return fmt::format("<{} {} {}>", v.x, v.y, v.z); }
  static std::string show(const FilterArg& v) { return fmt::format("{}:{}:{}", v.name, v.xWidth, v.yWidth); }
  static std::string show(const BasisArg& v) { return v.name.empty() ? show(v.matrix) : v.name; }
  static std::string show(const Matrix4& v) { return show(Floats(&v.m[0][0], 16)); }
  template <class T>
  static std::string show(std::span<const T> v) {
    std::string all = "[";
    for (const T& x : v) all += (all.size() > 1 ? " " : "") + show(x);
    return all + "]";
  }
  static std::string show(const ParamList& list) {
    std::string all;
    for (const Param& p : list.all()) {
      all += (all.empty() ? "" : " ") + (p.spec.type == Type::kUnknown ? "?" : p.spec.declaration()) + " " +
             p.spec.name.str() + "=";
      if (!p.strings.empty())
        all += show(Strings(p.strings));
      else if (!p.ints.empty())
        all += "i" + show(Ints(p.ints));
      else
        all += show(Floats(p.floats));
    }
    return "{" + all + "}";
  }
};

struct Outcome {
  bool good = false;
  std::string text;
  std::vector<std::string> lines;
  std::vector<SourceLoc> places;
  std::vector<Diagnostic> faults;

  std::string codes() const {
    std::string all;
    for (const Diagnostic& d : faults)
      all += (all.empty() ? "" : " ") + d.code + format("@{}:{}", d.loc.line, d.loc.column);
    return all;
  }
};

inline Outcome parse(const std::string& bytes, const ReaderOptions& options = {}) {
  Diagnostics diag;
  diag.setPrinter({});
  Declarations declarations;
  Trace trace;
  std::istringstream in(bytes);
  Outcome o;
  o.good = readRib(in, options, declarations, trace, diag);
  o.text = trace.joined();
  o.lines = trace.lines;
  o.places = trace.places;
  o.faults = diag.all();
  return o;
}

}  // namespace reyes::rib
