// SPDX-License-Identifier: Apache-2.0
// The program `reyes`: finds the subcommand and hands over. `reyes scene.rib` is short for `reyes render scene.rib`.
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "reyes/base/format.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"
#include "reyes/tools/flag_parser.h"
#include "reyes/tools/log.h"
#include "reyes/tools/report.h"

namespace {

using namespace reyes;
using namespace reyes::tools;

struct Command {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* help;
};

int runFarm(int, char**) { return failWith(kExitUsage, "reyes farm is not built in this version"); }

constexpr Command kCommands[] = {
    {"render", runRender, "render RIB files"},
    {"compile", runCompile, "compile shaders"},
    {"shaderinfo", runShaderInfo, "parameters and defaults of a shader"},
    {"shade", runShade, "run one shader on a square or a sphere"},
    {"maketx", runMakeTx, "make a texture or an environment map"},
    {"makeshadow", runMakeShadow, "make a shadow map"},
    {"cat", runCat, "parse and print RIB"},
    {"check", runCheck, "find everything that scenes need; render nothing"},
    {"merge", runMerge, "join crop tiles into one picture"},
    {"farm", runFarm, "jobs on a render farm (not built in this version)"},
};

int help(std::FILE* to, int status) {
  std::fputs(
      "usage: reyes COMMAND [flags] FILE...\n       reyes FILE.rib...        the same as reyes render\n\ncommands:\n",
      to);
  for (const Command& c : kCommands) std::fprintf(to, "  %-12s%s\n", c.name, c.help);
  std::fputs(
      "\nreyes COMMAND --help explains each; reyes --version names the libraries\n\n"
      "examples:\n  reyes scene.rib\n  reyes render -t:4 -res 640 480 scene.rib\n  reyes compile wood.sl\n"
      "  reyes check --deps scene.rib\n",
      to);
  return status;
}

/// Whether the first argument is a scene or a flag of render rather than a misspelt command.
bool meansRender(const std::string& first) {
  if (first == "-" || first.starts_with('-')) return true;
  return first.find_first_of("./") != std::string::npos || access(first.c_str(), F_OK) == 0;
}

int dispatch(int argc, char** argv) {
  if (argc < 2) return help(stderr, kExitUsage);
  const std::string first = argv[1];
  if (first == "--help" || first == "-h" || first == "-help" || first == "help") return help(stdout, kExitOk);
  if (first == "--version" || first == "-version") {
    std::fputs(versionText().c_str(), stdout);
    return kExitOk;
  }
  for (const Command& c : kCommands)
    if (first == c.name) return c.run(argc - 1, argv + 1);
  if (meansRender(first)) return runRender(argc, argv);
  std::string nearest;
  for (const Command& c : kCommands)
    if (editDistance(first, c.name) <= 2) nearest = c.name;
  return failWith(kExitUsage, format("unknown command {}{} (try reyes --help)", first,
                                     nearest.empty() ? "" : format("; did you mean {}?", nearest)));
}

}  // namespace

int main(int argc, char** argv) {
  // Whole buffers from standard input, whatever C code reads.
  std::ios::sync_with_stdio(false);
  // Compressing a row of a picture takes a quarter of a megabyte from the C heap and frees it: not to be given back to
  // the system, and cleared by it, each time.
  constexpr int kKeepBytes = 16 << 20;
  mallopt(M_TRIM_THRESHOLD, kKeepBytes);
  mallopt(M_MMAP_THRESHOLD, kKeepBytes);
  try {
    return dispatch(argc, argv);
  } catch (const std::bad_alloc&) {
    return failWith(kExitMemory, "out of memory");
  } catch (const std::exception& e) {
    return failWith(kExitInternal, format("internal fault: {}", e.what()));
  }
}
