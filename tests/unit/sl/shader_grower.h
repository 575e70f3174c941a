// SPDX-License-Identifier: Apache-2.0
// Grows a shader that is right in grammar and types from a string of choices, for tests that compare what the compiler
// makes of it and for the fuzzer. Every choice is a byte; when they are used up, the shortest form is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace reyes::test {

class ShaderGrower {
 public:
  ShaderGrower(const uint8_t* bytes, size_t size) : bytes_(bytes), size_(size) {}

  /// A surface with the output parameters result (float) and tint (color).
  std::string grow() {
    std::string s = "float helper(float a, b) { if (a > b) return a - b; return a * b + 0.5; }\n";
    s += "void split(color c; output float lo, hi) {\n  lo = min(comp(c, 0), comp(c, 1), comp(c, 2));\n";
    s += "  hi = max(comp(c, 0), comp(c, 1), comp(c, 2));\n}\n";
    s += "surface grown(float Ka = 0.5, Kz = 0; color base = color (0.2, 0.5, 0.8);\n";
    s += "              output varying float result = 0; output varying color tint = 0;)\n{\n";
    s += "  float f0 = u, f1 = v - 0.4, f2 = " + number() + ", arr[4] = {1, " + number() + ", 3};\n";
    s += "  color c0 = Cs, c1 = color (s, t, 0.3);\n  vector w0 = vector (u, v, 1), w1 = N;\n  point p0 = P;\n";
    for (int i = 2 + pick(10); i > 0; --i) statement(s, 1);
    s += "  result = f0 + f1 * f2 + arr[2];\n  tint = c0 + c1 * w0 . w1 + color (p0);\n";
    return s + "  Ci = tint * Os;\n  Oi = Os;\n}\n";
  }

 private:
  int pick(int n) { return at_ < size_ ? bytes_[at_++] % n : 0; }
  std::string one(const std::vector<std::string>& of) {
    return of[static_cast<size_t>(pick(static_cast<int>(of.size())))];
  }
  std::string number() { return one({"0", "1", "2", "0.5", "-1.5", "4", "0.25", "3.7", "1e-3"}); }

  std::string condition(int deep) {
    const std::string a = floatOf(deep), b = floatOf(deep);
    switch (pick(6)) {
      case 0:
        return a + one({" > ", " < ", " >= ", " <= "}) + b;
      case 1:
        return "(" + a + " > 0.3 && " + b + " < 1)";
      case 2:
        return "(" + a + " < 0 || " + b + " > 0.7)";
      case 3:
        return "!(" + a + " > " + b + ")";
      case 4:
        return "Ka > " + number();
      default:
        return "u " + one({"> 0.9", "< 0.1", "== v", "!= v"});
    }
  }

  std::string floatOf(int deep) {
    if (deep <= 0) return one({"f0", "f1", "f2", number(), "u", "v", "Ka", "Kz", "s"});
    const int d = deep - 1;
    switch (pick(14)) {
      case 0:
        return "(" + floatOf(d) + one({" + ", " - ", " * "}) + floatOf(d) + ")";
      case 1:
        return "(" + floatOf(d) + " / " + one({"2", "0.25", "3", "(" + floatOf(d) + ")"}) + ")";
      case 2:
        return one({"abs", "sqrt", "floor", "sin", "cos", "exp", "sign", "round", "atan"}) + "(" + floatOf(d) + ")";
      case 3:
        return one({"max", "min", "mod", "pow", "step", "atan"}) + "(" + floatOf(d) + ", " + floatOf(d) + ")";
      case 4:
        return one({"mix", "clamp", "smoothstep"}) + "(" + floatOf(d) + ", " + floatOf(d) + ", " + floatOf(d) + ")";
      case 5:
        return "(" + vectorOf(d) + " . " + vectorOf(d) + ")";
      case 6:
        return "length(" + vectorOf(d) + ")";
      case 7:
        return one({"xcomp", "ycomp", "zcomp"}) + "(" + vectorOf(d) + ")";
      case 8:
        return "comp(" + colorOf(d) + ", " + floatOf(0) + ")";
      case 9:
        return "(float noise(" + one({"P * 3", floatOf(d), "p0"}) + "))";
      case 10:
        return "(" + condition(0) + " ? " + floatOf(d) + " : " + floatOf(d) + ")";
      case 11:
        return "arr[" + floatOf(d) + "]";
      case 12:
        return "helper(" + floatOf(d) + ", " + floatOf(d) + ")";
      default:
        return "max(0, " + vectorOf(d) + " . " + vectorOf(d) + ") * Ka";
    }
  }

