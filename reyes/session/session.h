// SPDX-License-Identifier: Apache-2.0
// A run over RIB streams: keeps the graphics state, builds worlds, renders frames and passes in order, makes maps,
// finds and compiles shaders, opens archives. tools/ gives it flags and reads its outcome; nothing else is decided
// there.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reyes/base/diag.h"
#include "reyes/base/isa.h"
#include "reyes/base/parallel.h"
#include "reyes/base/stats.h"
#include "reyes/render/render_frame.h"
#include "reyes/texture/texture_system.h"

namespace reyes::vm {
class Profile;
}

namespace reyes::session {

struct FrameReport;

/// What flags change. Empty optionals leave what the RIB says.
struct SessionOptions {
  Parallel* parallel = nullptr;
  Isa isa = Isa::kSse4;
  Diagnostics* diag = nullptr;
  vm::Profile* profile = nullptr;   ///< times every instruction of shaders
  std::optional<float> crop[4];     ///< 0..1: x0 x1 y0 y1
  std::optional<PixelRect> region;  ///< pixels
  std::optional<std::pair<int, int>> resolution;
  float scale = 1, rate = 1;
  std::string output, displayType;                                   ///< -o, --display: picture displays only
  std::string preview;                                               ///< one more picture, for the eye
  std::vector<std::string> optionRib;                                ///< run before each WorldBegin
  std::string shaderPath, texturePath, archivePath, proceduralPath;  ///< `@` default, `&` previous
  std::vector<std::string> includePaths, defines;                    ///< for shaders compiled on the fly
  std::vector<std::string> installedShaderFolders;
  std::vector<int> frames;      ///< empty: all
  bool checkOnly = false;       ///< `reyes check`: find everything, render nothing
  bool planOnly = false;        ///< -n
  bool frozen = false;          ///< no compiling on the fly
  bool strict = false;          ///< warnings become errors
  bool missingIsError = false;  ///< --missing error: stop before rendering
  bool proceduralsExec = true;
  int64_t memoryLimitBytes = 0;
  std::function<void(int frame, float done)> progress;
  /// Sees every world with each of its views before it renders, also where nothing renders (plan, check).
  std::function<void(const scene::World& world, const scene::View& view)> onWorld;
  /// Told of every frame and pass when its files are written (or would be), in order.
  std::function<void(const FrameReport& report)> onFrame;
  std::function<bool()> stop;
  render::CheckpointOptions checkpoint;  ///< of pictures, not of passes; its words are the session's
  /// Called after a message about a shader source, with the source line and what led there.
  std::function<void(const Diagnostic& d, const std::vector<std::string>& lines)> explain;
};

/// One thing a scene needs or makes, for `reyes check --deps`.
struct Dependency {
  std::string kind;  ///< shader texture archive procedural output
  std::string name;  ///< as the scene gives it
  std::string path;  ///< where found; empty if missing
  SourceLoc loc;
};

struct FrameReport {
  int frame = 0;
  std::string sceneFile;
  render::RenderResult result;
  int width = 0, height = 0;         ///< pixels rendered: the crop's
  std::vector<std::string> outputs;  ///< file names of the displays, also where nothing is rendered
  bool isPass = false;               ///< a shadow or depth pass, not a picture
};

class Session {
 public:
  explicit Session(const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Several files are one stream, in order. "-" is standard input.
  void run(const std::vector<std::string>& files);
  /// RIB text instead of files; `name` stands for the file in messages. For tests and small scenes.
  void runText(const std::string& rib, const std::string& name);
  const std::vector<FrameReport>& frames() const;
  const std::vector<Dependency>& dependencies() const;
  /// SessionOptions::stop left something undone.
  bool stopped() const;
  const Stats& stats() const;
  /// All zero where no texture was looked up.
  texture::TextureStats textureStats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace reyes::session
