// SPDX-License-Identifier: Apache-2.0
// The subcommands of `reyes`, one function each, called by main.cpp. argv[0] is the subcommand's name, so that flags
// start at argv[1] as in a main(). Each returns the exit status of the process (the table of exit_status.h).
#pragma once

namespace reyes::tools {

int runRender(int argc, char** argv);
int runCat(int argc, char** argv);
int runCheck(int argc, char** argv);
int runCompile(int argc, char** argv);
int runShaderInfo(int argc, char** argv);
int runShade(int argc, char** argv);
int runMakeTx(int argc, char** argv);
int runMakeShadow(int argc, char** argv);
int runMerge(int argc, char** argv);

}  // namespace reyes::tools
