// SPDX-License-Identifier: Apache-2.0
// `reyes render`: flags to a session, what it says to the terminal, and the exit status.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "reyes/base/format.h"
#include "reyes/base/ticker.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"
#include "reyes/tools/log.h"
#include "reyes/tools/progress.h"
#include "reyes/tools/report.h"
#include "reyes/tools/signals.h"
#include "reyes/tools/watch.h"

namespace reyes::tools {
namespace {

constexpr const char* kUsage =
    "usage: reyes render [flags] FILE.rib... | -\n"
    "       reyes FILE.rib...\n"
    "\n"
    "Renders RIB files (ASCII, binary, gzip); several files and standard input (-) are one stream.\n";

constexpr const char* kExamples = R"(
exit status: 0 complete and correct, 1 usage, 2 rendered but something picture-changing was missing or wrong,
3 input not readable, 10 could not be written (retry), 33 over the memory limit, 70 internal fault, 75 stopped by a
signal with a checkpoint (run again with -recover 1)

signals: with --checkpoint HUP writes one and goes on; INT, TERM and USR1 write one and stop within 10 s, with status
75; a second one stops at once. Without it the process dies of the signal.

examples:
  reyes render scene.rib
  reyes render -t:4 -Progress -res 960 540 -o draft.exr scene.rib
  reyes render --rate 4 --scale 0.5 -frames 10 20 shot.rib
  reyes render -crop 0.25 0.5 0 1 -o crop.png scene.rib
  reyes render --option 'PixelSamples 8 8' --shaders 'mine:@' --stats stats.json scene.rib
  zcat scene.rib.gz | reyes render -
  reyes render --watch --rate 4 scene.rib
  reyes render --checkpoint 10m -recover 1 scene.rib
)";

/// --strict: a warning counts as an error that changes the picture.
int statusOf(const Diagnostics& diag, const RenderFlags& flags) {
  const int status = exitStatus(diag);
  if (status == kExitOk && flags.session.strict && diag.count(Severity::kWarning) > 0) return kExitPicture;
  return status;
}

/// One run. `read` gets the files that it was made from.
int render(RenderFlags& flags, Log& log, std::vector<std::string>& read) {
  Diagnostics diag;
  log.attach(diag, flags.verbosity, flags.logFormat == "prman");
  const bool checkpoints = flags.session.checkpoint.seconds > 0;
  if (checkpoints)
    installCheckpointSignals();
  else
    installSignalHandlers();
  Parallel parallel(threadCount(flags.threads));
  const auto start = std::chrono::steady_clock::now();

  session::SessionOptions& options = flags.session;
  options.parallel = &parallel;
  options.diag = &diag;
  options.explain = [&log](const Diagnostic& d, const std::vector<std::string>& lines) { log.explain(d, lines); };
  options.installedShaderFolders = installedShaderFolders();
  Progress progress(flags.progress);
  if (flags.progress != ProgressStyle::kNone)
    options.progress = [&](int frame, float done) { progress.update(frame, done); };
  options.onFrame = [&](const session::FrameReport& report) {
    if (options.progress && !options.planOnly) progress.update(report.frame, 1);
    progress.clear();
    std::fputs(wroteLines(report, options.planOnly).c_str(), stdout);
    std::fflush(stdout);
  };

  std::unique_ptr<Ticker> watchdog;
  if (checkpoints) {
    options.stop = stopAsked;
    options.checkpoint.asked = checkpointAsked;
    watchdog = std::make_unique<Ticker>(std::chrono::milliseconds(100), leaveIfLate);
  }

  session::Session session(options);
  session.run(flags.files);
  progress.clear();
  if (flags.watch) read = filesOfRun(flags.files, session, options);
  if (!options.frames.empty() && session.frames().empty() && statusOf(diag, flags) == kExitOk)
    diag.warning("frames-none", {}, "none of the frames asked for is in the files: nothing is rendered");
  watchdog.reset();
  diag.printRepeats();

  RunSummary summary;
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  summary.threads = parallel.threads();
  summary.status = statusOf(diag, flags);
  if (session.stopped() && (summary.status == kExitOk || summary.status == kExitPicture)) summary.status = kExitStopped;
  if (!flags.statsFile.empty())
    if (const std::string wrong = writeReport(flags.statsFile, session, flags, diag, summary); !wrong.empty()) {
      diag.error("stats-cannot-write", {}, wrong, Impact::kEnvironment);
      summary.status = statusOf(diag, flags);
    }
  return summary.status;
}

/// Renders, and again whenever a file changes that the last run read, until interrupted.
int renderAndWatch(RenderFlags& flags, Log& log) {
  std::vector<std::string> files;
  const int status = render(flags, log, files);
  if (!flags.watch) return status;
  std::printf("watching %zu files\n", files.size());
  // A scene that is broken for now may leave out what it needs when it is whole, so files are added, never dropped.
  std::vector<std::string> found;
  const auto stamp = [&] { return stampOfFiles(files); };
  const auto again = [&] {
    found.clear();
    render(flags, log, found);
  };
  watchFor(stamp, again, [&] {
    for (const std::string& f : found)
      if (std::find(files.begin(), files.end(), f) == files.end()) files.push_back(f);
  });
}

}  // namespace

int runRender(int argc, char** argv) {
  RenderFlags flags;
  flags.session.isa = bestIsa();
  FlagParser parser;
  addRenderFlags(parser, flags);
  if (const std::string wrong = parser.parse(argc, argv, flags.files); !wrong.empty())
    return failWith(kExitUsage, wrong + " (try reyes render --help)");
  if (parser.helpWanted()) {
    std::printf("%s%s%s", kUsage, parser.help().c_str(), kExamples);
    return kExitOk;
  }
  if (flags.version) {
    std::fputs(versionText().c_str(), stdout);
    return kExitOk;
  }
  if (flags.files.empty())
    return failWith(kExitUsage, "no file to render; - is standard input (try reyes render --help)");
  if (std::count(flags.files.begin(), flags.files.end(), "-") > 1)
    return failWith(kExitUsage, "standard input (-) can be given once");
  if (flags.watch && std::count(flags.files.begin(), flags.files.end(), "-"))
    return failWith(kExitUsage, "--watch needs files: standard input is read once");
  if (const std::string wrong = conflict(flags); !wrong.empty()) return failWith(kExitUsage, wrong);
  if (!flags.workingFolder.empty() && chdir(flags.workingFolder.c_str()) != 0)
    return failWith(kExitUsage, format("cannot go to {}: {}", flags.workingFolder, std::strerror(errno)));
  Log log;
  if (!flags.logFile.empty())
    if (const std::string wrong = log.open(flags.logFile); !wrong.empty()) return failWith(kExitEnvironment, wrong);
  return renderAndWatch(flags, log);
}

}  // namespace reyes::tools
