// SPDX-License-Identifier: Apache-2.0
// The flags of `reyes render` (and of `reyes check`, which takes those that say where things are).
#pragma once

#include <string>
#include <vector>

#include "reyes/session/session.h"
#include "reyes/tools/flag_parser.h"

namespace reyes::tools {

enum class ProgressStyle { kAuto, kBar, kLines, kOpenJd, kNone };

struct RenderFlags {
  session::SessionOptions session;
  std::vector<std::string> files;
  int threads = 0;  ///< 0: all this process may use; negative: all but so many
  ProgressStyle progress = ProgressStyle::kAuto;
  std::string workingFolder, logFile, logFormat = "reyes", statsFile;
  int verbosity = 2;
  bool version = false, watch = false;
};

/// Flags that change what is rendered, how, and what is said.
void addRenderFlags(FlagParser& parser, RenderFlags& flags);
/// Those of them that say which frames and pixels are rendered, and to which files.
void addPictureFlags(FlagParser& parser, RenderFlags& flags);
/// Flags that say where things are found.
void addSearchFlags(FlagParser& parser, RenderFlags& flags);
/// Verbosity and log files.
void addLogFlags(FlagParser& parser, RenderFlags& flags);

/// What is wrong with the flags together ("" where nothing is): an output whose ending names no format.
std::string conflict(const RenderFlags& flags);

/// Threads to use for a -t value.
int threadCount(int flag);
/// Folders of the shaders that come with Reyes.
std::vector<std::string> installedShaderFolders();
/// Where `#include` finds the headers that come with the program, after the folders of -I.
std::vector<std::string> installedIncludeFolders();

}  // namespace reyes::tools