  std::string colorOf(int deep) {
    if (deep <= 0) return one({"c0", "c1", "base", "Cs", "color (0.1, 0.9, 0.4)", "Os"});
    const int d = deep - 1;
    switch (pick(8)) {
      case 0:
        return "(" + colorOf(d) + one({" + ", " - ", " * "}) + colorOf(d) + ")";
      case 1:
        return "(" + floatOf(d) + " * " + colorOf(d) + ")";
      case 2:
        return "mix(" + colorOf(d) + ", " + colorOf(d) + ", " + floatOf(d) + ")";
      case 3:
        return "color (" + floatOf(d) + ", " + floatOf(d) + ", " + floatOf(d) + ")";
      case 4:
        return "(" + colorOf(d) + " * " + colorOf(d) + " * " + floatOf(d) + " + " + colorOf(d) + ")";
      case 5:
        return "spline(" + floatOf(d) + ", c0, c1, base, Cs, c0)";
      case 6:
        return "(" + colorOf(d) + " * (Ka * " + colorOf(d) + " + Kz * " + colorOf(d) + "))";
      default:
        return "(" + condition(0) + " ? " + colorOf(d) + " : " + colorOf(d) + ")";
    }
  }

  std::string vectorOf(int deep) {
    if (deep <= 0) return one({"w0", "w1", "(P - p0)", "vector (0, 0, 1)", "I", "vector N"});
    const int d = deep - 1;
    switch (pick(7)) {
      case 0:
        return "(" + vectorOf(d) + one({" + ", " - ", " ^ "}) + vectorOf(d) + ")";
      case 1:
        return "normalize(" + vectorOf(d) + ")";
      case 2:
        return "(" + floatOf(d) + " * " + vectorOf(d) + ")";
      case 3:
        return "normalize(" + vectorOf(d) + one({" + ", " - "}) + vectorOf(d) + ")";
      case 4:
        return "vector faceforward(normalize(" + vectorOf(d) + "), I)";
      case 5:
        return "reflect(" + vectorOf(d) + ", normalize(N))";
      default:
        return "vector (" + floatOf(d) + ", " + floatOf(d) + ", 1)";
    }
  }

  void block(std::string& s, int depth) {
    s += " {\n";
    for (int i = 1 + pick(3); i > 0; --i) statement(s, depth + 1);
    s += std::string(static_cast<size_t>(depth) * 2, ' ') + "}\n";
  }

  void statement(std::string& s, int depth) {
    s += std::string(static_cast<size_t>(depth) * 2, ' ');
    switch (depth > 4 ? pick(6) : pick(12)) {
      case 0:
      case 1:
        s += one({"f0", "f1", "f2"}) + one({" = ", " = ", " += ", " *= "}) + floatOf(1 + pick(3)) + ";\n";
        return;
      case 2:
        s += one({"c0", "c1"}) + one({" = ", " = ", " += ", " *= "}) + colorOf(1 + pick(2)) + ";\n";
        return;
      case 3:
        s += one({"w0", "w1"}) + " = " + vectorOf(1 + pick(2)) + ";\n";
        return;
      case 4:
        s += "arr[" + floatOf(1) + "] = " + floatOf(2) + ";\n";
        return;
      case 5:
        s += one({"p0 += 0.5 * w0;\n", "split(c0, f0, f1);\n", "f0 = f1 = f2;\n", "setcomp(c1, 1, f0);\n"});
        return;
      case 6:
      case 7:
      case 8:
        s += "if (" + condition(1) + ")";
        block(s, depth);
        if (pick(2)) {
          s += std::string(static_cast<size_t>(depth) * 2, ' ') + "else";
          block(s, depth);
        }
        return;
      case 9:
        s += "{ float i; for (i = 0; i < " + one({"3", "2", "f0", "4 * u"}) + " && i < 4; i += 1) {\n";
        if (pick(2)) s += "if (" + condition(0) + ") " + one({"break", "continue"}) + ";\n";
        statement(s, depth + 2);
        if (pick(3) == 0) s += "if (" + condition(0) + ") " + one({"break", "continue"}) + ";\n";
        statement(s, depth + 2);
        s += "} }\n";
        return;
      case 10:
        s += "{ float i = 0; while (i < 3 && " + condition(0) + ") {\n i += 1;\n";
        statement(s, depth + 2);
        s += "} }\n";
        return;
      default:
        s += "if (" + condition(0) + ") " + one({"f0 = ", "f2 = "}) + floatOf(2) + ";\n";
        return;
    }
  }

  const uint8_t* bytes_;
  size_t size_, at_ = 0;
};

}  // namespace reyes::test
