// SPDX-License-Identifier: Apache-2.0
// Progress of a render on stdout: a bar, R90000 lines, Open Job Description lines, or a line a minute so that a farm
// sees life. The line a minute comes from a timer signal, since the renderer may be silent for long.
#pragma once

#include "reyes/tools/render_flags.h"

namespace reyes::tools {

class Progress {
 public:
  explicit Progress(ProgressStyle style);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` 0..1 of `frame`; called from any thread, one call at a time.
  void update(int frame, float done);
  /// Before another line is printed: takes the bar away.
  void clear();

 private:
  void drawBar(int frame, int percent);

  ProgressStyle style_;
  int frame_ = 0, percent_ = -1;
  bool any_ = false, barShown_ = false;
};

}  // namespace reyes::tools
