// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/displays.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "reyes/base/format.h"
#include "reyes/display/display.h"

namespace reyes::session {
namespace {
using scene::OutputVariable;

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
      {"Ci", Type::kColor},    {"Oi", Type::kColor},    {"Cs", Type::kColor},    {"Os", Type::kColor},
      {"P", Type::kPoint},     {"N", Type::kNormal},    {"Ng", Type::kNormal},   {"I", Type::kVector},
      {"E", Type::kPoint},     {"dPdu", Type::kVector}, {"dPdv", Type::kVector}, {"dPdtime", Type::kVector},
      {"s", Type::kFloat},     {"t", Type::kFloat},     {"u", Type::kFloat},     {"v", Type::kFloat},
      {"du", Type::kFloat},    {"dv", Type::kFloat},    {"time", Type::kFloat},  {"alpha", Type::kFloat},
      {"ncomps", Type::kFloat}};
  const auto it = kTypes.find(name);
  return it == kTypes.end() ? Type::kUnknown : it->second;
}

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

bool isMatte(const OutputVariable& v) { return v.name.str().compare(0, 12, "cryptomatte:") == 0; }
bool hasMatte(const scene::DisplaySpec& d) { return std::any_of(d.variables.begin(), d.variables.end(), isMatte); }

/// Of four numbers: zero one min max.
scene::Quantize quantizeOf(const Param& p, float dither = 0.5f) {
  const auto whole = [&](size_t i) { return static_cast<int>(std::clamp(p.floats[i], -2e9f, 2e9f)); };
  return {whole(1), whole(2), whole(3), dither};
}

/// Colours that shaders compute, and opacity, are added up through what is in front; what describes a surface is one
/// surface's.
bool isComposited(const OutputVariable& v) {
  return v.type == Type::kColor && v.name != "Cs" && v.name != "Os" && v.name != "Ci";
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
  const auto asks = [](const Param& p) {
    return std::any_of(p.floats.begin(), p.floats.end(), [](float f) { return f != 0; }) ||
           std::any_of(p.strings.begin(), p.strings.end(), [](const std::string& s) { return !s.empty(); });
  };
  for (const char* name : {"matte", "statistics"})
    if (const Param* p = params.find(name); p && asks(*p))
      run.notBuilt(loc, format("DisplayChannel parameter \"{}\"", name), "it is ignored");
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
  if (v.type == Type::kInteger) v.type = Type::kFloat;
  if (v.type == Type::kUnknown) {
    v.type = Type::kColor;
    run.diag.warning("display-undeclared", loc,
                     format("display variable '{}' is not declared: taken for a color", token));
  }
  v.composited = isComposited(v);
  if (declared) addChannelParams(run, options, channel->second.second, loc, v);
  return v;
}

std::vector<OutputVariable> variablesOf(Run& run, const OptionState& options, const DisplayCall& call) {
  std::vector<OutputVariable> variables;
  if (call.mode.empty()) namedMode("rgba", variables);
  for (const std::string& token : splitMode(call.mode)) {
    if (token.empty()) continue;
    if (namedMode(token, variables) || matteMode(run, call, token, variables)) continue;
    OutputVariable v = variableOf(run, options, token, call.loc);
    // Ci by its name is the picture itself.
    if (v.name == "Ci" && v.layer == "Ci") v.layer.clear();
    variables.push_back(v);
  }
  return variables;
}

bool isDeepShadow(const std::string& type) { return display::formatOf(type, "") == "deepshad"; }

/// A deep shadow holds opacities: of each colour where they are asked for by name, else their mean.
std::vector<OutputVariable> opacitiesOf(Run& run, const DisplayCall& call) {
  static const std::set<std::string> kPlain = {"", "rgb", "rgba", "rgbz", "rgbaz", "a", "az", "z"};
  bool coloured = false;
  for (const std::string& token : splitMode(call.mode)) {
    if (token == "deepopacity" || token == "Oi")
      coloured = true;
    else if (kPlain.count(token) == 0)
      run.diag.warning("display-variable", call.loc,
                       format("display '{}': a deep shadow holds opacities: '{}' is not written", call.name, token));
  }
  if (coloured) return {{"Oi", Type::kColor, ""}};
  return {{"a", Type::kFloat, ""}};
}

/// Option "limits" "deepshadowerror" serves deep displays that say nothing themselves.
void setDeepError(scene::DisplaySpec& d, const OptionState& options) {
  const std::string format = display::formatOf(d.type, d.name);
  if ((format != "deepexr" && format != "deepshad") || options.deepError < 0) return;
  if (d.params.find("tolerance") || d.params.find("deepshadowerror")) return;
  Param p;
  p.spec.name = Name("tolerance"), p.spec.type = Type::kFloat;
  p.floats = {options.deepError};
  d.params.add(std::move(p));
}

