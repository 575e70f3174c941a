// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/shape_builds.h"

namespace reyes::session {

void ShapeBuilds::add(size_t primitive, std::vector<float> keyTimes, bool atOnce, Make make) {
  builds_.push_back(std::make_unique<Build>());
  Build& build = *builds_.back();
  build.primitive = primitive;
  build.keyTimes = std::move(keyTimes);
  build.messages.setPrinter({});
  if (atOnce) {
    build.shape = make(build.messages);
    return;
  }
  group_.run([&build, work = std::move(make)] { build.shape = work(build.messages); });
}

void ShapeBuilds::finish(scene::Primitives& primitives, Diagnostics& diag) {
  group_.wait();
  bool lacking = false;
  for (const auto& build : builds_) {
    for (Diagnostic& d : build->messages.all()) diag.report(std::move(d));
    scene::Primitive& p = primitives[build->primitive];
    if (!build->shape) lacking = true;
    if (build->shape && build->shape->keyCount() > 1) p.keyTimes = std::move(build->keyTimes);
    p.geometry = std::move(build->shape);
  }
  builds_.clear();
  if (lacking) std::erase_if(primitives, [](const scene::Primitive& p) { return !p.geometry; });
}

}  // namespace reyes::session
