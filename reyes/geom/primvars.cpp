// SPDX-License-Identifier: Apache-2.0
#include "reyes/geom/primvars.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/geom/patch_kernels.h"

namespace reyes::geom {
namespace {

/// Declarations that RI makes for everyone, for lists that arrive undeclared.
VarSpec withStandardType(VarSpec spec) {
  if (spec.type != Type::kUnknown) return spec;
  struct Standard {
    const char* name;
    Type type;
    int array;
  };
  static constexpr Standard kStandard[] = {{"N", Type::kNormal, 0},  {"Cs", Type::kColor, 0},   {"Os", Type::kColor, 0},
                                           {"s", Type::kFloat, 0},   {"t", Type::kFloat, 0},    {"st", Type::kFloat, 2},
                                           {"Np", Type::kNormal, 0}, {"width", Type::kFloat, 0}};
  for (const Standard& s : kStandard)
    if (spec.name == s.name) {
      spec.type = s.type;
      spec.arraySize = s.array;
      spec.storage = spec.name == "Np" ? Storage::kUniform : Storage::kVarying;
    }
  return spec;
}

size_t clearNonFinite(std::vector<float>& values) {
  size_t bad = 0;
  for (float& f : values)
    if (!std::isfinite(f)) f = 0, ++bad;
  return bad;
}

bool readOne(const Param& p, size_t expected, PrimvarData& out) {
  out.spec = withStandardType(p.spec);
  const size_t width = static_cast<size_t>(out.spec.width());
  const bool isString = out.spec.type == Type::kString;
  const size_t given = isString ? p.strings.size() : p.floats.size();
  if (given < expected * width) return false;
  out.items = expected;
  if (isString)
    for (size_t i = 0; i < expected * width; ++i) out.strings.push_back(Name(p.strings[i]));
  else
    out.values.assign(p.floats.begin(), p.floats.begin() + static_cast<std::ptrdiff_t>(expected * width));
  return true;
}

}  // namespace

bool isPosition(Name name) { return name == "P" || name == "Pw" || name == "Pz"; }

size_t ClassCounts::of(Storage s) const {
  switch (s) {
    case Storage::kConstant:
      return 1;
    case Storage::kUniform:
      return uniform;
    case Storage::kVarying:
      return varying;
    case Storage::kVertex:
      return vertex;
    default:
      return faceVarying;
  }
}

std::vector<PrimvarData> readPrimvars(const ParamList& params, const ClassCounts& counts, Diagnostics* diag,
                                      const SourceLoc& loc, const char* request) {
  std::vector<PrimvarData> result;
  for (const Param& p : params.all()) {
    if (isPosition(p.spec.name) || params.find(p.spec.name) != &p) continue;
    const SourceLoc& at = p.loc.line > 0 ? p.loc : loc;
    const VarSpec spec = withStandardType(p.spec);
    if (spec.type == Type::kUnknown) {
      if (diag)
        diag->error("geom-undeclared", at,
                    format("{}: \"{}\" is not declared; it is left out", request, spec.name.str()));
      continue;
    }
    PrimvarData data;
    const size_t expected = counts.of(spec.storage);
    const bool usable = readOne(p, expected, data);
    const size_t given = spec.type == Type::kString ? p.strings.size() : p.floats.size();
    const size_t needed = expected * static_cast<size_t>(spec.width());
    if (given != needed && diag)
      diag->error("geom-bad-count", at,
                  format("{}: \"{}\" ({}) needs {} values, {} given; {}", request, spec.name.str(), spec.declaration(),
                         needed, given, usable ? "the first ones are used" : "it is left out"));
    if (!usable) continue;
    if (clearNonFinite(data.values) > 0 && diag)
      diag->error("geom-not-finite", at,
                  format("{}: \"{}\" holds numbers that are not finite; 0 is used", request, spec.name.str()));
    result.push_back(std::move(data));
  }
  return result;
}

void fillUniform(const PrimvarData& data, size_t item, Var& var) {
  if (data.spec.type == Type::kString) {
    std::copy_n(&data.strings[item * var.strings.size()], var.strings.size(), var.strings.begin());
    return;
  }
  const size_t width = static_cast<size_t>(data.spec.width());
  for (size_t c = 0; c < width; ++c) var.data[c * static_cast<size_t>(var.stride)] = data.values[item * width + c];
}

void fillFromCorners(const PrimvarData& data, const int corners[4], std::span<const float> us,
                     std::span<const float> vs, Var& var) {
  if (var.uniform) {
    fillUniform(data, static_cast<size_t>(corners[0]), var);
    return;
  }
  const size_t width = static_cast<size_t>(data.spec.width());
  for (size_t c = 0; c < width; ++c) {
    float corner[4];
    for (int k = 0; k < 4; ++k) corner[k] = data.values[static_cast<size_t>(corners[k]) * width + c];
    patchKernels().bilinear(corner, us.data(), static_cast<int>(us.size()), vs.data(), static_cast<int>(vs.size()),
                            var.data + c * static_cast<size_t>(var.stride));
  }
}

}  // namespace reyes::geom
