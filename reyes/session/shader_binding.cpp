// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/shader_binding.h"

#include "reyes/base/format.h"

namespace reyes::session {
namespace {
VarSpec specOf(const vm::Symbol& symbol) {
  return {symbol.name, symbol.type, symbol.varying ? Storage::kVarying : Storage::kUniform, symbol.arrayLength};
}

/// Fits the values of `given` to `spec`; an empty text where that is possible, else what is wrong.
std::string fit(const Param& given, const VarSpec& spec, Param& out) {
  out.spec = spec;
  out.loc = given.loc;
  const size_t want = static_cast<size_t>(spec.width());
  if (spec.type == Type::kString) {
    if (given.strings.size() != want) return format("takes {} string(s), {} given", want, given.strings.size());
    out.strings = given.strings;
    return "";
  }
  if (!given.strings.empty()) return format("takes {}, a string is given", typeName(spec.type));
  // A homogeneous point serves as a point.
  if (given.spec.type == Type::kHPoint && isTriple(spec.type) && given.floats.size() == 4 && given.floats[3] != 0) {
    for (int i = 0; i < 3; ++i) out.floats.push_back(given.floats[static_cast<size_t>(i)] / given.floats[3]);
    return want == 3 ? "" : format("takes {} numbers, a point is given", want);
  }
  out.floats = given.floats;
  if (given.floats.size() == 1 && isTriple(spec.type) && want == 3) out.floats.assign(3, given.floats[0]);
  // A matrix made of one number is that many times the identity.
  if (given.floats.size() == 1 && spec.type == Type::kMatrix && want == 16) {
    out.floats.assign(16, 0.0f);
    for (size_t i = 0; i < 4; ++i) out.floats[i * 5] = given.floats[0];
  }
  if (out.floats.size() != want) return format("takes {} number(s), {} given", want, given.floats.size());
  return "";
}
}  // namespace

bool isLightGroupParameter(std::string_view name) {
  return name == "__group" || name == "__lightgroup" || name == "lightgroup" || name == "lightGroup";
}

ParamList bindParameters(const ParamList& given, const vm::Program& program, const SourceLoc& loc, Diagnostics& diag) {
  ParamList bound;
  for (const Param& p : given.all()) {
    const vm::Symbol* symbol = program.find(p.spec.name);
    const SourceLoc& where = p.loc.line > 0 ? p.loc : loc;
    if (!symbol || symbol->kind != vm::SymbolKind::kParameter) {
      // The renderer reads it, whether or not the shader does.
      if (program.type == vm::ShaderType::kLight && isLightGroupParameter(p.spec.name.str())) continue;
      diag.warning("shader-unknown-parameter", where,
                   format("shader '{}' has no parameter '{}'", program.name, p.spec.name.str()));
      continue;
    }
    Param fitted;
    const std::string fault = fit(p, specOf(*symbol), fitted);
    if (fault.empty())
      bound.add(std::move(fitted));
    else
      diag.warning(
          "shader-bad-parameter", where,
          format("parameter '{}' of shader '{}' {}; its default is used", p.spec.name.str(), program.name, fault));
  }
  return bound;
}

}  // namespace reyes::session
