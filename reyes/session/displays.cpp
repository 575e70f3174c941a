// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/displays.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "reyes/base/format.h"
#include "reyes/display/display.h"
#include "reyes/session/display_channels.h"

namespace reyes::session {
namespace {
using scene::OutputVariable;

bool isMatte(const OutputVariable& v) { return v.name.str().compare(0, 12, "cryptomatte:") == 0; }
bool hasMatte(const scene::DisplaySpec& d) { return std::any_of(d.variables.begin(), d.variables.end(), isMatte); }

bool holdsIds(const std::string& format) { return format == "exr" || format == "deepexr" || format == "null"; }

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
  } else if (depth || key == "id") {
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

/// Parameters that concern all variables of a display, and those that concern none.
void setUsage(Run& run, scene::DisplaySpec& d) {
  if (d.params.floatOr("matte", 1) == 0)
    for (OutputVariable& v : d.variables)
      if (v.name != "z" && !isMatte(v)) {
        v.ofMatte = true;
        v.composited |= v.name == "Ci";
      }
  nameMissing(run, "Display", d.params, d.loc, {"subset", "exclusive", "remap"});
  if (d.params.floatOr("associatealpha", 1) == 0)
    run.notBuilt(d.loc, "Display parameter \"associatealpha\" 0", "colours are premultiplied");
  for (const char* name : {"storage", "exrlineorder", "autocrop"})
    if (d.params.find(name)) run.hint(d.loc, format("Display parameter \"{}\"", name));
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
    if (!type.empty() && (!hasMatte(d) || holdsIds(written))) d.type = type;
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
  if (!hasMatte(d) || holdsIds(written)) return;
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
    setUsage(run, d);
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
