// SPDX-License-Identifier: Apache-2.0
// What all parts of a session share: flags, diagnostics, declarations, shaders, maps, and the record of what was needed
// and made. Owned by Session; the gate, the scene builder and the frame runner hold a reference.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "reyes/base/hash.h"
#include "reyes/geom/subdiv_cache.h"
#include "reyes/rib/reader.h"
#include "reyes/rib/recorder.h"
#include "reyes/session/program_pipe.h"
#include "reyes/session/session.h"
#include "reyes/session/shader_library.h"
#include "reyes/session/state.h"
#include "reyes/texture/texture_system.h"

namespace reyes::session {

/// A frame whose files are written, and which of the run's messages were its own.
struct WholeFrame {
  std::string checkpoint, words;
  size_t firstMessage = 0, lastMessage = 0;
};

struct Run {
  explicit Run(const SessionOptions& flags);

  SessionOptions options;
  std::unique_ptr<Diagnostics> ownDiag;  ///< where the caller gave none
  std::unique_ptr<Parallel> ownParallel;
  Diagnostics& diag;
  rib::Declarations declarations;
  ShaderLibrary shaders;
  geom::SubdivCache subdivCache;                     ///< meshes with the same topology share it
  std::unique_ptr<texture::TextureSystem> textures;  ///< made by the first world that renders
  std::vector<Dependency> dependencies;
  std::vector<FrameReport> frames;
  Stats stats;
  double renderSeconds = 0;            ///< spent in frames while a file was being read
  rib::Ri* gate = nullptr;             ///< where archives are read to
  std::string mainFile;                ///< the file of the stream that is being read
  std::vector<std::string> openFiles;  ///< it and the archives that led here
  int worldCount = 0;
  std::map<std::string, std::shared_ptr<rib::Recording>> inlineArchives;  ///< of ArchiveBegin
  std::map<std::string, std::unique_ptr<ProgramPipe>> programs;           ///< of RunProgram, by command line
  std::mutex expanding;            ///< held by whoever makes a procedural's content while a frame renders
  bool rendering = false;          ///< a frame renders: what is read now is read when buckets ask for it
  bool stopped = false;            ///< options.stop left something undone
  bool fromInput = false;          ///< some of the scene came through standard input
  std::set<std::string> lookedUp;  ///< shaders and maps that the scene named before any frame asked for one
  std::vector<WholeFrame> whole;   ///< where checkpoints are wanted
  bool missing = false;            ///< something that the scene names is nowhere
  std::set<std::string> pictures;  ///< picture files of this run so far
  std::set<std::string> made;      ///< every file that this run made or would have made

  SearchPaths defaultPaths() const;  ///< flags, environment, installed folders
  /// An Error, once a name: `what` changes the picture and is not built.
  void notBuilt(const SourceLoc& loc, const std::string& what, const std::string& consequence);
  /// A message for -v 3, once a name.
  void hint(const SourceLoc& loc, const std::string& what);
  /// True the first time that this text is said.
  bool firstTime(const std::string& text) { return said_.insert(text).second; }

  /// An archive or an object begins to be played (endPlay() after it). False, with an Error, where they lie too deep
  /// in each other, or where those inside others have become so many that no scene is meant.
  bool beginPlay(const SourceLoc& from, int cost = 1);
  void endPlay() { --playDepth_; }

  /// Reads a RIB file into the gate. Guards against archives that read themselves.
  void readFile(const std::string& path, const SourceLoc& from);
  /// Hash of the bytes of all files so far; that of a scene file is made on another thread while the file is read.
  uint64_t sceneHash();
  /// As sceneHash(), without files that frames read while they render, in an order that may change: for checkpoints.
  uint64_t readHash();
  void addRead(uint64_t hash) { readHash_ = hashCombine(readHash_, hash); }
  /// Asks options.stop, and notes its yes.
  bool stops() { return stopped = stopped || (options.stop && options.stop()); }
  /// Finds and reads an archive by the search rules.
  void readArchive(const std::string& name, const SearchPaths& paths, const SourceLoc& from);
  /// Notes a need (once a kind and name).
  void need(const std::string& kind, const std::string& name, const std::string& path, const SourceLoc& loc);
  /// Notes the maps that string parameters of a shader name.
  void needMaps(const ParamList& params, const SearchPaths& paths, const SourceLoc& loc);

 private:
  void addHash(const std::string& path);

  std::set<std::string> said_;
  std::set<std::string> needs_;
  int playDepth_ = 0;        ///< archives and objects that are being played, each inside the one before
  int64_t nestedPlays_ = 0;  ///< so many were played inside others
  uint64_t readHash_ = 0;    ///< as hash_, for readHash()
  uint64_t hash_ = 0;        ///< of the files so far, but for the one below
  uint64_t mainHash_ = 0;    ///< of the last scene file, once hashing_ is done; 0: none
  TaskGroup hashing_;        ///< after what its task writes to
};

/// `####` in a file name becomes the frame number, padded to that many digits.
std::string withFrameNumber(const std::string& name, int frame);

}  // namespace reyes::session
