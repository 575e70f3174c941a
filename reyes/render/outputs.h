// SPDX-License-Identifier: Apache-2.0
// What a view writes: which variables ride on the micropolygons, which channels of the sample tiles become which
// channels of which display, and the header of each file. Made once a frame; called by film and render_frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "reyes/display/display.h"
#include "reyes/hider/hider.h"
#include "reyes/hider/statistics.h"
#include "reyes/render/cryptomatte.h"
#include "reyes/render/render_frame.h"

namespace reyes::render {

/// A variable that shaders hand over: `width` floats from `plane` of the micropolygon's planes on.
struct CarriedVariable {
  scene::OutputVariable variable;
  int plane = 0, width = 1;
};

/// One channel group of a display: where its pixels come from.
struct OutputGroup {
  /// Colour and alpha pass through the imager; kMean is the mean of a job's three channels,
  /// kWhole the number of its two (hider/whole_number.h), by its bits.
  enum class From { kColor, kAlpha, kPlain, kMean, kIds, kStatistics, kWhole };
  From from = From::kPlain;
  size_t filter = 0, job = 0;  ///< in OutputPlan::filters; the job one of its statistics for kStatistics
  int channels = 1;
  MatteSpec matte;  ///< of ids
};

struct DeepOutput;

/// A file (or other display) with one or more DisplaySpecs of the same name as its layers.
struct PlannedDisplay {
  display::DisplayRequest request;
  std::vector<OutputGroup> groups;
  std::unique_ptr<display::Display> display;
  std::shared_ptr<DeepOutput> deep;    ///< of deep displays, which have no groups (deep_film.h)
  std::vector<std::string> deepNames;  ///< of its variables, and which of them are colours
  std::vector<bool> deepColours;
};

/// A pixel filter and what runs through it. Jobs 0 and 1 are Ci and Oi.
struct PlannedFilter {
  scene::PixelFilter spec;
  hider::Filter filter;
  std::vector<hider::FilterJob> jobs;
  std::vector<hider::StatisticsJob> statistics;
};

struct OutputPlan {
  std::vector<CarriedVariable> carried;
  std::vector<scene::OutputVariable> wanted;  ///< what shaders are asked for
  int carriedFloats = 0;
  bool velocity = false;               ///< dPdtime is carried
  std::vector<PlannedFilter> filters;  ///< distinct filters of the displays; [0] is the view's
  std::vector<PlannedDisplay> displays;
  int reachX = 0, reachY = 0;           ///< pixels that the widest filter reaches
  std::unique_ptr<Cryptomatte> mattes;  ///< where a display wants them

  /// True where ids go through a filter.
  bool wantsShares(size_t filter) const {
    for (const PlannedDisplay& d : displays)
      for (const OutputGroup& g : d.groups)
        if (g.from == OutputGroup::From::kIds && g.filter == filter) return true;
    return false;
  }
};

/// The filter that a display asks for, the view's where it picks instead of filtering: in plan.filters.
size_t planFilter(OutputPlan& plan, const scene::DisplaySpec& spec, const scene::View& view, Diagnostics& diag);
/// The planes of a variable that shaders hand over; a new variable gets new ones.
const CarriedVariable& carryVariable(OutputPlan& plan, const scene::OutputVariable& v);
/// Plans everything but opens no file yet; what cannot be written is reported.
OutputPlan planOutputs(const scene::View& view, Diagnostics& diag);
/// Fills in windows and headers and makes the displays. False where every one of them is known to fail (reported).
bool openDisplays(OutputPlan& plan, const scene::View& view, const RenderOptions& options);
/// Header entries known at the end, then finishes each: names of files written; failures go to diag.
std::vector<std::string> closeDisplays(OutputPlan& plan, const RenderOptions& options, const Stats& stats,
                                       double seconds);

}  // namespace reyes::render
