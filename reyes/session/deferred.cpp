// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/deferred.h"

#include <utility>

#include "reyes/session/gate.h"

namespace reyes::session {
namespace {

class Procedural final : public scene::Deferred {
 public:
  Procedural(Run& run, std::shared_ptr<const FrozenState> frozen, const AttributeState& state, uint64_t path,
             const SourceLoc& loc, Content content)
      : run_(run),
        frozen_(std::move(frozen)),
        state_(state),
        path_(path),
        loc_(loc),
        content_(std::move(content)),
        openFiles_(run.openFiles) {}

  scene::Primitives expand() const override {
    const std::lock_guard lock(run_.expanding);
    SceneBuilder builder(run_, *frozen_, state_, path_);
    Gate gate(run_, builder);
    rib::Ri* const outerGate = std::exchange(run_.gate, &gate);
    std::vector<std::string> outerFiles = std::exchange(run_.openFiles, openFiles_);
    gate.setAt(loc_);
    content_(run_, loc_);
    gate.finishStream();
    run_.gate = outerGate;
    run_.openFiles = std::move(outerFiles);
    return builder.takePrimitives();
  }

 private:
  Run& run_;
  std::shared_ptr<const FrozenState> frozen_;
  AttributeState state_;
  uint64_t path_;
  SourceLoc loc_;
  Content content_;
  std::vector<std::string> openFiles_;  ///< the archives that led here: one must not read itself
};

}  // namespace

std::shared_ptr<const scene::Deferred> makeDeferred(Run& run, std::shared_ptr<const FrozenState> frozen,
                                                    const AttributeState& state, uint64_t path, const SourceLoc& loc,
                                                    Content content) {
  return std::make_shared<Procedural>(run, std::move(frozen), state, path, loc, std::move(content));
}

}  // namespace reyes::session
