// SPDX-License-Identifier: Apache-2.0
// What a deep display was asked for: channels, tolerances, and what its header says of them.
#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/render/deep_film.h"
#include "reyes/render/object_id.h"

namespace reyes::render {
namespace {

using image::PixelType;

std::string nameOf(const hider::Filter& filter, const scene::PixelFilter& spec) {
  const std::string name = format("{} {:g} x {:g}", spec.name, spec.xWidth, spec.yWidth);
  return hider::hasNegativeLobes(filter) ? format("box 1 x 1, for {} has negative lobes", name) : name;
}

bool sameFilter(const scene::PixelFilter& a, const scene::PixelFilter& b) {
  return a.name == b.name && a.xWidth == b.xWidth && a.yWidth == b.yWidth;
}

/// A tolerance: a number from 0 on.
float tolerance(const scene::DisplaySpec& spec, std::initializer_list<const char*> names, float fallback,
                Diagnostics& diag) {
  for (const char* name : names) {
    const float v = spec.params.floatOr(name, fallback);
    if (v == fallback) continue;
    if (v >= 0 && std::isfinite(v)) return v;
    diag.error("display-tolerance", spec.loc,
               format("display \"{}\": {} {:g} is no tolerance: {:g} is used", spec.name, name, v, fallback));
  }
  return fallback;
}

/// The display's first DisplaySpec: channels that every deep picture has, and how it is made.
void start(OutputPlan& plan, PlannedDisplay& d, const scene::View& view, const scene::DisplaySpec& spec,
           Diagnostics& diag) {
  d.deep = std::make_shared<DeepOutput>();
  hider::DeepSpec& s = d.deep->spec;
  const std::string type =
      spec.params.stringOr("exrpixeltype", spec.params.stringOr("pixeltype", spec.params.stringOr("type", "")));
  s.half = type != "float";
  s.colour = s.colouredOpacity = false;
  s.matteHides = display::isPassType(spec.type);
  s.gain = spec.gain;
  s.tolerance = tolerance(spec, {"tolerance", "deepshadowerror"}, s.tolerance, diag);
  s.depthTolerance = tolerance(spec, {"depthtolerance"}, s.depthTolerance, diag);
  d.deep->filter = planFilter(plan, spec, view, diag);
  const PlannedFilter& filter = plan.filters[d.deep->filter];
  auto& header = d.request.attributes;
  header["reyes/deepFilter"] = nameOf(filter.filter, filter.spec);
  header["reyes/deepTolerance"] = s.tolerance;
  header["reyes/deepDepthTolerance"] = s.depthTolerance;
  if (s.matteHides) header["reyes/mapType"] = std::string("deepshad");
  if (!s.matteHides && view.imager)
    diag.warning("deep-imager", spec.loc,
                 format("display \"{}\": imager shaders see flat pixels: a deep picture is what is there before them",
                        spec.name));
  if (!s.matteHides && spec.gamma != 1)
    diag.warning("deep-gamma", spec.loc,
                 format("display \"{}\": a deep picture takes the gain of Exposure, but no gamma: its samples could "
                        "not be composited any more",
                        spec.name));
}

void addVariable(OutputPlan& plan, PlannedDisplay& d, const scene::DisplaySpec& spec, const scene::OutputVariable& v,
                 Diagnostics& diag) {
  hider::DeepSpec& s = d.deep->spec;
  if (v.statistics != scene::Statistics::kNone) {
    diag.error("display-variable", spec.loc,
               format("display \"{}\": a deep picture holds no statistics: {} is written to flat ones", spec.name,
                      v.layer.empty() ? v.name.str() : v.layer));
  } else if (v.ofMatte && (v.name == "Ci" || v.name == "a")) {
    diag.error("display-variable", spec.loc,
               format("display \"{}\": matte objects are cut out of a deep picture's {}; \"matte\" 0 is for its other "
                      "variables, and for flat pictures",
                      spec.name, v.name.str()));
  } else if (v.name == "Ci") {
    s.colour = true;
  } else if (v.name == "Oi" && s.matteHides) {
    s.colouredOpacity = true;
  } else if (v.name == "a" || v.name == "z") {
    // Every deep picture has them.
  } else if (MatteKind kind; matteKindOf(v.name.str(), kind)) {
    if (!plan.mattes) plan.mattes = std::make_unique<Cryptomatte>();
    s.tags = true;
    d.deep->ids.push_back(kind);
  } else if (isObjectId(v)) {
    scene::OutputVariable number = v;
    number.type = Type::kFloat;
    s.wholePlane = carryVariable(plan, number).plane;
    d.deep->objectIds.push_back({v.layer, v.type == Type::kInteger ? PixelType::kUint32 : PixelType::kFloat});
  } else if (v.type == Type::kFloat || isTriple(v.type)) {
    if (v.filter && !sameFilter(*v.filter, plan.filters[d.deep->filter].spec))
      diag.warning(
          "deep-filter", spec.loc,
          format("display \"{}\": a deep picture has one filter: that of {} is not used", spec.name, v.name.str()));
    const CarriedVariable& c = carryVariable(plan, v);
    const bool half = v.pixelType.empty() ? v.type == Type::kColor && s.half : v.pixelType == "half";
    s.variables.push_back({c.plane, c.width, v.composited, half});
    d.deepColours.push_back(v.type == Type::kColor);
    d.deepNames.push_back(v.layer.empty() ? v.name.str() : v.layer);
  } else {
    diag.error("display-variable", spec.loc,
               format("display \"{}\": a variable of type {} ({}) cannot be written", spec.name, typeName(v.type),
                      v.name.str()));
  }
}

void nameChannels(PlannedDisplay& d) {
  const hider::DeepSpec& s = d.deep->spec;
  const PixelType type = s.half ? PixelType::kHalf : PixelType::kFloat;
  auto& channels = d.request.channels;
  channels = {{"Z", false, PixelType::kFloat}, {"ZBack", false, PixelType::kFloat}, {"A", false, type}};
  if (s.colouredOpacity)
    for (const char* name : {"AR", "AG", "AB"}) channels.push_back({name, false, type});
  if (s.colour)
    for (const char* name : {"R", "G", "B"}) channels.push_back({name, true, type});
  for (size_t i = 0; i < s.variables.size(); ++i) {
    const hider::DeepVariable& v = s.variables[i];
    for (int c = 0; c < v.width; ++c)
      channels.push_back(
          {v.width == 1 ? d.deepNames[i] : format("{}.{}", d.deepNames[i], (d.deepColours[i] ? "RGB" : "xyz")[c]),
           false, v.half ? PixelType::kHalf : PixelType::kFloat});
  }
  for (const MatteKind kind : d.deep->ids)
    channels.push_back({format("{}.id", matteLayer(kind)), false, PixelType::kUint32});
  for (const auto& [name, stored] : d.deep->objectIds) channels.push_back({name, false, stored});
}

}  // namespace

bool isDeep(const scene::DisplaySpec& spec) {
  const std::string format = display::formatOf(spec.type, spec.name);
  return format == "deepexr" || format == "deepshad";
}

void planDeep(OutputPlan& plan, PlannedDisplay& d, const scene::View& view, const scene::DisplaySpec& spec,
              Diagnostics& diag) {
  if (!d.deep) start(plan, d, view, spec, diag);
  for (const scene::OutputVariable& v : spec.variables) addVariable(plan, d, spec, v, diag);
  nameChannels(d);
}

}  // namespace reyes::render
