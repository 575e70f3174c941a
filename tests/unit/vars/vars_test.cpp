// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "reyes/vars/param_list.h"
#include "reyes/vars/types.h"
#include "reyes/vars/var_block.h"

using namespace reyes;

TEST_CASE("declarations parse with class, type, array and name in any usual spelling") {
  const auto a = parseDeclaration("varying float[4] weights");
  REQUIRE(a);
  CHECK(a->storage == Storage::kVarying);
  CHECK(a->type == Type::kFloat);
  CHECK(a->arraySize == 4);
  CHECK(a->name == Name("weights"));
  CHECK(a->width() == 4);
  CHECK(parseDeclaration("color")->storage == Storage::kUniform);
  CHECK(parseDeclaration("  uniform   point [ 2 ] x ")->width() == 6);
  CHECK(parseDeclaration("integer n")->type == Type::kInteger);
  CHECK(parseDeclaration("facevarying normal N")->storage == Storage::kFaceVarying);
  CHECK_FALSE(parseDeclaration("Kd"));
  CHECK_FALSE(parseDeclaration("float[0] x"));
  CHECK_FALSE(parseDeclaration("float[2 x"));
  CHECK_FALSE(parseDeclaration("float a b"));
  CHECK_FALSE(parseDeclaration(""));
  CHECK_FALSE(parseDeclaration("varying"));
}

TEST_CASE("a declaration prints as it parses") {
  CHECK(parseDeclaration("vertex hpoint Pw")->declaration() == "vertex hpoint");
  CHECK(parseDeclaration("float[3] w")->declaration() == "uniform float[3]");
}

TEST_CASE("grid variables are aligned planes, uniform ones single values") {
  Arena arena;
  VarBlock block(17 * 17);
  CHECK(block.stride() == 304);
  block.add({"P", Type::kPoint, Storage::kVarying, 0}, arena);
  block.add({"Kd", Type::kFloat, Storage::kUniform, 2}, arena);
  const Var* p = block.find("P");
  REQUIRE(p);
  CHECK(p->plane(1) - p->plane(0) == 304);
  CHECK(reinterpret_cast<uintptr_t>(p->plane(2)) % 64 == 0);
  const Var* kd = block.find("Kd");
  REQUIRE(kd);
  CHECK(kd->uniform);
  CHECK(kd->plane(0, 1) - kd->plane(0) == 1);
  CHECK(block.find("nothing") == nullptr);
}

TEST_CASE("the last parameter of a name wins") {
  ParamList list;
  for (const float v : {1.0f, 2.0f}) {
    Param p;
    p.spec = {"Kd", Type::kFloat, Storage::kUniform, 0};
    p.floats = {v};
    list.add(p);
  }
  CHECK(list.floatOr("Kd", 0) == 2);
  CHECK(list.floatOr("Ks", 7) == 7);
}