void setQuantize(scene::DisplaySpec& d, const OptionState& options) {
  const bool depth = !d.variables.empty() && d.variables[0].name == "z";
  const bool colour = !d.variables.empty() && (d.variables[0].name == "Ci" || d.variables[0].name == "a");
  const std::string key = depth ? "z" : colour ? "rgba" : d.variables.empty() ? "" : d.variables[0].name.str();
  if (const auto it = options.quantize.find(key); it != options.quantize.end()) {
    d.quantize = it->second;
    d.quantizeGiven = true;
  } else if (depth) {
    d.quantize.one = 0;
  }
  // Of the display's own: zero one min max.
  if (const Param* q = d.params.find("quantize"); q && q->floats.size() == 4) {
    d.quantize = quantizeOf(*q, d.quantize.dither);
    d.quantizeGiven = true;
  }
  d.quantize.dither = d.params.floatOr("dither", d.quantize.dither);
  // These hold what the shaders computed.
  const std::string format = display::formatOf(d.type, d.name);
  if (format == "exr" || format == "zfile" || format == "shadow" || format == "deepexr" || format == "deepshad" ||
      format.empty())
    d.quantize.one = 0;
}

void setFilterAndExposure(scene::DisplaySpec& d, const OptionState& options) {
  d.gain = options.gain, d.gamma = options.gamma;
  if (const Param* e = d.params.find("exposure"); e && e->floats.size() == 2)
    d.gain = e->floats[0], d.gamma = e->floats[1];
  d.gain = d.params.floatOr("gain", d.gain);
  d.gamma = d.params.floatOr("gamma", d.gamma);
  if (!(d.gamma > 0)) d.gamma = 1;
  d.filter = options.filter;
  d.filter.name = d.params.stringOr("filter", d.filter.name);
  if (const Param* w = d.params.find("filterwidth"); w && !w->floats.empty())
    d.filter.xWidth = w->floats[0], d.filter.yWidth = w->floats.back();
}

DisplayCall namedAfterScene(const Run& run, const WorldPlace& place) {
  std::string stem = stemOf(run.mainFile);
  if (run.mainFile.empty() || run.mainFile == "-") stem = "stdin";
  DisplayCall call;
  call.name = stem;
  if (place.inFrame) call.name += format(".{:04}", place.frame);
  for (int n = 2; run.pictures.count(call.name + ".exr"); ++n) call.name = format("{}.{}", stem, n);
  call.name += ".exr";
  call.type = "openexr";
  call.mode = "rgba";
  call.loc = place.loc;
  return call;
}

/// A viewer that shows what a file of the same name keeps adds nothing to it.
void dropDoubledViewers(std::vector<scene::DisplaySpec>& displays) {
  const auto kept = [&](const scene::DisplaySpec& d) {
    return std::any_of(displays.begin(), displays.end(),
                       [&](const scene::DisplaySpec& o) { return !display::isViewer(o.type) && o.name == d.name; });
  };
  std::vector<scene::DisplaySpec> out;
  for (const scene::DisplaySpec& d : displays)
    if (!display::isViewer(d.type) || !kept(d)) out.push_back(d);
  displays = std::move(out);
}

/// Of type "file" the name says what is written. Numbers at its end (shot.0010) are frames, not endings.
void nameUnknownEnding(Run& run, const scene::DisplaySpec& d) {
  const std::string ending = std::filesystem::path(d.name).extension().string();
  const bool letters =
      std::any_of(ending.begin(), ending.end(), [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; });
  if (d.type != "file" || !letters || !image::writableFormat(ending).empty()) return;
  run.diag.warning("display-unknown-ending", d.loc,
                   format("display '{}': no format is known by the ending {}: a TIFF is written", d.name, ending));
}

void applyFlags(const Run& run, std::vector<scene::DisplaySpec>& displays) {
  std::string first;
  const bool onlyMattes = std::all_of(displays.begin(), displays.end(), hasMatte);
  for (scene::DisplaySpec& d : displays) {
    if (isPassDisplay(d)) continue;
    const std::string& type = run.options.displayType;
    const std::string written = type.empty() ? "" : display::formatOf(type, d.name);
    // Ids fit into EXR alone.
    if (!type.empty() && (!hasMatte(d) || written == "exr" || written == "null")) d.type = type;
    if (run.options.output.empty()) continue;
    // The first picture is renamed, and its layers with it.
    if (first.empty() && (onlyMattes || !hasMatte(d))) first = d.name;
    if (d.name == first) {
      d.name = run.options.output;
      // The name's own ending says what kind of file is meant.
      if (run.options.displayType.empty() && display::formatOf(d.type, d.name) != "deepexr") d.type = "file";
    }
  }
}
/// Of displays that are no EXR.
void dropMattes(Run& run, scene::DisplaySpec& d) {
  const std::string written = display::formatOf(d.type, d.name);
  if (!hasMatte(d) || written == "exr" || written == "null") return;
  run.diag.error(
      "display-cryptomatte", d.loc,
      format("display '{}': Cryptomatte needs an EXR file (this is {}): it is not written", d.name, written));
  std::erase_if(d.variables, isMatte);
}

