// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/globals.h"

namespace reyes::sl {
namespace {

constexpr unsigned S = 1, L = 2, D = 4, V = 8, I = 16;  // surface light displacement volume imager
constexpr unsigned bit(vm::ShaderType t) {
  switch (t) {
    case vm::ShaderType::kSurface:
      return S;
    case vm::ShaderType::kLight:
      return L;
    case vm::ShaderType::kDisplacement:
      return D;
    case vm::ShaderType::kVolume:
      return V;
    case vm::ShaderType::kImager:
      return I;
  }
  return 0;
}

struct Row {
  GlobalInfo info;
  unsigned where;
  unsigned writableIn;
};

// Imagers see the place of the pixel in the picture as u, v and s, t.
// Volume shaders also see the surface's N, Ng, u, v, s, t, as later renderers have it.
constexpr Row kRows[] = {
    {{"Cs", Type::kColor, true, false}, S | D | V, 0},
    {{"Os", Type::kColor, true, false}, S | D | V, 0},
    {{"P", Type::kPoint, true, false}, S | L | D | V | I, S | D},
    {{"dPdu", Type::kVector, true, false}, S | L | D | V, 0},
    {{"dPdv", Type::kVector, true, false}, S | L | D | V, 0},
    {{"N", Type::kNormal, true, false}, S | L | D | V, S | D},
    {{"Ng", Type::kNormal, true, false}, S | L | D | V, 0},
    {{"Ns", Type::kNormal, true, false}, L, 0},
    {{"u", Type::kFloat, true, false}, S | L | D | V | I, 0},
    {{"v", Type::kFloat, true, false}, S | L | D | V | I, 0},
    {{"du", Type::kFloat, true, false}, S | L | D | V, 0},
    {{"dv", Type::kFloat, true, false}, S | L | D | V, 0},
    {{"s", Type::kFloat, true, false}, S | L | D | V | I, 0},
    {{"t", Type::kFloat, true, false}, S | L | D | V | I, 0},
    {{"L", Type::kVector, true, false}, S | L | V, L},
    {{"Cl", Type::kColor, true, false}, S | L | V, L},
    {{"Ol", Type::kColor, true, false}, S | L | V, L},
    {{"Ps", Type::kPoint, true, false}, L | S | V, 0},
    {{"I", Type::kVector, true, false}, S | L | D | V, 0},
    {{"E", Type::kPoint, false, false}, S | L | D | V, 0},
    {{"Ci", Type::kColor, true, false}, S | V | I, S | V | I},
    {{"Oi", Type::kColor, true, false}, S | V | I, S | V | I},
    {{"alpha", Type::kFloat, true, false}, I, I},
    {{"ncomps", Type::kFloat, false, false}, S | L | D | V | I, 0},
    {{"time", Type::kFloat, false, false}, S | L | D | V | I, 0},
    {{"dtime", Type::kFloat, false, false}, S | L | D | V | I, 0},
    {{"dPdtime", Type::kVector, true, false}, S | L | D | V, 0},
};

/// The same rows with `writable` filled in, one list a kind of shader.
const std::vector<GlobalInfo>& tableOf(vm::ShaderType type) {
  static const std::vector<std::vector<GlobalInfo>> tables = [] {
    std::vector<std::vector<GlobalInfo>> all(5);
    for (size_t k = 0; k < 5; ++k)
      for (const Row& r : kRows) {
        const unsigned b = bit(static_cast<vm::ShaderType>(k));
        if (!(r.where & b)) continue;
        all[k].push_back(r.info);
        all[k].back().writable = (r.writableIn & b) != 0;
      }
    return all;
  }();
  return tables[static_cast<size_t>(type)];
}

}  // namespace

const GlobalInfo* findGlobal(vm::ShaderType shader, std::string_view name) {
  for (const GlobalInfo& g : tableOf(shader))
    if (g.name == name) return &g;
  return nullptr;
}

std::vector<std::string_view> globalNames(vm::ShaderType shader) {
  std::vector<std::string_view> names;
  for (const GlobalInfo& g : tableOf(shader)) names.push_back(g.name);
  return names;
}

}  // namespace reyes::sl
