// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/display_channels.h"

#include <algorithm>
#include <map>

#include "reyes/base/format.h"

namespace reyes::session {

using scene::OutputVariable;

std::vector<std::string> splitMode(const std::string& mode) {
  std::vector<std::string> pieces(1);
  for (const char c : mode) {
    if (c == ',')
      pieces.emplace_back();
    else
      pieces.back() += c;
  }
  for (std::string& p : pieces) {
    p.erase(0, p.find_first_not_of(" \t"));
    p.erase(p.find_last_not_of(" \t") + 1);
  }
  return pieces;
}

scene::Quantize quantizeOf(const Param& p, float dither) {
  const auto whole = [&](size_t i) { return static_cast<int>(std::clamp(p.floats[i], -2e9f, 2e9f)); };
  return {whole(1), whole(2), whole(3), dither};
}

void nameMissing(Run& run, const char* request, const ParamList& params, const SourceLoc& loc,
                 std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const Param* p = params.find(name);
    if (!p) continue;
    const bool asks = std::any_of(p->floats.begin(), p->floats.end(), [](float f) { return f != 0; }) ||
                      std::any_of(p->strings.begin(), p->strings.end(), [](const auto& s) { return !s.empty(); });
    if (asks) run.notBuilt(loc, format("{} parameter \"{}\"", request, name), "it is ignored");
  }
}