/// --preview: the colour alone, as a monitor wants it.
void addPreview(const Run& run, const OptionState& options, const WorldPlace& place,
                std::vector<scene::DisplaySpec>& displays) {
  const auto isPicture = [](const scene::DisplaySpec& d) { return !isPassDisplay(d); };
  if (run.options.preview.empty() || std::none_of(displays.begin(), displays.end(), isPicture)) return;
  scene::DisplaySpec d;
  d.name = withFrameNumber(run.options.preview, place.frame);
  d.type = "file", d.mode = "rgb";
  d.variables.push_back({"Ci", Type::kColor, ""});
  Param curve;
  curve.spec.name = Name("curve");
  curve.spec.type = Type::kString;
  curve.strings = {"srgb"};
  d.params.add(std::move(curve));
  d.loc = place.loc;
  setFilterAndExposure(d, options);
  d.gamma = 1;
  d.quantize.one = 255, d.quantize.min = 0, d.quantize.max = 255;
  d.quantizeGiven = true;
  displays.push_back(std::move(d));
}
}  // namespace

bool isPassDisplay(const scene::DisplaySpec& d) { return display::isPassType(d.type); }

std::vector<scene::DisplaySpec> makeDisplays(Run& run, const OptionState& options, const WorldPlace& place) {
  std::vector<DisplayCall> calls = options.displays;
  if (calls.empty()) calls.push_back(namedAfterScene(run, place));
  std::vector<scene::DisplaySpec> displays;
  for (const DisplayCall& call : calls) {
    scene::DisplaySpec d;
    d.name = call.name, d.type = call.type, d.mode = call.mode;
    d.params = call.params;
    d.loc = call.loc;
    d.variables = isDeepShadow(call.type) ? opacitiesOf(run, call) : variablesOf(run, options, call);
    displays.push_back(std::move(d));
  }
  dropDoubledViewers(displays);
  applyFlags(run, displays);
  for (scene::DisplaySpec& d : displays) {
    d.name = withFrameNumber(options.paths.dirMap.apply(d.name), place.frame);
    // A viewer shows one frame after the other; as files they need names of their own.
    if (place.inFrame && display::isViewer(d.type) && run.pictures.count(d.name))
      d.name = format("{}.{:04}.exr", stemOf(d.name), place.frame);
    setQuantize(d, options);
    setDeepError(d, options);
    setFilterAndExposure(d, options);
    if (display::formatOf(d.type, d.name).empty() && run.firstTime("display type " + d.type)) {
      run.diag.error("display-unknown-type", d.loc,
                     format("display type '{}' is not known: an EXR is written", d.type));
    }
    if (display::formatOf(d.type, d.name).empty()) d.type = "openexr";
    dropMattes(run, d);
    nameUnknownEnding(run, d);
  }
  addPreview(run, options, place, displays);
  return displays;
}

bool displaysAreDistinct(Run& run, const std::vector<scene::DisplaySpec>& displays) {
  bool distinct = true;
  std::map<std::string, const scene::DisplaySpec*> byFile;
  std::map<std::string, std::string> layers;
  const auto clash = [&](const scene::DisplaySpec& d, const std::string& why) {
    run.diag.error("display-clash", d.loc, format("display '{}' {}: nothing is rendered", d.name, why), Impact::kInput);
    distinct = false;
  };
  for (const scene::DisplaySpec& d : displays) {
    if (display::formatOf(d.type, d.name) == "null" || d.name.empty()) continue;
    if (!isPassDisplay(d) && run.pictures.count(d.name))
      clash(d, "was written by an earlier frame of this run (#### in a name is the frame number)");
    // a.exr and ./a.exr are one file, but not layers of one display.
    const auto [it, fresh] = byFile.try_emplace(std::filesystem::path(d.name).lexically_normal().string(), &d);
    const std::string kind = display::formatOf(d.type, d.name);
    const bool layered = (kind == "exr" || kind == "deepexr" || kind == "deepshad") && it->second->type == d.type &&
                         it->second->name == d.name;
    if (!fresh && !layered) clash(d, "is written twice (only an EXR file holds several displays)");
    for (const OutputVariable& v : d.variables)
      if (!fresh && layered && layers.count(d.name + "\n" + v.layer + "\n" + v.name.str()))
        clash(d, format("has the layer '{}' twice", v.name.str()));
    for (const OutputVariable& v : d.variables) layers[d.name + "\n" + v.layer + "\n" + v.name.str()] = d.name;
  }
  return distinct;
}

}  // namespace reyes::session
