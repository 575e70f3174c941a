// SPDX-License-Identifier: Apache-2.0
// Between the reader and the scene builder: leaves out frames that are not wanted and branches of conditions that are
// false, records objects and inline archives, and reads or replays archives where they are named.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "reyes/rib/forward_ri.h"
#include "reyes/session/builder.h"

namespace reyes::session {

class Gate final : public rib::ForwardRi<Gate> {
 public:
  Gate(Run& run, SceneBuilder& builder) : run_(run), builder_(builder) {}

  /// At the end of a stream: names conditions, objects and archives that are still open.
  void finishStream();
  /// True where frames of the file were not wanted.
  bool leftFramesOut() const { return leftFramesOut_; }

  /// Every request that is not overridden below.
  template <class... A, class... B>
  void call(void (rib::Ri::*method)(A...), const char* /*name*/, const B&... arguments) {
    if (rib::Ri* target = current()) (target->*method)(arguments...);
  }

  void frameBegin(int frame) override;
  void frameEnd() override;
  void ifBegin(const std::string& expression) override;
  void elseIf(const std::string& expression) override;
  void elseBranch() override;
  void ifEnd() override;
  void archiveBegin(const std::string& name, const ParamList& params) override;
  void archiveEnd() override;
  void readArchive(const std::string& name, const ParamList& params) override;
  void objectBegin(const rib::Handle& handle, const ParamList& params) override;
  void objectEnd() override;
  void version(float) override {}
  void declare(const std::string&, const std::string&) override {}  // the reader keeps the table
  void archiveRecord(const std::string&, const std::string&) override {}

 private:
  struct Branch {
    SourceLoc loc;
    bool taken = false;   ///< some branch of it was true
    bool active = false;  ///< the present one is
    bool outer = false;   ///< requests around it were active
  };
  /// Where requests go now: the recorder, the builder, or nowhere.
  rib::Ri* current();
  bool skipping() const { return skipFrame_ || (!branches_.empty() && !branches_.back().active); }
  bool evaluate(const std::string& expression);
  void begin(std::shared_ptr<rib::Recording> recording, bool object, const std::string& name);

  Run& run_;
  SceneBuilder& builder_;
  bool skipFrame_ = false;
  bool leftFramesOut_ = false;
  std::vector<Branch> branches_;
  std::vector<const rib::Recording*> playing_;

  // What is being recorded.
  std::unique_ptr<rib::Ri> recorder_;
  std::shared_ptr<rib::Recording> recording_;
  std::shared_ptr<ObjectDefinition> object_;
  rib::Handle handle_;
  std::string archiveName_;
  SourceLoc recordedFrom_;
  int depth_ = 0;  ///< inner begins of the same kind
};

}  // namespace reyes::session
