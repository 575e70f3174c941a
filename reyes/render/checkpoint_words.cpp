// SPDX-License-Identifier: Apache-2.0
// What a checkpoint says of its frame. Called by Checkpoint.
#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/base/version.h"
#include "reyes/display/display.h"
#include "reyes/render/checkpoint.h"

namespace reyes::render {
namespace {

/// What of the view the scene's bytes do not tell alone, since flags change it.
uint64_t hashOfCamera(const scene::View& v) {
  std::string text =
      format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", v.pixelAspect, v.screenWindow[0], v.screenWindow[1],
             v.screenWindow[2], v.screenWindow[3], static_cast<int>(v.projection), v.fov, v.near, v.far, v.shutterOpen,
             v.shutterClose, v.fStop, v.focalLength, v.focalDistance, v.opacityThreshold, v.zThreshold, v.gridSize);
  for (const float time : {v.shutterOpen, v.shutterClose}) {
    const Matrix4 m = v.cameraFromWorld.at(time);
    for (const auto& row : m.m)
      for (const float f : row) text += format(" {}", f);
  }
  return hashBytes(text);
}

uint64_t hashOfOutputs(const OutputPlan& plan) {
  uint64_t h = 0;
  for (const PlannedDisplay& d : plan.displays) {
    if (!d.display) continue;
    const display::DisplayRequest& r = d.request;
    h = hashCombine(h, hashBytes(r.name), hashBytes(r.type));
    h = hashCombine(h, hashBytes(format("{} {} {} {}", r.gain, r.gamma, r.srgb, d.deep != nullptr)));
    for (const display::ChannelSpec& c : r.channels)
      h = hashCombine(h, hashBytes(c.name), static_cast<uint64_t>(c.type));
  }
  return h;
}

}  // namespace

std::string checkpointWords(const scene::View& v, const RenderOptions& options, const OutputPlan& plan,
                            const Buckets& buckets) {
  const PixelRect& c = v.crop;
  std::string text = format("version {}\n", kVersion);
  text += options.checkpoint.words;
  text += format("instruction set {}\nframe {}\nresolution {} x {}\ncrop {} {} {} {}\n", isaName(options.isa), v.frame,
                 v.xResolution, v.yResolution, c.x0, c.y0, c.x1, c.y1);
  text += format("samples {} x {}, shading rate {}\nfilter {} {} x {}\n", v.xSamples, v.ySamples, options.rateScale,
                 v.filter.name, v.filter.xWidth, v.filter.yWidth);
  text += format("buckets {} x {} of {} x {}\n", buckets.columns(), buckets.rows(), v.bucketWidth, v.bucketHeight);
  text += format("camera {:016x}\noutputs {:016x}\n", hashOfCamera(v), hashOfOutputs(plan));
  return text;
}

std::string checkpointPath(const scene::View& view) {
  for (const scene::DisplaySpec& d : view.displays) {
    const std::string name = d.name.starts_with("+") ? d.name.substr(1) : d.name;
    if (!name.empty() && display::formatOf(d.type, d.name) != "null") return name + ".checkpoint";
  }
  return {};
}

}  // namespace reyes::render
