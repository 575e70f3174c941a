// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/run.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"

namespace reyes::session {
namespace {
ShaderLibraryOptions libraryOptions(const SessionOptions& flags, Diagnostics& diag) {
  ShaderLibraryOptions o;
  o.compile.includePaths = flags.includePaths;
  o.compile.defines = flags.defines;
  o.compile.explain = flags.explain;
  // Headers for authors lie below the standard shaders.
  for (const std::string& folder : flags.installedShaderFolders) o.compile.includePaths.push_back(folder + "/include");
  o.frozen = flags.frozen;
  o.cacheFolder = defaultCacheFolder();
  o.diag = &diag;
  return o;
}

Folders fromEnvironment(const char* name, const Folders& installed) {
  const char* value = std::getenv(name);
  Folders folders = value ? parseSearchPath(value, installed, {}) : Folders{};
  folders.insert(folders.end(), installed.begin(), installed.end());
  return folders;
}

Folders withFlag(const std::string& flag, const Folders& standard) {
  if (flag.empty()) return standard;
  Folders folders = parseSearchPath(flag, standard, standard);
  for (const std::string& s : standard)
    if (std::find(folders.begin(), folders.end(), s) == folders.end()) folders.push_back(s);
  return folders;
}

/// Hash of a file's bytes, read in pieces; 0 where it cannot be read.
uint64_t hashFile(const std::string& path) {
  // Reading a pipe for its hash would leave nothing of it to render.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;
  std::ifstream in(path, std::ios::binary);
  constexpr std::streamsize kPiece = 1 << 20;
  const auto piece = std::make_unique_for_overwrite<char[]>(kPiece);
  uint64_t h = 0;
  while (in.read(piece.get(), kPiece) || in.gcount() > 0)
    h = hashCombine(h, hashBulk({piece.get(), static_cast<size_t>(in.gcount())}));
  return h;
}

bool looksLikeMap(const std::string& name, const std::string& value) {
  constexpr const char* kEndings[] = {".tex",   ".tx",  ".tif", ".tiff", ".exr", ".shd", ".sm",  ".shad", ".env", ".z",
                                      ".zfile", ".png", ".jpg", ".jpeg", ".hdr", ".tdl", ".dsm", ".ptc",  ".bkm"};
  if (value.empty() || value == "raytrace") return false;
  for (const char* ending : kEndings) {
    const std::string_view e(ending);
    if (value.size() > e.size() && value.compare(value.size() - e.size(), e.size(), e) == 0) return true;
  }
  for (const char* word : {"texturename", "shadowname", "mapname", "envname", "slidename", "texname", "reflectionmap"})
    if (name == word) return true;
  return false;
}
}  // namespace

Run::Run(const SessionOptions& flags)
    : options(flags),
      ownDiag(flags.diag ? nullptr : std::make_unique<Diagnostics>()),
      ownParallel(flags.parallel ? nullptr : std::make_unique<Parallel>(availableThreads())),
      diag(flags.diag ? *flags.diag : *ownDiag),
      shaders(libraryOptions(flags, diag)),
      hashing_(flags.parallel ? *flags.parallel : *ownParallel) {
  options.diag = &diag;
  if (ownParallel) options.parallel = ownParallel.get();
}

SearchPaths Run::defaultPaths() const {
  SearchPaths p;
  p.shader = withFlag(options.shaderPath, fromEnvironment("REYES_SHADERS", options.installedShaderFolders));
  p.texture = withFlag(options.texturePath, fromEnvironment("REYES_TEXTURES", {}));
  p.archive = withFlag(options.archivePath, fromEnvironment("REYES_ARCHIVES", {}));
  p.procedural = withFlag(options.proceduralPath, {});
  return p;
}

void Run::notBuilt(const SourceLoc& loc, const std::string& what, const std::string& consequence) {
  if (firstTime("not-built " + what))
    diag.error("not-built", loc, format("{} is not built: {}", what, consequence), Impact::kPicture);
}

void Run::hint(const SourceLoc& loc, const std::string& what) {
  if (!firstTime("hint " + what)) return;
  diag.report({Severity::kDebug, Impact::kNone, "rib-hint", format("{} does not change the picture here", what), loc});
}

bool Run::beginPlay(const SourceLoc& from, int cost) {
  // What a file names itself is bounded by its bytes; what it names through others grows by powers.
  constexpr int kMaxDepth = 64;
  constexpr int64_t kMaxNested = 4'000'000;
  if (playDepth_ >= kMaxDepth) {
    diag.error("rib-archive-depth", from,
               format("archives and objects lie more than {} deep in each other", kMaxDepth));
    return false;
  }
  if (playDepth_ > 0 && nestedPlays_ >= kMaxNested) {
    if (firstTime("nested archives"))
      diag.error("rib-archive-count", from, "archives and objects play others millions of times: the rest is left out");
    return false;
  }
  nestedPlays_ += playDepth_ > 0 ? cost : 0;
  ++playDepth_;
  return true;
}

void Run::readFile(const std::string& path, const SourceLoc& from) {
  if (std::find(openFiles.begin(), openFiles.end(), path) != openFiles.end()) {
    diag.error("rib-archive-recursion", from, format("archive '{}' reads itself", path));
    return;
  }
  openFiles.push_back(path);
  const auto start = std::chrono::steady_clock::now();
  const double before = renderSeconds + shaders.stats().seconds[static_cast<int>(Stage::kCompile)];
  if (path == "-") {
    fromInput = true;
    rib::readRib(std::cin, {Name("<stdin>")}, declarations, *gate, diag);
  } else {
    addHash(path);
    rib::readRibFile(path, declarations, *gate, diag, from, options.parallel);
  }
  // The outermost file counts for its archives too; frames and compiling have their own stages.
  const double others = renderSeconds + shaders.stats().seconds[static_cast<int>(Stage::kCompile)] - before;
  if (openFiles.size() == 1)
    stats.seconds[static_cast<int>(Stage::kParse)] +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() - others;
  openFiles.pop_back();
}

void Run::addHash(const std::string& path) {
  // Archives, which may be many and small, or read while a frame renders, are hashed at once.
  if (openFiles.size() > 1) {
    const uint64_t hash = hashFile(path);
    hash_ = hashCombine(hash_, hash);
    if (!rendering) addRead(hash);
    return;
  }
  hash_ = sceneHash();
  hashing_.run([this, path] { mainHash_ = hashFile(path); });
}

uint64_t Run::sceneHash() {
  hashing_.wait();
  if (mainHash_ != 0) hash_ = hashCombine(hash_, mainHash_), addRead(mainHash_);
  mainHash_ = 0;
  return hash_;
}

uint64_t Run::readHash() {
  sceneHash();
  return readHash_;
}

void Run::readArchive(const std::string& name, const SearchPaths& paths, const SourceLoc& from) {
  const std::string path = findFile(name, folderOf(from.file.str()), paths.archive, paths.dirMap);
  need("archive", name, path, from);
  if (!path.empty()) {
    constexpr int kFileCost = 8;  // opened and read again each time
    if (!beginPlay(from, kFileCost)) return;
    readFile(path, from);
    return endPlay();
  }
  missing = true;
  if (firstTime("archive " + name)) diag.error("rib-archive-missing", from, format("archive '{}' is not found", name));
}

void Run::need(const std::string& kind, const std::string& name, const std::string& path, const SourceLoc& loc) {
  if (!rendering && !path.empty() && (kind == "shader" || kind == "texture")) lookedUp.insert(path);
  if (needs_.insert(kind + "\n" + name).second) dependencies.push_back({kind, name, path, loc});
}

void Run::needMaps(const ParamList& params, const SearchPaths& paths, const SourceLoc& loc) {
  for (const Param& p : params.all())
    for (const std::string& value : p.strings) {
      if (!looksLikeMap(p.spec.name.str(), value)) continue;
      const auto find = [&](const std::string& name) {
        return made.count(name) ? name : findFile(name, folderOf(loc.file.str()), paths.texture, paths.dirMap);
      };
      std::string path = find(value);
      // Of a set of pictures each one that is there.
      for (int udim = 1001; udim <= 1100 && texture::isUdim(value); ++udim) {
        const std::string name = texture::udimName(value, udim), one = find(name);
        if (!one.empty()) need("texture", name, path = one, loc);
      }
      if (texture::isUdim(value) && !path.empty()) continue;
      if (path.empty() && options.checkOnly && firstTime("texture " + value))
        diag.error("texture-missing", loc, format("map '{}' is not found", value));
      if (path.empty()) missing = true;
      need("texture", value, path, loc);
    }
}

std::string withFrameNumber(const std::string& name, int frame) {
  std::string out;
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && name[end] == '#') ++end;
    if (end == i) {
      out += name[i++];
      continue;
    }
    out += format("{:0{}}", frame, end - i);
    i = end;
  }
  return out;
}

}  // namespace reyes::session
