// SPDX-License-Identifier: Apache-2.0
// `reyes check`: reads scenes as a render would, finds every shader, texture, archive, procedural and output, and
// renders nothing.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "reyes/base/format.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"
#include "reyes/tools/log.h"
#include "reyes/tools/render_flags.h"
#include "reyes/tools/report.h"

namespace reyes::tools {
namespace {

constexpr const char* kUsage =
    "usage: reyes check [flags] FILE.rib... | -\n"
    "\n"
    "Reads the files as a render would and names what is wrong or missing; renders nothing.\n"
    "The exit status is that of the render: 0 where all is well, 2 or 3 where not.\n";

constexpr const char* kExamples = R"(
examples:
  reyes check scene.rib
  reyes check --deps scene.rib
  reyes check --deps --json scene.rib > needs.json
  reyes check -frames 1 10 --option 'Format 64 64 1' scene.rib
  reyes check --shaders 'lib:@' -cwd /shots/10 scene.rib
)";

using Json = nlohmann::ordered_json;

std::string asJson(const session::Session& session, const Diagnostics& diag, int status) {
  Json root = {{"status", status}, {"dependencies", Json::array()}, {"messages", Json::array()}};
  for (const session::Dependency& d : session.dependencies())
    root["dependencies"].push_back({{"kind", d.kind},
                                    {"name", d.name},
                                    {"path", d.path},
                                    {"found", d.kind == "output" || !d.path.empty()},
                                    {"file", d.loc.file.str()},
                                    {"line", d.loc.line}});
  for (const Diagnostic& d : diag.all())
    root["messages"].push_back({{"level", levelName(d.severity)},
                                {"code", d.code},
                                {"text", d.text},
                                {"file", d.loc.file.str()},
                                {"line", d.loc.line},
                                {"column", d.loc.column}});
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string asText(const session::Session& session) {
  std::string out;
  for (const session::Dependency& d : session.dependencies()) {
    const bool output = d.kind == "output";
    out += format("{:<11}{}{}\n", d.kind, d.name,
                  output || d.path == d.name ? ""
                  : d.path.empty()           ? " (not found)"
                                             : " -> " + d.path);
  }
  return out;
}

/// What `reyes check` without --deps says.
std::string summary(const session::Session& session, const Diagnostics& diag) {
  size_t missing = 0;
  for (const session::Dependency& d : session.dependencies()) missing += d.kind != "output" && d.path.empty();
  return format("{} frames and passes, {} things needed or made, {} not found, {} errors, {} warnings\n",
                session.frames().size(), session.dependencies().size(), missing, diag.count(Severity::kError),
                diag.count(Severity::kWarning));
}

}  // namespace

int runCheck(int argc, char** argv) {
  RenderFlags flags;
  bool deps = false, json = false;
  FlagParser parser;
  parser.section("Flags");
  parser.addSwitch("--deps", "list everything the scenes need and make", deps);
  parser.addSwitch("--json", "print the list and the messages as JSON", json);
  parser.addSwitch("--strict", "warnings count as errors", flags.session.strict);
  addPictureFlags(parser, flags);
  addSearchFlags(parser, flags);
  addLogFlags(parser, flags);
  if (const std::string wrong = parser.parse(argc, argv, flags.files); !wrong.empty())
    return failWith(kExitUsage, wrong + " (try reyes check --help)");
  if (parser.helpWanted()) {
    std::printf("%s%s%s", kUsage, parser.help().c_str(), kExamples);
    return kExitOk;
  }
  if (flags.files.empty()) return failWith(kExitUsage, "no file to check (try reyes check --help)");
  if (const std::string wrong = conflict(flags); !wrong.empty()) return failWith(kExitUsage, wrong);
  if (!flags.workingFolder.empty() && chdir(flags.workingFolder.c_str()) != 0)
    return failWith(kExitUsage, format("cannot go to {}: {}", flags.workingFolder, std::strerror(errno)));
  Log log;
  if (!flags.logFile.empty())
    if (const std::string wrong = log.open(flags.logFile); !wrong.empty()) return failWith(kExitEnvironment, wrong);

  Diagnostics diag;
  log.attach(diag, flags.verbosity, flags.logFormat == "prman");
  Parallel parallel(1);
  flags.session.parallel = &parallel;
  flags.session.diag = &diag;
  flags.session.checkOnly = true;
  flags.session.installedShaderFolders = installedShaderFolders();
  session::Session session(flags.session);
  session.run(flags.files);
  diag.printRepeats();

  int status = exitStatus(diag);
  if (status == kExitOk && flags.session.strict && diag.count(Severity::kWarning) > 0) status = kExitPicture;
  const std::string text = json ? asJson(session, diag, status) : deps ? asText(session) : summary(session, diag);
  std::fputs(text.c_str(), stdout);
  return status;
}

}  // namespace reyes::tools
