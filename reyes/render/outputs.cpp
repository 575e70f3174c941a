// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/outputs.h"

#include <algorithm>
#include <cmath>

#include "reyes/base/format.h"
#include "reyes/hider/whole_number.h"
#include "reyes/render/deep_film.h"
#include "reyes/render/object_id.h"
#include "reyes/render/output_header.h"
#include "reyes/render/velocity.h"

namespace reyes::render {
namespace {

using hider::FilterJob;
using hider::FilterMode;

/// Filters that pick or combine depths or nearest values instead of weighting by distance.
bool pickingMode(const std::string& name, FilterMode& mode) {
  static const std::pair<const char*, FilterMode> kModes[] = {
      {"zmin", FilterMode::kZMin},      {"min", FilterMode::kZMin},         {"zmax", FilterMode::kZMax},
      {"max", FilterMode::kZMax},       {"average", FilterMode::kZAverage}, {"midpoint", FilterMode::kZMidpoint},
      {"nearest", FilterMode::kNearest}};
  for (const auto& [word, m] : kModes)
    if (name == word) {
      mode = m;
      return true;
    }
  return false;
}

FilterMode depthMode(scene::DepthFilter f) {
  switch (f) {
    case scene::DepthFilter::kMin:
      return FilterMode::kZMin;
    case scene::DepthFilter::kMax:
      return FilterMode::kZMax;
    case scene::DepthFilter::kAverage:
      return FilterMode::kZAverage;
    case scene::DepthFilter::kMidpoint:
      break;
  }
  return FilterMode::kZMidpoint;
}

size_t findFilter(OutputPlan& plan, const scene::PixelFilter& spec, Diagnostics& diag, const SourceLoc& loc) {
  for (size_t i = 0; i < plan.filters.size(); ++i) {
    const scene::PixelFilter& f = plan.filters[i].spec;
    if (f.name == spec.name && f.xWidth == spec.xWidth && f.yWidth == spec.yWidth) return i;
  }
  hider::Filter filter(spec.name, std::max(spec.xWidth, 1e-3f), std::max(spec.yWidth, 1e-3f));
  if (!filter.valid()) {
    diag.error("unknown-filter", loc, format("unknown pixel filter \"{}\": gaussian is used", spec.name));
    filter = hider::Filter("gaussian", spec.xWidth, spec.yWidth);
  }
  PlannedFilter f{spec, filter, {}, {}};
  f.jobs.push_back({FilterMode::kFilter, hider::SampleTile::kCi, 3});
  f.jobs.push_back({FilterMode::kFilter, hider::SampleTile::kOi, 3});
  plan.filters.push_back(std::move(f));
  return plan.filters.size() - 1;
}

size_t findJob(PlannedFilter& filter, const FilterJob& job) {
  for (size_t i = 2; i < filter.jobs.size(); ++i) {
    const FilterJob& j = filter.jobs[i];
    if (j.mode == job.mode && j.firstChannel == job.firstChannel && j.channels == job.channels) return i;
  }
  filter.jobs.push_back(job);
  return filter.jobs.size() - 1;
}

/// The planes of a variable that shaders hand over; a new variable gets new ones.
const CarriedVariable& carry(OutputPlan& plan, const scene::OutputVariable& v) {
  for (const CarriedVariable& c : plan.carried)
    if (c.variable.name == v.name && c.variable.type == v.type && c.variable.composited == v.composited &&
        c.variable.ofMatte == v.ofMatte)
      return c;
  const CarriedVariable c{v, plan.carriedFloats, isObjectId(v) ? hider::kWholeFloats : componentCount(v.type)};
  plan.velocity = plan.velocity || isVelocity(v);
  plan.carriedFloats += c.width;
  plan.carried.push_back(c);
  // The conductor knows velocities itself.
  const bool known = isVelocity(v) || std::any_of(plan.wanted.begin(), plan.wanted.end(),
                                                  [&](const auto& w) { return w.name == v.name && w.type == v.type; });
  if (!known) plan.wanted.push_back(v);
  return plan.carried.back();
}

void addChannels(PlannedDisplay& d, const scene::OutputVariable& v, const char* const* parts, int n, bool colour,
                 image::PixelType type) {
  std::string prefix = v.layer;
  if (prefix.empty() && parts && *parts[0] >= 'a') prefix = v.name.str();
  for (int i = 0; i < n; ++i) {
    std::string name = !parts ? (prefix.empty() ? v.name.str() : prefix) : parts[i];
    if (parts && !prefix.empty()) name = prefix + "." + parts[i];
    d.request.channels.push_back({std::move(name), colour, type});
  }
}

/// Ids: no job of the filter, for they are ranked instead of added.
void addMatte(OutputPlan& plan, PlannedDisplay& d, const scene::DisplaySpec& spec, MatteKind kind, OutputGroup g) {
  if (!plan.mattes) plan.mattes = std::make_unique<Cryptomatte>();
  g.from = OutputGroup::From::kIds;
  g.matte.kind = kind;
  const float levels = std::clamp(spec.params.floatOr("levels", 6), 1.0f, 200.0f);
  g.matte.levels = (static_cast<int>(levels) + 1) / 2 * 2;
  g.matte.preview = spec.params.floatOr("preview", 1) != 0;
  g.channels = g.matte.channels();
  const std::vector<std::string> names = matteChannels(g.matte);
  const size_t colours = g.matte.preview ? 3 : 0;
  for (size_t i = 0; i < names.size(); ++i)
    d.request.channels.push_back({names[i], false, i < colours ? image::PixelType::kHalf : image::PixelType::kFloat});
  d.groups.push_back(g);
}

/// The number of the sample in front, written as a whole number or, where the variable is a float, as that.
void addObjectId(OutputPlan& plan, PlannedDisplay& d, scene::OutputVariable v, OutputGroup& g) {
  const bool whole = v.type == Type::kInteger;
  v.type = Type::kFloat;
  const CarriedVariable& c = carry(plan, v);
  g.from = OutputGroup::From::kWhole;
  g.job = findJob(plan.filters[g.filter], {FilterMode::kNearest, hider::SampleTile::kAov + c.plane, c.width});
  display::ChannelSpec channel{v.layer, false, whole ? image::PixelType::kUint32 : image::PixelType::kFloat};
  channel.whole = true;
  d.request.channels.push_back(std::move(channel));
}

/// Ids must come back as they are.
void keepExact(PlannedDisplay& d, Diagnostics& diag) {
  static const char* const kLossy[] = {"pxr24", "b44", "b44a", "dwaa", "dwab"};
  const bool lossy = std::any_of(std::begin(kLossy), std::end(kLossy),
                                 [&](const char* name) { return d.request.compression == name; });
  if (!lossy) return;
  diag.warning("display-compression", d.request.loc,
               format("{}: compression \"{}\" would change ids, zips is used", d.request.name, d.request.compression));
  d.request.compression = "zips";
}

/// The opacity whose mean is an alpha that counts matte surfaces.
scene::OutputVariable opacityOfMatte(scene::OutputVariable v) {
  v.name = Name("Oi"), v.type = Type::kColor, v.composited = true, v.ofMatte = true;
  v.statistics = scene::Statistics::kNone;
  return v;
}

bool isSpread(scene::Statistics s) { return s == scene::Statistics::kVariance || s == scene::Statistics::kMse; }

/// A channel of statistics: its job and channels' names; false where there can be none (reported).
bool planStatistics(OutputPlan& plan, PlannedDisplay& d, const scene::View& view, const scene::DisplaySpec& spec,
                    const scene::OutputVariable& v, OutputGroup& g, Diagnostics& diag) {
  static const char* const kParts[2][3] = {{"x", "y", "z"}, {"R", "G", "B"}};
  using enum scene::Statistics;
  const bool colour = v.type == Type::kColor;
  // 1. Which numbers of a sample.
  hider::StatisticsJob job;
  job.statistic = v.statistics == kVariance ? hider::Statistic::kVariance
                  : v.statistics == kMse    ? hider::Statistic::kMse
                  : v.statistics == kEven   ? hider::Statistic::kEven
                                            : hider::Statistic::kOdd;
  if (v.name == "Ci" && !v.ofMatte) {
    job.firstChannel = hider::SampleTile::kCi;
  } else if (v.name == "a" && !v.ofMatte) {
    job.firstChannel = hider::SampleTile::kOi, job.mean = true;
  } else if (v.name == "z") {
    job.firstChannel = hider::SampleTile::kZ, job.channels = 1;
  } else if (v.name == "a" || v.type == Type::kFloat || isTriple(v.type)) {
    const CarriedVariable& c = v.name == "a" ? carry(plan, opacityOfMatte(v)) : carry(plan, v);
    job.firstChannel = hider::SampleTile::kAov + c.plane, job.channels = c.width, job.mean = v.name == "a";
  } else {
    diag.error("display-variable", spec.loc,
               format("display \"{}\": there are no statistics of a variable of type {} ({})", spec.name,
                      typeName(v.type), v.name.str()));
    return false;
  }
  if (view.imager && (v.name == "Ci" || v.name == "a"))
    diag.warning("statistics-imager", spec.loc,
                 format("display \"{}\": statistics are of samples, which imager shaders do not change", spec.name));
  // 2. Its place, and its channels. Variances are too small for halves.
  PlannedFilter& filter = plan.filters[g.filter];
  g.from = OutputGroup::From::kStatistics, g.job = filter.statistics.size(), g.channels = job.width();
  filter.statistics.push_back(job);
  scene::OutputVariable named = v;
  if (named.layer.empty()) named.layer = v.name.str();
  const bool half = colour && !isSpread(v.statistics) && spec.params.stringOr("exrpixeltype", "") != "float" &&
                    spec.params.stringOr("type", "") != "float";
  addChannels(d, named, g.channels == 1 ? nullptr : kParts[colour], g.channels, colour || v.name == "a",
              half ? image::PixelType::kHalf : image::PixelType::kFloat);
  return true;
}

void addVariable(OutputPlan& plan, PlannedDisplay& d, const scene::View& view, const scene::DisplaySpec& spec,
                 const scene::OutputVariable& v, bool asFloat, Diagnostics& diag) {
  static const char* const kRgb[] = {"R", "G", "B"};
  static const char* const kXyz[] = {"x", "y", "z"};
  static const char* const kA[] = {"A"};
  static const char* const kZ[] = {"Z"};
  const auto colourType = asFloat ? image::PixelType::kFloat : image::PixelType::kHalf;
  // 1. How its samples are combined.
  FilterMode mode = FilterMode::kFilter;
  scene::PixelFilter filterSpec = v.filter.value_or(spec.filter);
  const bool picks = pickingMode(filterSpec.name, mode);
  const size_t firstChannel = d.request.channels.size();
  if (picks) filterSpec = view.filter;
  OutputGroup g;
  g.filter = findFilter(plan, filterSpec, diag, spec.loc);
  MatteKind kind;
  if (matteKindOf(v.name.str(), kind)) return addMatte(plan, d, spec, kind, g);
  PlannedFilter& filter = plan.filters[g.filter];
  // 2. Which channels of the samples, under which names.
  if (v.statistics != scene::Statistics::kNone) {
    if (!planStatistics(plan, d, view, spec, v, g, diag)) return;
  } else if (v.name == "a" && v.ofMatte) {
    const CarriedVariable& c = carry(plan, opacityOfMatte(v));
    g.from = OutputGroup::From::kMean;
    g.job = findJob(filter, {FilterMode::kFilter, hider::SampleTile::kAov + c.plane, c.width});
    addChannels(d, v, kA, 1, false, colourType);
  } else if (v.name == "Ci" && !v.ofMatte) {
    g.from = OutputGroup::From::kColor, g.channels = 3;
    addChannels(d, v, kRgb, 3, true, colourType);
  } else if (v.name == "a") {
    g.from = OutputGroup::From::kAlpha;
    addChannels(d, v, kA, 1, false, colourType);
  } else if (isObjectId(v)) {
    addObjectId(plan, d, v, g);
  } else if (v.name == "z") {
    g.job = findJob(filter, {picks ? mode : depthMode(view.depthFilter), hider::SampleTile::kZ, 1});
    addChannels(d, v, kZ, 1, false, image::PixelType::kFloat);
  } else if (v.type == Type::kFloat || isTriple(v.type)) {
    if (picks && mode != FilterMode::kNearest) mode = FilterMode::kNearest;
    const CarriedVariable& c = carry(plan, v);
    g.channels = c.width;
    g.job = findJob(filter, {mode, hider::SampleTile::kAov + c.plane, c.width});
    const bool colour = v.type == Type::kColor;
    scene::OutputVariable named = v;
    if (named.layer.empty() && v.name != "Ci") named.layer = v.name.str();
    addChannels(d, named, c.width == 1 ? nullptr : (colour ? kRgb : kXyz), c.width, colour,
                colour ? colourType : image::PixelType::kFloat);
  } else {
    diag.error("display-variable", spec.loc,
               format("display \"{}\": a variable of type {} ({}) cannot be written", spec.name, typeName(v.type),
                      v.name.str()));
    return;
  }
  d.groups.push_back(g);
  // 3. What its channel alone has.
  for (size_t i = firstChannel; i < d.request.channels.size(); ++i) {
    display::ChannelSpec& c = d.request.channels[i];
    c.gain = v.gain, c.gamma = v.gamma;
    // Square errors go as the square of the gain; what gamma would make of them is no square error.
    if (isSpread(v.statistics) && c.colour) {
      const float gain = v.gain.value_or(spec.gain);
      c.gain = gain * gain, c.gamma = 1.0f;
    }
    if (v.quantize)
      c.quantize = {v.quantize->one == 0, v.quantize->one, v.quantize->min, v.quantize->max, v.quantize->dither};
    if (v.pixelType == "float") c.type = image::PixelType::kFloat;
    if (v.pixelType == "half") c.type = image::PixelType::kHalf;
  }
}

PlannedDisplay& findDisplay(OutputPlan& plan, const scene::DisplaySpec& spec) {
  const std::string name = !spec.name.empty() && spec.name[0] == '+' ? spec.name.substr(1) : spec.name;
  for (PlannedDisplay& d : plan.displays)
    if (d.request.name == name && d.request.type == spec.type) return d;
  PlannedDisplay d;
  d.request.name = name, d.request.type = spec.type;
  d.request.quantize = {spec.quantize.one == 0, spec.quantize.one, spec.quantize.min, spec.quantize.max,
                        spec.quantize.dither};
  d.request.gain = spec.gain, d.request.gamma = spec.gamma;
  d.request.srgb = spec.params.stringOr("curve", "") == "srgb";
  d.request.compression = spec.params.stringOr("exrcompression", spec.params.stringOr("compression", "zips"));
  d.request.loc = spec.loc;
  addOwnHeader(d.request.attributes, spec.params);
  plan.displays.push_back(std::move(d));
  return plan.displays.back();
}

/// The kinds of ids that a display has, flat or deep.
std::vector<MatteKind> kindsOf(const PlannedDisplay& d) {
  if (d.deep) return d.deep->ids;
  std::vector<MatteKind> kinds;
  for (const OutputGroup& g : d.groups)
    if (g.from == OutputGroup::From::kIds) kinds.push_back(g.matte.kind);
  return kinds;
}

void addManifests(const OutputPlan& plan, PlannedDisplay& d, Diagnostics& diag) {
  for (const MatteKind kind : kindsOf(d)) {
    d.display->setAttribute(matteKey(kind, "manifest"), plan.mattes->manifest(kind));
    std::string a, b;
    if (plan.mattes->collision(kind, a, b))
      diag.warning("cryptomatte-collision", d.request.loc,
                   format("{}: \"{}\" and \"{}\" have the same id: their mattes are one", matteLayer(kind), a, b));
  }
}

}  // namespace

size_t planFilter(OutputPlan& plan, const scene::DisplaySpec& spec, const scene::View& view, Diagnostics& diag) {
  FilterMode mode;
  return findFilter(plan, pickingMode(spec.filter.name, mode) ? view.filter : spec.filter, diag, spec.loc);
}

const CarriedVariable& carryVariable(OutputPlan& plan, const scene::OutputVariable& v) { return carry(plan, v); }

OutputPlan planOutputs(const scene::View& view, Diagnostics& diag) {
  OutputPlan plan;
  findFilter(plan, view.filter, diag, {});
  for (const scene::DisplaySpec& spec : view.displays) {
    PlannedDisplay& d = findDisplay(plan, spec);
    if (isDeep(spec)) {
      planDeep(plan, d, view, spec, diag);
      continue;
    }
    const std::string type =
        spec.params.stringOr("exrpixeltype", spec.params.stringOr("pixeltype", spec.params.stringOr("type", "")));
    for (const scene::OutputVariable& v : spec.variables) addVariable(plan, d, view, spec, v, type == "float", diag);
  }
  for (PlannedDisplay& d : plan.displays) {
    const auto isFloatId = [](const display::ChannelSpec& c) { return c.whole && c.type == image::PixelType::kFloat; };
    const bool ids =
        !kindsOf(d).empty() || std::any_of(d.request.channels.begin(), d.request.channels.end(), isFloatId);
    if (ids && !d.deep) keepExact(d, diag);
    for (const MatteKind kind : kindsOf(d)) {
      auto& header = d.request.attributes;
      header[matteKey(kind, "name")] = std::string(matteLayer(kind));
      header[matteKey(kind, "hash")] = std::string("MurmurHash3_32");
      header[matteKey(kind, "conversion")] = std::string("uint32_to_float32");
    }
  }
  for (const PlannedFilter& f : plan.filters) {
    plan.reachX = std::max(plan.reachX, f.filter.xReach());
    plan.reachY = std::max(plan.reachY, f.filter.yReach());
  }
  return plan;
}

bool openDisplays(OutputPlan& plan, const scene::View& view, const RenderOptions& options) {
  int good = 0, bad = 0;
  for (PlannedDisplay& d : plan.displays) {
    if (d.groups.empty() && !d.deep) continue;
    d.request.dataWindow = view.crop;
    d.request.displayWindow = {0, 0, view.xResolution, view.yResolution};
    d.request.pixelAspect = view.pixelAspect;
    d.request.threads = options.parallel ? options.parallel->threads() : 1;
    addHeader(d.request.attributes, view, options);
    d.display = display::makeDisplay(d.request, *options.diag);
    std::string text;
    const Impact impact = d.display->problem(text);
    ++(impact == Impact::kNone ? good : bad);
    if (impact == Impact::kNone) continue;
    options.diag->error("write-failed", d.request.loc, text, impact);
    d.display.reset();
  }
  return good > 0 || bad == 0;
}

std::vector<std::string> closeDisplays(OutputPlan& plan, const RenderOptions& options, const Stats& stats,
                                       double seconds) {
  std::vector<std::string> files;
  const std::string summary = format("{:.2f} s, {} primitives, {} grids shaded, {} micropolygons, {} points shaded",
                                     seconds, stats.get(Counter::kPrimitives), stats.get(Counter::kGridsShaded),
                                     stats.get(Counter::kMicropolygons), stats.get(Counter::kPointsShaded));
  const bool faulty = options.diag->has(Impact::kPicture) || options.diag->has(Impact::kInput);
  for (PlannedDisplay& d : plan.displays) {
    if (!d.display) continue;
    d.display->setAttribute("reyes/status", std::string(faulty ? "errors" : "complete"));
    d.display->setAttribute("reyes/statistics", summary);
    addManifests(plan, d, *options.diag);
    const std::string error = d.display->finish();
    if (!error.empty()) options.diag->error("write-failed", d.request.loc, error, Impact::kEnvironment);
    if (const std::string lost = d.display->lost(); !lost.empty())
      options.diag->warning("display-id", d.request.loc, lost);
    if (!d.display->wrote().empty()) files.push_back(d.display->wrote());
  }
  return files;
}

}  // namespace reyes::render