namespace {

/// Modes that stand for several variables.
bool namedMode(const std::string& mode, std::vector<OutputVariable>& out) {
  static const std::map<std::string, std::string> kModes = {
      {"rgb", "c"}, {"rgba", "ca"}, {"rgbz", "cz"}, {"rgbaz", "caz"}, {"a", "a"}, {"az", "az"}, {"z", "z"}};
  const auto it = kModes.find(mode);
  if (it == kModes.end()) return false;
  for (const char c : it->second) {
    if (c == 'c') out.push_back({"Ci", Type::kColor, ""});
    if (c == 'a') out.push_back({"a", Type::kFloat, ""});
    if (c == 'z') out.push_back({"z", Type::kFloat, ""});
  }
  return true;
}

/// Types of the variables that every shader has.
Type predefinedType(const std::string& name) {
  static const std::map<std::string, Type> kTypes = {
      {"Ci", Type::kColor},     {"Oi", Type::kColor},    {"Cs", Type::kColor},    {"Os", Type::kColor},
      {"P", Type::kPoint},      {"N", Type::kNormal},    {"Ng", Type::kNormal},   {"I", Type::kVector},
      {"E", Type::kPoint},      {"dPdu", Type::kVector}, {"dPdv", Type::kVector}, {"dPdtime", Type::kVector},
      {"s", Type::kFloat},      {"t", Type::kFloat},     {"u", Type::kFloat},     {"v", Type::kFloat},
      {"du", Type::kFloat},     {"dv", Type::kFloat},    {"time", Type::kFloat},  {"alpha", Type::kFloat},
      {"ncomps", Type::kFloat}, {"a", Type::kFloat},     {"z", Type::kFloat},     {"id", Type::kInteger}};
  const auto it = kTypes.find(name);
  return it == kTypes.end() ? Type::kUnknown : it->second;
}

/// "cryptomatte:object", or several kinds, "cryptomatte:object|asset": false for any other mode.
bool matteMode(Run& run, const DisplayCall& call, const std::string& token, std::vector<OutputVariable>& out) {
  constexpr std::string_view kPrefix = "cryptomatte:";
  if (token.compare(0, kPrefix.size(), kPrefix) != 0) return false;
  std::string kinds = token.substr(kPrefix.size()) + '|';
  for (size_t at = 0, end = 0; (end = kinds.find('|', at)) != std::string::npos; at = end + 1) {
    const std::string kind = kinds.substr(at, end - at);
    if (kind == "object" || kind == "material" || kind == "asset") {
      const std::string layer = std::string("Crypto") + static_cast<char>(kind[0] - 32) + kind.substr(1);
      out.push_back({std::string(kPrefix) + kind, Type::kFloat, layer});
    } else {
      run.diag.error("display-cryptomatte", call.loc,
                     format("Cryptomatte is of object, material or asset, not of '{}': it is not written", kind));
    }
  }
  return true;
}

/// Colours that shaders compute, and opacity, are added up through what is in front; what describes a surface is one
/// surface's.
bool isComposited(const OutputVariable& v) {
  return v.type == Type::kColor && v.name != "Cs" && v.name != "Os" && v.name != "Ci";
}

/// Of a channel that tells something else of its samples than their filtered mean.
void setStatistics(Run& run, const ParamList& params, const SourceLoc& loc, OutputVariable& v) {
  using enum scene::Statistics;
  static const std::map<std::string, scene::Statistics> kKinds = {
      {"", kNone}, {"none", kNone}, {"variance", kVariance}, {"mse", kMse}, {"even", kEven}, {"odd", kOdd}};
  const std::string kind = params.stringOr("statistics", "");
  const auto it = kKinds.find(kind);
  if (it != kKinds.end())
    v.statistics = it->second;
  else
    run.diag.error("display-statistics", loc,
                   format("DisplayChannel: no statistics \"{}\" (variance, mse, even and odd are there): the filtered "
                          "value is written",
                          kind));
}

/// What a DisplayChannel says of its variable alone.
void addChannelParams(Run& run, const OptionState& options, const ParamList& params, const SourceLoc& loc,
                      OutputVariable& v) {
  const Param *q = params.find("quantize"), *w = params.find("filterwidth"), *e = params.find("exposure");
  if (q && q->floats.size() == 4) v.quantize = quantizeOf(*q);
  if (const Param* d = params.find("dither"); d && !d->floats.empty()) {
    if (!v.quantize) v.quantize = scene::Quantize{};
    v.quantize->dither = d->floats[0];
  }
  if (params.find("filter") || w) {
    v.filter = options.filter;
    v.filter->name = params.stringOr("filter", v.filter->name);
    if (w && !w->floats.empty()) v.filter->xWidth = w->floats[0], v.filter->yWidth = w->floats.back();
  }
  if (e && e->floats.size() == 2) v.gain = e->floats[0], v.gamma = e->floats[1];
  if (const Param* g = params.find("gain"); g && !g->floats.empty()) v.gain = g->floats[0];
  if (const Param* g = params.find("gamma"); g && !g->floats.empty()) v.gamma = g->floats[0];
  if (v.gamma && !(*v.gamma > 0)) v.gamma = 1;
  v.pixelType = params.stringOr("exrpixeltype", params.stringOr("pixeltype", params.stringOr("type", "")));
  const std::string opacity = params.stringOr("opacity", v.composited ? "Oi" : "none");
  if (opacity != "Oi" && opacity != "none")
    run.notBuilt(loc, format("DisplayChannel \"opacity\" \"{}\"", opacity), "Oi is used");
  v.composited = opacity != "none";
  setStatistics(run, params, loc, v);
  // "matte" 0: objects that are matte are in this channel as if they were not.
  v.ofMatte = params.floatOr("matte", 1) == 0;
  if (v.ofMatte && v.name == "Ci") v.composited = true;
  nameMissing(run, "DisplayChannel", params, loc, {"remap"});
  for (const char* name : {"relativepixelvariance", "shadowthreshold"})
    if (params.find(name)) run.hint(loc, format("DisplayChannel parameter \"{}\"", name));
}

/// "lightgroup:key" and "light:1" are the light of a group, or of one handle, alone (shade/light_groups.h); the layer
/// is called after it.
bool isLightAlone(const std::string& name, std::string& layer) {
  for (const std::string_view prefix : {"lightgroup:", "light:"})
    if (name.starts_with(prefix) && name.size() > prefix.size()) {
      if (layer == name) layer.erase(0, prefix.size());
      return true;
    }
  return false;
}

/// Ids are those of one surface at one sample, whole: what would mix them is left out.
void setIdUsage(Run& run, const SourceLoc& loc, OutputVariable& v) {
  const bool mixed = v.composited || v.filter || v.statistics != scene::Statistics::kNone;
  if (mixed || v.pixelType == "half")
    run.diag.warning("display-id", loc,
                     format("DisplayChannel \"{}\": ids are never filtered, added up or halves: filter, opacity, "
                            "statistics and such a type have no effect",
                            v.layer));
  v.composited = false, v.filter.reset(), v.statistics = scene::Statistics::kNone;
  if (v.pixelType == "float") v.type = Type::kFloat;
  if (v.pixelType == "uint" || v.pixelType == "int" || v.pixelType == "integer") v.type = Type::kInteger;
  v.pixelType.clear();
}

OutputVariable variableOf(Run& run, const OptionState& options, const std::string& token, const SourceLoc& loc) {
  const auto channel = options.channels.find(token);
  const bool declared = channel != options.channels.end();
  VarSpec spec = declared ? channel->second.first : run.declarations.lookUp(token);
  const std::string layer = spec.name.str();
  // A channel may show another variable under its own name.
  if (const std::string source = declared ? channel->second.second.stringOr("source", "") : ""; !source.empty()) {
    const VarSpec other = run.declarations.lookUp(source);
    spec.name = other.name;
    if (other.type != Type::kUnknown) spec.type = other.type;
  }
  OutputVariable v;
  v.name = spec.name, v.layer = layer;
  v.type = spec.type == Type::kUnknown ? predefinedType(spec.name.str()) : spec.type;
  if (isLightAlone(v.name.str(), v.layer)) v.type = Type::kColor;
  const bool isId = v.name == "id" && (v.type == Type::kInteger || v.type == Type::kFloat);
  if (v.type == Type::kInteger && !isId) v.type = Type::kFloat;
  if (v.type == Type::kUnknown) {
    v.type = Type::kColor;
    run.diag.warning("display-undeclared", loc,
                     format("display variable '{}' is not declared: taken for a color", token));
  }
  v.composited = isComposited(v);
  if (declared) addChannelParams(run, options, channel->second.second, loc, v);
  if (isId) setIdUsage(run, loc, v);
  return v;
}

}  // namespace

std::vector<OutputVariable> variablesOf(Run& run, const OptionState& options, const DisplayCall& call) {
  std::vector<OutputVariable> variables;
  if (call.mode.empty()) namedMode("rgba", variables);
  for (const std::string& token : splitMode(call.mode)) {
    if (token.empty()) continue;
    if (options.channels.count(token) == 0 && namedMode(token, variables)) continue;
    if (matteMode(run, call, token, variables)) continue;
    OutputVariable v = variableOf(run, options, token, call.loc);
    // Ci, a and z by their names are the picture itself.
    if ((v.name == "Ci" || v.name == "a" || v.name == "z") && v.layer == v.name.str()) v.layer.clear();
    variables.push_back(v);
  }
  return variables;
}

}  // namespace reyes::session
