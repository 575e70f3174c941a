// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/gate.h"

#include <algorithm>

#include "reyes/base/format.h"

namespace reyes::session {

rib::Ri* Gate::current() {
  if (skipping()) return nullptr;
  rib::Ri* target = recorder_ ? recorder_.get() : static_cast<rib::Ri*>(&builder_);
  target->setAt(at());
  return target;
}

void Gate::frameBegin(int frame) {
  if (skipFrame_) return;
  const std::vector<int>& wanted = run_.options.frames;
  if (!recorder_ && !skipping() && !wanted.empty() && std::find(wanted.begin(), wanted.end(), frame) == wanted.end()) {
    skipFrame_ = leftFramesOut_ = true;
    return;
  }
  if (rib::Ri* target = current()) target->frameBegin(frame);
}

void Gate::frameEnd() {
  if (skipFrame_) {
    skipFrame_ = false;
    return;
  }
  if (rib::Ri* target = current()) target->frameEnd();
}

bool Gate::evaluate(const std::string& expression) {
  const ExpressionResult r = evaluateCondition(
      expression, [this](const std::string& name) { return builder_.variable(name); }, builder_.options().variableMark);
  if (!r.error.empty())
    run_.diag.error("rib-bad-expression", at(),
                    reyes::format("condition \"{}\": {}; it counts as false", expression, r.error));
  return r.value;
}

void Gate::ifBegin(const std::string& expression) {
  if (recorder_) return call(&rib::Ri::ifBegin, "IfBegin", expression);
  const bool outer = !skipping();
  const bool on = outer && evaluate(expression);
  branches_.push_back({at(), on, on, outer});
}

void Gate::elseIf(const std::string& expression) {
  if (recorder_) return call(&rib::Ri::elseIf, "ElseIf", expression);
  if (branches_.empty()) return run_.diag.error("rib-bad-nesting", at(), "ElseIf without IfBegin");
  Branch& b = branches_.back();
  b.active = b.outer && !b.taken && evaluate(expression);
  b.taken = b.taken || b.active;
}

void Gate::elseBranch() {
  if (recorder_) return call(&rib::Ri::elseBranch, "Else");
  if (branches_.empty()) return run_.diag.error("rib-bad-nesting", at(), "Else without IfBegin");
  Branch& b = branches_.back();
  b.active = b.outer && !b.taken;
  b.taken = true;
}

void Gate::ifEnd() {
  if (recorder_) return call(&rib::Ri::ifEnd, "IfEnd");
  if (branches_.empty()) return run_.diag.error("rib-bad-nesting", at(), "IfEnd without IfBegin");
  branches_.pop_back();
}

void Gate::begin(std::shared_ptr<rib::Recording> recording, bool object, const std::string& name) {
  recording_ = std::move(recording);
  recorder_ = rib::makeRecorder(*recording_);
  archiveName_ = object ? "" : name;
  recordedFrom_ = at();
  depth_ = 0;
}

void Gate::archiveBegin(const std::string& name, const ParamList& params) {
  if (skipping()) return;
  if (recorder_) {
    if (!object_) ++depth_;
    return call(&rib::Ri::archiveBegin, "ArchiveBegin", name, params);
  }
  begin(std::make_shared<rib::Recording>(), false, name);
}

void Gate::archiveEnd() {
  if (skipping()) return;
  if (!recorder_) return run_.diag.error("rib-bad-nesting", at(), "ArchiveEnd without ArchiveBegin");
  if (object_ || depth_ > 0) {
    if (!object_) --depth_;
    return call(&rib::Ri::archiveEnd, "ArchiveEnd");
  }
  recorder_.reset();
  run_.inlineArchives[archiveName_] = std::move(recording_);
}

void Gate::objectBegin(const rib::Handle& handle, const ParamList& params) {
  if (skipping()) return;
  if (recorder_) {
    if (object_) {
      ++depth_;
      return run_.diag.error("rib-bad-nesting", at(), "ObjectBegin inside ObjectBegin is ignored");
    }
    return call(&rib::Ri::objectBegin, "ObjectBegin", handle, params);
  }
  object_ = std::make_shared<ObjectDefinition>();
  handle_ = handle;
  begin(std::shared_ptr<rib::Recording>(object_, &object_->requests), true, "");
}

void Gate::objectEnd() {
  if (skipping()) return;
  if (!recorder_) return run_.diag.error("rib-bad-nesting", at(), "ObjectEnd without ObjectBegin");
  if (!object_) return call(&rib::Ri::objectEnd, "ObjectEnd");
  if (depth_ > 0) {
    --depth_;
    return;
  }
  recorder_.reset();
  recording_.reset();
  builder_.setAt(at());
  builder_.defineObject(handle_, std::move(object_));
  object_.reset();
}

void Gate::readArchive(const std::string& name, const ParamList& params) {
  if (skipping()) return;
  if (recorder_) return call(&rib::Ri::readArchive, "ReadArchive", name, params);
  const SourceLoc here = at();
  const auto it = run_.inlineArchives.find(name);
  if (it == run_.inlineArchives.end()) {
    run_.readArchive(name, builder_.options().paths, here);
  } else if (std::find(playing_.begin(), playing_.end(), it->second.get()) != playing_.end()) {
    run_.diag.error("rib-archive-recursion", here, reyes::format("archive '{}' reads itself", name));
  } else if (run_.beginPlay(here)) {
    const std::shared_ptr<rib::Recording> recording = it->second;
    playing_.push_back(recording.get());
    recording->replay(*this);
    playing_.pop_back();
    run_.endPlay();
  }
  setAt(here);
}

void Gate::finishStream() {
  if (recorder_) {
    run_.diag.error("rib-unclosed-block", recordedFrom_,
                    object_ ? "ObjectBegin is not closed at the end of the input"
                            : "ArchiveBegin is not closed at the end of the input");
    recorder_.reset();
    recording_.reset();
    object_.reset();
  }
  for (const Branch& b : branches_)
    run_.diag.error("rib-unclosed-block", b.loc, "IfBegin is not closed at the end of the input");
  branches_.clear();
  skipFrame_ = false;
}

}  // namespace reyes::session
