// SPDX-License-Identifier: Apache-2.0
// `reyes cat`: parses RIB and prints it again, ASCII or binary, gzip or not, with archives expanded where asked.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <set>

#include "reyes/base/format.h"
#include "reyes/rib/forward_ri.h"
#include "reyes/rib/reader.h"
#include "reyes/rib/writer.h"
#include "reyes/session/search_path.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"
#include "reyes/tools/log.h"
#include "reyes/tools/render_flags.h"

namespace reyes::tools {
namespace {

constexpr const char* kUsage =
    "usage: reyes cat [flags] FILE.rib... | -\n"
    "\n"
    "Parses RIB in any encoding and prints it: by default as indented ASCII on standard output.\n"
    "Every number keeps every bit.\n";

constexpr const char* kExamples = R"(
examples:
  reyes cat scene.rib
  reyes cat --binary --gzip -o small.rib scene.rib
  reyes cat --expand scene.rib > whole.rib
  reyes cat binary.rib.gz | less
)";

struct CatFlags {
  rib::WriterOptions writer;
  bool expand = false;
  std::string output, archives;
};

/// Passes requests on to the writer; ReadArchive of a file and DelayedReadArchive become what the file holds.
class Expander final : public rib::ForwardRi<Expander> {
 public:
  Expander(rib::Ri& target, rib::Declarations& declarations, Diagnostics& diag, const CatFlags& flags)
      : target_(target),
        declarations_(declarations),
        diag_(diag),
        path_(session::parseSearchPath(flags.archives, {}, {})),
        expand_(flags.expand) {}

  template <class... A, class... B>
  void call(void (Ri::*method)(A...), const char*, const B&... arguments) {
    (target_.*method)(arguments...);
  }
  void option(const std::string& name, const ParamList& params) override {
    target_.option(name, params);
    if (name != "searchpath") return;
    if (const Param* p = params.find("archive"); p && !p->strings.empty())
      path_ = session::parseSearchPath(p->strings.back(), path_, path_);
    if (const Param* p = params.find("dirmap")) map_.add(p->strings);
  }
  void archiveBegin(const std::string& name, const ParamList& params) override {
    inline_.insert(name);
    target_.archiveBegin(name, params);
  }
  void readArchive(const std::string& name, const ParamList& params) override {
    if (!expand_ || inline_.contains(name) || !readFile(name)) target_.readArchive(name, params);
  }
  void procedural(const std::string& type, rib::Strings args, rib::Floats box6) override {
    if (!expand_) return target_.procedural(type, args, box6);
    if (type != "DelayedReadArchive" || args.empty()) {
      diag_.warning("cat-not-expanded", at(), reyes::format("procedural {} is not expanded in this version", type));
      return target_.procedural(type, args, box6);
    }
    target_.attributeBegin();
    if (!readFile(args[0])) target_.procedural(type, args, box6);
    target_.attributeEnd();
  }

 private:
  bool readFile(const std::string& name) {
    const SourceLoc from = at();
    const std::string path = session::findFile(name, session::folderOf(from.file.str()), path_, map_);
    if (path.empty()) {
      diag_.error("rib-archive-missing", from, reyes::format("archive '{}' is not found", name));
      return false;
    }
    if (open_.size() > 64 || open_.contains(path)) {
      diag_.error("rib-archive-recursion", from, reyes::format("archive '{}' reads itself", path));
      return false;
    }
    open_.insert(path);
    rib::readRibFile(path, declarations_, *this, diag_, from);
    open_.erase(path);
    return true;
  }

  rib::Ri& target_;
  rib::Declarations& declarations_;
  Diagnostics& diag_;
  session::Folders path_;
  session::DirMap map_;
  bool expand_;
  std::set<std::string> inline_, open_;
};

void copy(const std::vector<std::string>& files, const CatFlags& flags, std::ostream& out, Diagnostics& diag) {
  rib::Declarations declarations;
  const auto writer = rib::makeWriter(out, flags.writer);
  Expander expander(*writer, declarations, diag, flags);
  for (const std::string& file : files) {
    rib::ReaderOptions options;
    options.file = Name("<stdin>");
    if (file == "-")
      rib::readRib(std::cin, options, declarations, expander, diag);
    else
      rib::readRibFile(file, declarations, expander, diag);
  }
}

}  // namespace

int runCat(int argc, char** argv) {
  CatFlags flags;
  RenderFlags common;
  bool binary = false;
  FlagParser parser;
  parser.section("Flags");
  parser.addSwitch("--binary", "write the binary encoding", binary);
  parser.addSwitch("--gzip", "compress what is written", flags.writer.gzip);
  parser.addSwitch("--expand", "put archives in place of ReadArchive and DelayedReadArchive", flags.expand);
  parser.addText("-o,--output", "FILE", "write there instead of to standard output", flags.output);
  parser.addText("--archives", "PATH", "archive folders", flags.archives);
  addLogFlags(parser, common);
  std::vector<std::string> files;
  if (const std::string wrong = parser.parse(argc, argv, files); !wrong.empty())
    return failWith(kExitUsage, wrong + " (try reyes cat --help)");
  if (parser.helpWanted()) {
    std::printf("%s%s%s", kUsage, parser.help().c_str(), kExamples);
    return kExitOk;
  }
  if (files.empty()) return failWith(kExitUsage, "no file to print (try reyes cat --help)");
  flags.writer.encoding = binary ? rib::Encoding::kBinary : rib::Encoding::kAscii;

  Log log;
  if (!common.logFile.empty())
    if (const std::string wrong = log.open(common.logFile); !wrong.empty()) return failWith(kExitEnvironment, wrong);
  Diagnostics diag;
  log.attach(diag, common.verbosity, common.logFormat == "prman");
  std::ofstream file;
  if (!flags.output.empty()) file.open(flags.output, std::ios::binary);
  std::ostream& out = flags.output.empty() ? std::cout : file;
  if (out) copy(files, flags, out, diag);
  out.flush();
  if (!out)
    diag.error("cat-cannot-write", {},
               format("cannot write {}", flags.output.empty() ? "standard output" : flags.output),
               Impact::kEnvironment);
  diag.printRepeats();
  return exitStatus(diag);
}

}  // namespace reyes::tools
