// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/session.h"

#include <sstream>

#include "reyes/base/hash.h"
#include "reyes/session/builder.h"
#include "reyes/session/gate.h"
#include "reyes/session/recovery.h"
#include "reyes/session/run.h"

namespace reyes::session {

struct Session::Impl {
  explicit Impl(const SessionOptions& flags) : run(flags), builder(run), gate(run, builder) { run.gate = &gate; }

  void finish() {
    gate.finishStream();
    builder.finishStream();
    finishCheckpoints(run);
    if (run.worldCount == 0 && run.made.empty() && !gate.leftFramesOut() && !run.diag.has(Impact::kInput))
      run.diag.warning("rib-no-world", {Name(run.mainFile)}, "there is no WorldBegin: nothing is rendered");
  }

  Run run;
  SceneBuilder builder;
  Gate gate;
  Stats total;
};

Session::Session(const SessionOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Session::~Session() = default;

void Session::run(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    if (impl_->run.stops()) break;
    impl_->run.mainFile = file;
    impl_->run.readFile(file, {});
  }
  impl_->finish();
}

void Session::runText(const std::string& rib, const std::string& name) {
  impl_->run.mainFile = name;
  impl_->run.addRead(hashBulk(rib));
  std::istringstream in(rib);
  rib::readRib(in, {Name(name)}, impl_->run.declarations, impl_->gate, impl_->run.diag);
  impl_->finish();
}

const std::vector<FrameReport>& Session::frames() const { return impl_->run.frames; }
bool Session::stopped() const { return impl_->run.stopped; }
const std::vector<Dependency>& Session::dependencies() const { return impl_->run.dependencies; }

const Stats& Session::stats() const {
  impl_->total = impl_->run.stats;
  impl_->total.merge(impl_->run.shaders.stats());
  if (impl_->run.textures) impl_->total.add(Counter::kTextureLookups, impl_->run.textures->lookups());
  return impl_->total;
}

texture::TextureStats Session::textureStats() const {
  return impl_->run.textures ? impl_->run.textures->stats() : texture::TextureStats();
}

}  // namespace reyes::session
