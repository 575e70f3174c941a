// SPDX-License-Identifier: Apache-2.0
// Test helper: builds worlds from RIB text without rendering, and keeps what was built.
#pragma once

#include <string>
#include <vector>

#include "reyes/session/session.h"

namespace reyes::session {

struct BuiltScene {
  Diagnostics diag;
  std::vector<scene::World> worlds;
  std::vector<scene::View> views;
  std::vector<FrameReport> frames;
  std::vector<Dependency> dependencies;
  SessionOptions options;

  BuiltScene() {
    diag.setPrinter({});
    options.planOnly = true;
    options.installedShaderFolders = {REYES_SOURCE_DIR "/shaders"};
  }
  explicit BuiltScene(const std::string& rib) : BuiltScene() { build(rib); }

  void build(const std::string& rib) {
    options.diag = &diag;
    options.onWorld = [this](const scene::World& w, const scene::View& v) {
      worlds.push_back(w);
      views.push_back(v);
    };
    Session session(options);
    session.runText(rib, "test.rib");
    frames = session.frames();
    dependencies = session.dependencies();
  }
  int errors() const { return diag.count(Severity::kError); }
  /// Places (line) of the diagnostics with that code.
  std::vector<int> lines(const std::string& code) const {
    std::vector<int> r;
    for (const Diagnostic& d : diag.all())
      if (d.code == code) r.push_back(d.loc.line);
    return r;
  }
  const scene::World& world(size_t i = 0) const { return worlds.at(i); }
  const scene::View& view(size_t i = 0) const { return views.at(i); }
  const scene::Primitive& primitive(size_t i) const { return worlds.at(0).primitives.at(i); }
};

}  // namespace reyes::session
