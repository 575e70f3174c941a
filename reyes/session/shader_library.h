// SPDX-License-Identifier: Apache-2.0
// Finds shaders by name: compiled files, sources compiled on the fly, and a cache of those in memory and on disk.
// One a run; called by the scene builder for each shader request.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/stats.h"
#include "reyes/session/search_path.h"
#include "reyes/sl/compiler.h"
#include "reyes/vm/program.h"

namespace reyes::session {

struct ShaderLibraryOptions {
  sl::CompileOptions compile;
  bool frozen = false;      ///< never compile
  std::string cacheFolder;  ///< empty: none on disk
  Diagnostics* diag = nullptr;
};

/// The default cache folder: REYES_CACHE, else the user's cache folder; empty where neither is known.
std::string defaultCacheFolder();

struct FoundShader {
  std::shared_ptr<const vm::Program> program;  ///< null: missing or faulty (already reported unless `missing`)
  std::string path;                            ///< where found
  bool missing = false;                        ///< nowhere on the path
  std::string foreign;                         ///< a compiled shader of another renderer was there instead
};

class ShaderLibrary {
 public:
  explicit ShaderLibrary(const ShaderLibraryOptions& options) : options_(options) {}

  /// Looks in each folder for NAME.slb, then NAME.sl, and last among the shaders that Reyes has inside
  /// (defaultsurface, null). Faults of a file are reported at `loc` once.
  const FoundShader& find(const std::string& name, const Folders& folders, const std::string& namingFolder,
                          const DirMap& map, const SourceLoc& loc);
  /// The default surface; never null unless the compiler itself is broken.
  std::shared_ptr<const vm::Program> defaultSurface();
  const Stats& stats() const { return stats_; }

 private:
  FoundShader search(const std::string& name, const Folders& folders, const std::string& namingFolder,
                     const DirMap& map, const SourceLoc& loc);
  std::shared_ptr<const vm::Program> load(const std::string& slb, const std::string& source, const SourceLoc& loc);
  std::shared_ptr<const vm::Program> compile(const std::string& source, const SourceLoc& loc);
  std::shared_ptr<const vm::Program> builtIn(const std::string& name);
  std::string cacheFile(const std::string& source, uint64_t hash) const;
  void store(const std::string& path, const vm::Program& program) const;

  ShaderLibraryOptions options_;
  Stats stats_;
  std::map<std::string, std::shared_ptr<const vm::Program>> byPath_;
  /// What the last calls found, by name, as long as they looked in the same places: scenes name the same few shaders
  /// for thousands of objects.
  struct Lately {
    std::string namingFolder;
    Folders folders;
    DirMap map;
    std::unordered_map<std::string, FoundShader> found;
  };
  Lately lately_;
  std::map<std::string, FoundShader> found_;  ///< by name and the places that were searched: files stay where they are
};

}  // namespace reyes::session
