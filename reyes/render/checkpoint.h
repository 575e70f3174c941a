// SPDX-License-Identifier: Apache-2.0
// The checkpoint of a frame: finished pixels of all its displays, in a file beside the first one, from which a later
// run of the same frame goes on. Made by FrameRenderer where CheckpointOptions ask for it; a frame without pays
// nothing.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>

#include "reyes/base/ticker.h"
#include "reyes/render/checkpoint_file.h"
#include "reyes/render/film.h"

namespace reyes::render {

/// What a checkpoint says of its frame, a line each: all that decides about pixels and how they are cut into parts.
std::string checkpointWords(const scene::View& view, const RenderOptions& options, const OutputPlan& plan,
                            const Buckets& buckets);
/// `FILE.checkpoint`, FILE the first display's; empty where nothing is filed.
std::string checkpointPath(const scene::View& view);

class Checkpoint {
 public:
  /// Null where none is wanted. Displays are open; no bucket has begun.
  static std::unique_ptr<Checkpoint> of(const scene::View& view, const RenderOptions& options, OutputPlan& plan,
                                        const Buckets& buckets, Film& film);

  /// The frame's files were all written by a run before this one: there is nothing to do.
  bool whole() const { return whole_; }
  /// A run before this one did some of it: buckets that nobody waits for are passed over.
  bool recovered() const { return recovered_ > 0; }
  /// After the last bucket and the last message. `done`: every file is written, so that the checkpoint can go; else it
  /// is brought up to date.
  void end(bool done);
  const std::string& path() const { return path_; }
  const std::string& words() const { return words_; }

 private:
  Checkpoint(const RenderOptions& options, std::string path, std::string words);
  void recover(OutputPlan& plan, Film& film);
  bool take(const CheckpointRecord& record, OutputPlan& plan, Film& film);
  bool takeMessage(const CheckpointRecord& record);
  bool filesAreThere(const OutputPlan& plan) const;
  void begin();
  void tick();
  void addMessages();
  bool save();

  const RenderOptions& options_;
  std::string path_, words_;
  size_t parts_ = 0, recovered_ = 0, taken_ = 0;
  bool whole_ = false;
  std::unique_ptr<CheckpointWriter> writer_;
  size_t messages_ = 0;  ///< of the run that are in it, or were there before the frame
  int counted_ = 0;      ///< messages, with repetitions, when they were last looked at
  bool stopSaved_ = false;
  std::chrono::steady_clock::time_point last_;
  std::set<std::string> known_;     ///< messages of this run before it goes on from another one's
  std::unique_ptr<Ticker> ticker_;  ///< the last: its calls use all the others
};

}  // namespace reyes::render
