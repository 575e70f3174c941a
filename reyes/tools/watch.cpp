// SPDX-License-Identifier: Apache-2.0
#include "reyes/tools/watch.h"

#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <set>
#include <thread>

#include "reyes/base/hash.h"
#include "reyes/sl/compiler.h"
#include "reyes/tools/render_flags.h"

namespace reyes::tools {

void watchFor(const std::function<uint64_t()>& stamp, const std::function<void()>& again,
              const std::function<void()>& done) {
  constexpr auto kPause = std::chrono::milliseconds(30), kSettle = std::chrono::milliseconds(10);
  for (uint64_t known = stamp();;) {
    std::fflush(stdout);
    std::this_thread::sleep_for(kPause);
    const uint64_t now = stamp();
    if (now == known || now == 0) continue;
    // A file that is still being written is not looked at.
    std::this_thread::sleep_for(kSettle);
    if (stamp() != now) continue;
    again();
    // What changed while the work went on is work again; what it found to watch besides is no change.
    const bool changed = stamp() != now;
    if (done) done();
    known = changed ? 0 : stamp();
  }
}

uint64_t stampOfFiles(const std::vector<std::string>& paths) {
  uint64_t h = 1;
  for (const std::string& path : paths) {
    h = hashCombine(h, hashBytes(path));
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) continue;
    h = hashCombine(h, static_cast<uint64_t>(s.st_size), static_cast<uint64_t>(s.st_ino));
    h = hashCombine(h, static_cast<uint64_t>(s.st_mtim.tv_sec), static_cast<uint64_t>(s.st_mtim.tv_nsec));
  }
  return h;
}

std::vector<std::string> filesOfRun(const std::vector<std::string>& scenes, const session::Session& session,
                                    const session::SessionOptions& options) {
  std::set<std::string> files(scenes.begin(), scenes.end());
  sl::CompileOptions compile;
  compile.includePaths = options.includePaths;
  for (const std::string& folder : installedIncludeFolders()) compile.includePaths.push_back(folder);
  compile.defines = options.defines;
  for (const session::Dependency& d : session.dependencies()) {
    if (d.kind == "output") continue;
    // What was not found may be written next: here, or as a source or a compiled shader.
    const std::string path = d.path.empty() ? d.name : d.path;
    if (path.empty() || path[0] == '<') continue;
    files.insert(path);
    if (d.kind != "shader") continue;
    const std::string base = std::filesystem::path(path).replace_extension().string();
    files.insert(base + ".slb");
    files.insert(base + ".sl");
    for (const std::string& f : sl::filesOf(base + ".sl", compile)) files.insert(f);
  }
  return {files.begin(), files.end()};
}

}  // namespace reyes::tools
