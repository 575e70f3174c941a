// SPDX-License-Identifier: Apache-2.0
// Built-in functions with known answers: geometry, colour, matrices, maps and messages through Services.
#include <doctest/doctest.h>

#include <cmath>

#include "reyes/vm/machine_state.h"
#include "reyes/vm/pattern.h"

using namespace reyes;
using namespace reyes::vm;

namespace {

struct World : Services {
  int textures = 0;
  bool spaceMatrix(std::string_view from, std::string_view to, Matrix4& m) override {
    if (from == "current" && to == "moved") return m = Matrix4::translate({1, 2, 3}), true;
    if (from == "current" && to == "big") return m = Matrix4::scale({2, 2, 4}), true;
    return Services::spaceMatrix(from, to, m);
  }
  bool texture(const Lanes& l, const TextureCall& c) override {
    ++textures;
    CHECK(c.file == "map");
    CHECK(c.tokens.size() == 1);
    CHECK(c.tokens[0].token == "blur");
    CHECK(c.tokens[0].value.at(0) == 0.25f);
    for (int k = 0; k < c.channels; ++k)
      for (int i = 0; i < l.points; ++i)
        c.out[k][i] = static_cast<float>(k + c.firstChannel) + c.s[i] + (c.dsdu ? 10 * c.dsdu[i] : 0);
    return true;
  }
  bool message(MessageSource, int light, std::string_view name, const Lanes&, RegType t, int, Value& v) override {
    static const float number = 4;
    if (name != "gain" || t != RegType::kFloat || light != -1) return false;
    v.data = &number;
    return true;
  }
  bool query(Query q, std::string_view name, std::string_view, RegType, QueryResult& r) override {
    if (q != Query::kOption || name != "Format") return false;
    r.numbers = {640, 480, 1};
    return true;
  }
};

/// Uniform registers from values; results are read by name.
struct Uniform {
  std::string text = "shader surface \"t\"\n", symbols, code;
  int next = 0;
  World world;
  std::shared_ptr<const Program> program;
  std::unique_ptr<Instance> instance;
  Machine machine{bestIsa()};

  std::string reg(const std::string& type, const std::string& values, const std::string& name = "") {
    const std::string r = "r" + std::to_string(next++);
    text += "reg " + r + " uniform " + type + (values.empty() ? "" : " = " + values) + "\n";
    const std::string base = type.substr(0, type.find('['));
    if (!name.empty())
      symbols += "sym local " + (base == "triple" ? std::string("point") : base) + " " + r + " \"" + name + "\"\n";
    return r;
  }
  std::string f(const std::string& v = "", const std::string& name = "") { return reg("float", v, name); }
  std::string t(const std::string& v = "", const std::string& name = "") { return reg("triple", v, name); }
  void op(const std::string& line) { code += line + "\n"; }
  void run() {
    std::string error;
    program = assemble(text + symbols + code + "end\n", error);
    REQUIRE_MESSAGE(program, error);
    instance = std::make_unique<Instance>(program);
    instance->initialise(world, bestIsa());
    machine.begin(*instance, {1, 1, 1, 1, 1, 0, false, 1000});
    machine.run(world);
  }
  void checkTriple(const char* name, float x, float y, float z) {
    CHECK(machine.value(name).at(0, 0) == doctest::Approx(x));
    CHECK(machine.value(name).at(0, 1) == doctest::Approx(y));
    CHECK(machine.value(name).at(0, 2) == doctest::Approx(z));
  }
  float number(const char* name) { return machine.value(name).at(0); }
};

}  // namespace

