// SPDX-License-Identifier: Apache-2.0
// Blocks: frames, worlds, attributes, transforms, motion, solids, instances, resources; and what a bad nesting means.
#include <sstream>

#include "reyes/base/format.h"
#include "reyes/session/builder.h"
#include "reyes/session/frame_runner.h"
#include "reyes/session/view_builder.h"

namespace reyes::session {

SceneBuilder::SceneBuilder(Run& run) : run_(run) {
  options_.paths = run.defaultPaths();
  geom::namedBasis("bezier", state_.uBasis, state_.uStep);
  state_.vBasis = state_.uBasis, state_.vStep = state_.uStep;
  state_.attributes->surface = nullptr;  // made when a world first needs it
  state_.attributes->displacementBoundSpace = "null";
}

const char* SceneBuilder::beginName(BlockKind kind) {
  constexpr const char* kNames[] = {"FrameBegin",     "WorldBegin", "AttributeBegin",
                                    "TransformBegin", "SolidBegin", "ResourceBegin"};
  return kNames[static_cast<int>(kind)];
}

void SceneBuilder::nestingError(const std::string& text) { run_.diag.error("rib-bad-nesting", at(), text); }

void SceneBuilder::push(BlockKind kind) {
  if (kind == BlockKind::kFrame || kind == BlockKind::kWorld) frozen_.reset();
  Block& block = blocks_.emplace_back();
  block.kind = kind;
  block.loc = at();
  if (kind == BlockKind::kTransform)
    block.ctm = state_.ctm;
  else
    block.state = state_, ++state_.depth;
  if (kind == BlockKind::kFrame || kind == BlockKind::kWorld)
    block.surroundings =
        std::make_unique<Surroundings>(Surroundings{options_, lights_, lightHandles_, spaces_, objects_});
}

void SceneBuilder::restore(Block& block) {
  if (block.kind == BlockKind::kTransform)
    state_.ctm = std::move(*block.ctm);
  else
    state_ = std::move(*block.state);
  if (!block.surroundings) return;
  Surroundings& outside = *block.surroundings;
  frozen_.reset();
  options_ = std::move(outside.options);
  lights_ = std::move(outside.lights);
  lightHandles_ = std::move(outside.lightHandles);
  spaces_ = std::move(outside.spaces);
  objects_ = std::move(outside.objects);
}

bool SceneBuilder::pop(BlockKind kind, const char* endRequest) {
  if (motion_) {
    nestingError(reyes::format("{} inside MotionBegin", endRequest));
    motion_.reset();
  }
  // Which open block is meant? A stray end never leaves the world or the frame, and TransformEnd never an attribute
  // block.
  size_t index = blocks_.size();
  while (index-- > 0) {
    if (blocks_[index].kind == kind) break;
    const bool fence = (blocks_[index].kind == BlockKind::kWorld && kind != BlockKind::kFrame) ||
                       blocks_[index].kind == BlockKind::kFrame || kind == BlockKind::kTransform;
    if (fence) index = 0;
  }
  if (index >= blocks_.size() || blocks_[index].kind != kind) {
    nestingError(reyes::format("{} without {}{}", endRequest, beginName(kind),
                               blocks_.empty() ? "" : reyes::format(" inside {}", beginName(blocks_.back().kind))));
    return false;
  }
  while (blocks_.size() > index + 1) {
    Block inner = std::move(blocks_.back());
    blocks_.pop_back();
    run_.diag.error("rib-bad-nesting", inner.loc,
                    reyes::format("{} is still open at {}", beginName(inner.kind), endRequest));
    restore(inner);
  }
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  restore(block);
  return true;
}

void SceneBuilder::frameBegin(int frame) {
  if (inFrame_ || world_) return nestingError(world_ ? "FrameBegin inside a world" : "FrameBegin inside a frame");
  push(BlockKind::kFrame);
  inFrame_ = true;
  frame_ = frame;
}

void SceneBuilder::frameEnd() {
  if (procedural_) return nestingError("FrameEnd inside a procedural");
  if (world_) {
    nestingError("FrameEnd inside a world: WorldEnd is missing");
    worldEnd();
  }
  if (!pop(BlockKind::kFrame, "FrameEnd")) return;
  inFrame_ = false;
  frame_ = 0;
}

void SceneBuilder::worldBegin() {
  if (procedural_) return nestingError("WorldBegin inside a procedural");
  if (world_) return nestingError("WorldBegin inside a world");
  const SourceLoc here = at();
  // What --option gives acts as if it stood before WorldBegin.
  for (const std::string& text : run_.options.optionRib) {
    std::istringstream in(text);
    rib::readRib(in, {Name("--option")}, run_.declarations, *run_.gate, run_.diag);
  }
  setAt(here);
  if (motion_) motionEnd();
  push(BlockKind::kWorld);
  world_ = std::make_unique<scene::World>();
  builds_ = std::make_unique<ShapeBuilds>(*run_.options.parallel);
  shapes_ = 0;
  areaPrimitives_.clear();
  cameraFromWorld_ = state_.ctm;
  state_.ctm = scene::AnimatedTransform();
  moveStateIntoWorld();
  frozen_.reset();
  detailView_ = buildView(options_, cameraFromWorld_, run_.options, {false, frame_});
}

void SceneBuilder::worldEnd() {
  if (procedural_) return nestingError("WorldEnd inside a procedural");
  if (!world_) return nestingError("WorldEnd without WorldBegin");
  if (motion_) {
    nestingError("WorldEnd inside MotionBegin");
    motion_.reset();
  }
  std::unique_ptr<scene::World> world = std::move(world_);
  builds_->finish(world->primitives, run_.diag);
  builds_.reset();
  world->lights = lights_;
  std::vector<AutoShadow> shadows = wantedShadows(*world);
  world->coordinateSystems = spaces_;
  world->options = options_.named;
  // Close what is open inside, so that messages come before the picture; the options of the world stay in force.
  const OptionState options = options_;
  pop(BlockKind::kWorld, "WorldEnd");
  runWorld(run_, *world, options, cameraFromWorld_, {inFrame_, frame_, at()}, {std::move(shadows), areaPrimitives_});
}

void SceneBuilder::attributeBegin() {
  if (motion_) return nestingError("AttributeBegin inside MotionBegin");
  push(BlockKind::kAttribute);
}
void SceneBuilder::attributeEnd() { pop(BlockKind::kAttribute, "AttributeEnd"); }

void SceneBuilder::transformBegin() {
  if (motion_) return nestingError("TransformBegin inside MotionBegin");
  push(BlockKind::kTransform);
}
void SceneBuilder::transformEnd() { pop(BlockKind::kTransform, "TransformEnd"); }

void SceneBuilder::motionBegin(rib::Floats times) {
  if (motion_) return nestingError("MotionBegin inside MotionBegin");
  for (size_t i = 1; i < times.size(); ++i)
    if (!(times[i] > times[i - 1]))
      return run_.diag.error("rib-bad-motion", at(), "the times of MotionBegin must grow; the block is ignored");
  if (times.empty()) return run_.diag.error("rib-bad-motion", at(), "MotionBegin has no times");
  motion_ = std::make_unique<Motion>();
  motion_->loc = at();
  motion_->times.assign(times.begin(), times.end());
}

void SceneBuilder::motionEnd() {
  if (!motion_) return nestingError("MotionEnd without MotionBegin");
  const std::unique_ptr<Motion> motion = std::move(motion_);
  const int want = static_cast<int>(motion->times.size());
  if (motion->calls != want)
    run_.diag.error("rib-bad-motion", motion->loc,
                    reyes::format("MotionBegin has {} times, but {} requests follow", want, motion->calls));
  if (motion->calls == 0) return;
  motion->times.resize(static_cast<size_t>(std::min(want, motion->calls)));
  if (!motion->matrices.empty())
    finishTransformMotion(*motion);
  else if (motion->build)
    finishGeometryMotion(*motion);
}

void SceneBuilder::solidBegin(const std::string& operation) {
  if (motion_) return nestingError("SolidBegin inside MotionBegin");
  push(BlockKind::kSolid);
  if (operation == "primitive") return;
  if (operation == "intersection" || operation == "union" || operation == "difference")
    run_.notBuilt(at(), reyes::format("SolidBegin \"{}\"", operation), "its parts are drawn whole");
  else
    run_.diag.error("rib-bad-argument", at(), reyes::format("SolidBegin: unknown operation '{}'", operation));
}
void SceneBuilder::solidEnd() { pop(BlockKind::kSolid, "SolidEnd"); }

void SceneBuilder::defineObject(const rib::Handle& handle, std::shared_ptr<ObjectDefinition> object) {
  frozen_.reset();
  objects_[rib::handleText(handle)] = std::move(object);
}

void SceneBuilder::objectInstance(const rib::Handle& handle) {
  const std::string name = rib::handleText(handle);
  const auto it = objects_.find(name);
  if (motion_) return nestingError("ObjectInstance inside MotionBegin");
  if (it == objects_.end())
    return run_.diag.error("rib-unknown-handle", at(), reyes::format("there is no object '{}'", name));
  const std::shared_ptr<ObjectDefinition> object = it->second;
  if (object->open) return run_.diag.error("rib-bad-nesting", at(), reyes::format("object '{}' contains itself", name));
  if (!run_.beginPlay(at())) return;

  // The requests are played again from the state of the instance; geometry is shared with earlier instances.
  const SourceLoc here = at();
  AttributeState saved = state_;
  const size_t depth = blocks_.size();
  object->open = true;
  instances_.emplace_back(object.get(), 0);
  bases_.push_back(state_.ctm);
  frozen_.reset();
  object->requests.replay(*run_.gate);
  if (motion_) motion_.reset();
  while (blocks_.size() > depth) {
    run_.diag.error("rib-bad-nesting", blocks_.back().loc,
                    reyes::format("{} is still open at ObjectEnd", beginName(blocks_.back().kind)));
    blocks_.pop_back();
  }
  bases_.pop_back();
  frozen_.reset();
  instances_.pop_back();
  object->open = false;
  run_.endPlay();
  state_ = std::move(saved);
  setAt(here);
}

void SceneBuilder::resourceBegin() { push(BlockKind::kResource); }
void SceneBuilder::resourceEnd() {
  // Resources end here, the graphics state does not.
  AttributeState kept = state_;
  if (pop(BlockKind::kResource, "ResourceEnd")) state_ = std::move(kept);
}

void SceneBuilder::resource(const std::string& handle, const std::string& type, const ParamList& params) {
  const std::string operation = params.stringOr("operation", "");
  if (type != "attributes" || (operation != "save" && operation != "restore"))
    return run_.notBuilt(at(), reyes::format("Resource \"{}\"", type), "it is ignored");
  if (operation == "save") {
    frozen_.reset();
    resources_[handle] = state_;
    return;
  }
  const auto it = resources_.find(handle);
  if (it == resources_.end())
    return run_.diag.error("rib-unknown-handle", at(), reyes::format("there is no resource '{}'", handle));
  const std::string subset = params.stringOr("subset", "all");
  const scene::AnimatedTransform ctm = state_.ctm;
  if (subset == "transform") {
    state_.ctm = it->second.ctm;
  } else {
    state_ = it->second;
    if (subset != "all") state_.ctm = ctm;
  }
}

void SceneBuilder::finishStream() {
  if (motion_) {
    run_.diag.error("rib-unclosed-block", motion_->loc, "MotionBegin is not closed at the end of the input");
    motion_.reset();
  }
  for (const Block& block : blocks_)
    run_.diag.error("rib-unclosed-block", block.loc,
                    reyes::format("{} is not closed at the end of the input", beginName(block.kind)));
  // A world that was cut short still gives its picture; the blocks inside were named above.
  if (world_) {
    while (!blocks_.empty() && blocks_.back().kind != BlockKind::kWorld) {
      restore(blocks_.back());
      blocks_.pop_back();
    }
    worldEnd();
  }
  while (!blocks_.empty()) {
    restore(blocks_.back());
    blocks_.pop_back();
  }
  inFrame_ = false;
}

std::optional<ExpressionValue> SceneBuilder::variable(const std::string& name) const {
  if (name == "Frame") return inFrame_ ? std::optional<ExpressionValue>(static_cast<double>(frame_)) : std::nullopt;
  const std::map<std::string, Param>* places[] = {&state_.attributes->named, &options_.named};
  for (const auto* map : places)
    for (const std::string& key : {name, "user:" + name}) {
      const auto it = map->find(key);
      if (it == map->end()) continue;
      const Param& p = it->second;
      if (!p.strings.empty()) return p.strings[0];
      if (!p.floats.empty()) return static_cast<double>(p.floats[0]);
    }
  return std::nullopt;
}

void SceneBuilder::errorHandler(const std::string& /*style*/) {
  run_.hint(at(), "ErrorHandler (messages are always printed)");
}

void SceneBuilder::unsupported(const std::string& request, const ParamList& /*params*/) {
  run_.notBuilt(at(), request, "the request is ignored");
}

}  // namespace reyes::session
