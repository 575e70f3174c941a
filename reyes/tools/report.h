// SPDX-License-Identifier: Apache-2.0
// Statistics of a run as text or JSON: time and counts a stage, peak memory, bytes a micropolygon, each frame's files.
#pragma once

#include <string>

#include "reyes/session/session.h"
#include "reyes/tools/render_flags.h"

namespace reyes::tools {

struct RunSummary {
  double seconds = 0;
  int threads = 1;
  int status = 0;
};

/// Writes to `file`: JSON where it ends in .json, else text; "-" is standard output. Returns what is wrong, or nothing.
std::string writeReport(const std::string& file, const session::Session& session, const RenderFlags& flags,
                        const Diagnostics& diag, const RunSummary& summary);

/// "wrote PATH (w x h, seconds)" for each file of a frame; "would write ..." where nothing was rendered.
std::string wroteLines(const session::FrameReport& report, bool planOnly);

/// "error", "warning", "info" or "debug", as JSON has it.
const char* levelName(Severity severity);

/// Version, instruction sets and libraries.
std::string versionText();

}  // namespace reyes::tools