TEST_CASE("geometry") {
  Uniform u;
  const auto x = u.t("1 0 0"), y = u.t("0 1 0"), d = u.t("3 4 0"), zero = u.t("0 0 0"), down = u.t("0.6 -0.8 0");
  const auto half = u.f("1.5707963"), eta = u.f("0.5"), kr = u.f("", "kr"), kt = u.f("", "kt");
  u.op("length " + u.f("", "length") + " " + d);
  u.op("normalize " + u.t("", "unit") + " " + d);
  u.op("normalize " + u.t("9 9 9", "null") + " " + zero);
  u.op("reflect " + u.t("", "reflect") + " " + down + " " + y);
  u.op("refract " + u.t("", "refract") + " " + down + " " + y + " " + eta);
  u.op("faceforward3 " + u.t("", "forward") + " " + y + " " + y + " " + y);
  u.op("rotate " + u.t("", "rotate") + " " + x + " " + half + " " + zero + " " + y);
  u.op("ptlined " + u.f("", "line") + " " + zero + " " + x + " " + d);
  u.op("fresnel " + down + " " + y + " " + eta + " " + kr + " " + kt);
  u.op("cross " + u.t("", "cross") + " " + x + " " + y);
  u.run();
  CHECK(u.number("length") == 5);
  u.checkTriple("unit", 0.6f, 0.8f, 0);
  u.checkTriple("null", 0, 0, 0);
  u.checkTriple("reflect", 0.6f, 0.8f, 0);
  u.checkTriple("refract", 0.3f, -std::sqrt(1 - 0.09f), 0);
  u.checkTriple("forward", 0, -1, 0);
  u.checkTriple("rotate", 0, 0, -1);
  CHECK(u.number("line") == doctest::Approx(std::sqrt(4 + 16.0)));
  // Fresnel for 0.6 = sin i, n = 2: s and p reflectances by hand.
  const double ci = 0.8, ct = std::sqrt(1 - 0.09), rs = (ci - 2 * ct) / (ci + 2 * ct),
               rp = (2 * ci - ct) / (2 * ci + ct);
  CHECK(u.number("kr") == doctest::Approx(0.5 * (rs * rs + rp * rp)));
  CHECK(u.number("kt") == doctest::Approx(1 - 0.5 * (rs * rs + rp * rp)));
  u.checkTriple("cross", 0, 0, 1);
}

TEST_CASE("spaces") {
  Uniform u;
  const auto p = u.t("1 1 1"), moved = u.reg("string", "\"moved\""), big = u.reg("string", "\"big\"");
  u.op("transform " + u.t("", "p") + " " + moved + " " + p);
  u.op("vtransform " + u.t("", "v") + " " + moved + " " + p);
  u.op("ntransform " + u.t("", "n") + " " + big + " " + p);
  u.run();
  u.checkTriple("p", 2, 3, 4);
  u.checkTriple("v", 1, 1, 1);
  u.checkTriple("n", 0.5f, 0.5f, 0.25f);
}

TEST_CASE("colour spaces go there and back") {
  for (const char* space : {"hsv", "hsl", "xyz", "xyY", "YIQ"}) {
    Uniform u;
    const auto c = u.t("0.8 0.3 0.1"), s = u.reg("string", std::string("\"") + space + "\""),
               rgb = u.reg("string", "\"rgb\"");
    const auto there = u.t("", "there");
    u.op("ctransform " + there + " " + s + " " + c);
    u.op("ctransform_ss " + u.t("", "back") + " " + s + " " + rgb + " " + there);
    u.run();
    CHECK(u.machine.value("back").at(0, 0) == doctest::Approx(0.8).epsilon(1e-3));
    CHECK(u.machine.value("back").at(0, 1) == doctest::Approx(0.3).epsilon(1e-3));
    CHECK(u.machine.value("back").at(0, 2) == doctest::Approx(0.1).epsilon(1e-2));
    if (std::string(space) == "hsv") u.checkTriple("there", 0.2f / 0.7f / 6, 0.875f, 0.8f);
  }
}

TEST_CASE("matrices") {
  Uniform u;
  const std::string one = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1";
  const auto m = u.reg("matrix", one), a = u.reg("matrix", ""), t = u.t("1 2 3"), two = u.t("2 2 2"), three = u.f("3");
  const auto b = u.reg("matrix", "");
  u.op("translate_m " + a + " " + m + " " + t);
  u.op("scale_m " + b + " " + a + " " + two);
  u.op("determinant " + u.f("", "det") + " " + b);
  u.op("comp_m " + u.f("", "c") + " " + b + " " + three + " " + u.f("1"));
  u.op("transform_m " + u.t("", "p") + " " + b + " " + t);
  u.op("divm " + m + " " + b + " " + b);
  u.op("comp_m " + u.f("", "one") + " " + m + " " + three + " " + three);
  u.run();
  CHECK(u.number("det") == 8);
  CHECK(u.number("c") == 2);
  u.checkTriple("p", 3, 6, 9);
  CHECK(u.number("one") == doctest::Approx(1));
}

TEST_CASE("maps, messages and information come through Services") {
  Uniform u;
  const auto name = u.reg("string", "\"map\""), channel = u.f("1"), s = u.f("0.5"), blur = u.reg("string", "\"blur\"");
  u.op("texture_c2 " + u.t("", "tex") + " " + name + " " + channel + " " + s + " " + s + " " + blur + " " +
       u.f("0.25"));
  const auto gain = u.reg("string", "\"gain\""), variable = u.f("7", "gain"), format = u.reg("string", "\"Format\"");
  const auto other = u.f("7", "other"), size = u.reg("float[3]", "", "size");
  u.op("surface " + u.f("", "found") + " " + gain + " " + variable);
  u.op("surface " + u.f("", "not") + " " + name + " " + other);
  u.op("option " + u.f("", "opt") + " " + format + " " + size);
  u.run();
  u.checkTriple("tex", 1.5f, 2.5f, 3.5f);
  CHECK(u.world.textures == 1);
  CHECK(u.number("found") == 1);
  CHECK(u.number("gain") == 4);
  CHECK(u.number("not") == 0);
  CHECK(u.number("other") == 7);
  CHECK(u.number("opt") == 1);
  CHECK(u.machine.value("size").at(0, 0, 1) == 480);
}

TEST_CASE("patterns of match()") {
  CHECK(matchPattern("b.d", "abcde"));
  CHECK(!matchPattern("^b", "abc"));
  CHECK(matchPattern("c$", "abc"));
  CHECK(matchPattern("^a[bx]*c+$", "abxbcc"));
  CHECK(matchPattern("x|bc", "abc"));
  CHECK(matchPattern("^[^0-9]?a$", "za"));
  CHECK(!matchPattern("a\\.b", "axb"));
  CHECK(matchPattern("", ""));
  CHECK(matchPattern("^(ab|cd)*$", "abcdab"));
  CHECK(!matchPattern("^(ab|cd)*$", "abc"));
  CHECK(matchPattern("^((a|b)c){2,3}$", "acbcac"));
  CHECK(!matchPattern("^((a|b)c){2,3}$", "ac"));
  CHECK(matchPattern("^x{3}$", "xxx"));
  CHECK(matchPattern("^[[:alpha:]_][[:alnum:]_]*$", "_name9"));
  CHECK(!matchPattern("^[[:alpha:]_][[:alnum:]_]*$", "9name"));
  CHECK(matchPattern("a{b", "a{b"));
  CHECK(matchPattern("^[]a]+$", "a]"));
  CHECK(!matchPattern("(a", "a"));
  CHECK(!matchPattern("((((((a{255}){255}){255}){255}){255})", "a"));
  CHECK(matchPattern("(()*)*b", "ab"));
  CHECK(!matchPattern("(a*)*b*c*d*e*f*z", std::string(5000, 'a')));
}

TEST_CASE("light categories") {
  CHECK(categoryMatches("", "a"));
  CHECK(categoryMatches("", ""));
  CHECK(categoryMatches("a", "a,b"));
  CHECK(!categoryMatches("c", "a, b"));
  CHECK(categoryMatches("b,c", "a, b"));
  CHECK(categoryMatches("-a", "b"));
  CHECK(!categoryMatches("-a", "a,b"));
  CHECK(!categoryMatches("a,-b", "a,b"));
  CHECK(!categoryMatches("-*", "a"));
  CHECK(categoryMatches("-*", ""));
}
