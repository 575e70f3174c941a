// SPDX-License-Identifier: Apache-2.0
#include "reyes/tools/render_flags.h"

#include <algorithm>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/image/image.h"

namespace reyes::tools {
namespace {

using Values = FlagParser::Values;

/// Values to numbers, or what is wrong with them.
std::string numbers(const Values& values, std::vector<float>& out) {
  for (const std::string& v : values) {
    float number = 0;
    if (!parseNumber(v, number)) return format("\"{}\" is no number", v);
    out.push_back(number);
  }
  return {};
}

std::string integers(const Values& values, std::vector<int>& out) {
  for (const std::string& v : values) {
    int number = 0;
    if (!parseInteger(v, number)) return format("\"{}\" is no whole number", v);
    out.push_back(number);
  }
  return {};
}

std::string setThreads(RenderFlags& flags, const Values& v) {
  if (v[0] == "all") {
    flags.threads = 0;
    return {};
  }
  return parseInteger(v[0], flags.threads) ? "" : format("\"{}\" is no number of threads", v[0]);
}

std::string setCrop(RenderFlags& flags, const Values& v) {
  std::vector<float> n;
  if (const std::string wrong = numbers(v, n); !wrong.empty()) return wrong;
  if (n[0] >= n[1] || n[2] >= n[3] || n[0] < 0 || n[1] > 1 || n[2] < 0 || n[3] > 1)
    return "-crop wants x0 x1 y0 y1 within 0 to 1, each first one the smaller";
  for (size_t i = 0; i < 4; ++i) flags.session.crop[i] = n[i];
  return {};
}

std::string setRegion(RenderFlags& flags, const Values& v) {
  std::vector<int> n;
  if (const std::string wrong = integers(v, n); !wrong.empty()) return wrong;
  if (n[0] >= n[2] || n[1] >= n[3]) return "--region wants x0 y0 x1 y1 in pixels, each first one the smaller";
  flags.session.region = PixelRect{n[0], n[1], n[2], n[3]};
  return {};
}

std::string setResolution(RenderFlags& flags, const Values& v) {
  std::vector<int> n;
  if (const std::string wrong = integers(v, n); !wrong.empty()) return wrong;
  if (n[0] < 1 || n[1] < 1) return "-res wants a width and a height above 0";
  flags.session.resolution = {n[0], n[1]};
  return {};
}

std::string setPositive(float& into, const char* name, const Values& v) {
  return parseNumber(v[0], into) && into > 0 ? "" : format("{} wants a number above 0", name);
}

std::string setFrames(RenderFlags& flags, const Values& v) {
  std::vector<int> n;
  if (const std::string wrong = integers(v, n); !wrong.empty()) return wrong;
  if (n[0] > n[1] || int64_t{n[1]} - n[0] > 1'000'000) return "-frames wants a first and a last frame";
  for (int i = n[0]; i <= n[1]; ++i) flags.session.frames.push_back(i);
  return {};
}

std::string setProgress(RenderFlags& flags, const Values& v) {
  constexpr std::pair<const char*, ProgressStyle> kStyles[] = {
      {"auto", ProgressStyle::kAuto},     {"bar", ProgressStyle::kBar},   {"lines", ProgressStyle::kLines},
      {"openjd", ProgressStyle::kOpenJd}, {"none", ProgressStyle::kNone},
  };
  for (const auto& [name, style] : kStyles)
    if (v[0] == name) {
      flags.progress = style;
      return {};
    }
  return "--progress wants auto, bar, lines, openjd or none";
}

FlagParser::Apply progressAs(RenderFlags& flags, ProgressStyle style) {
  return [&flags, style](const Values&) {
    flags.progress = style;
    return std::string();
  };
}

}  // namespace

void addPictureFlags(FlagParser& p, RenderFlags& f) {
  session::SessionOptions& s = f.session;
  p.section("What is rendered (pictures only, never shadow or texture passes)");
  p.add("-frames", "FIRST LAST", "these frames of the file only", [&f](const Values& v) { return setFrames(f, v); });
  p.add("--framelist", "LIST", "frames such as 1-10x2,15", [&s](const Values& v) {
    return parseFrameList(v[0], s.frames) ? std::string() : format("\"{}\" is no list of frames", v[0]);
  });
  p.add("-crop", "X0 X1 Y0 Y1", "crop window, 0 to 1", [&f](const Values& v) { return setCrop(f, v); });
  p.add("--region", "X0 Y0 X1 Y1", "crop in pixels; x1, y1 are one past the last",
        [&f](const Values& v) { return setRegion(f, v); });
  p.add("-res", "W H", "resolution", [&f](const Values& v) { return setResolution(f, v); });
  p.add("--scale", "F", "multiplies the resolution",
        [&s](const Values& v) { return setPositive(s.scale, "--scale", v); });
  p.add("--rate", "F", "multiplies ShadingRate, above 1 for drafts",
        [&s](const Values& v) { return setPositive(s.rate, "--rate", v); });
  p.addText("-o,--output", "FILE", "name of the picture; #### is the frame number", s.output);
  p.addText("--display,-d", "TYPE", "display type of the picture: exr tiff png null ... (its name stays: see -o)",
            s.displayType);
  p.addText("--preview", "FILE", "the picture once more, with the curve of sRGB for the eye: png jpg tif", s.preview);
  p.addList("--option", "'RIB'", "RIB text to run before each WorldBegin", s.optionRib);
}

namespace {
void addRunFlags(FlagParser& p, RenderFlags& f) {
  session::SessionOptions& s = f.session;
  p.section("How");
  p.add("-t,--threads,-p", "N", "threads, also -t:N; -N is all but N (default: all that affinity and quota allow)",
        [&f](const Values& v) { return setThreads(f, v); });
  p.add("--isa", "NAME", "instruction set of the kernels: scalar sse4 avx2 avx512", [&s](const Values& v) {
    return parseIsa(v[0], s.isa) ? std::string() : format("instruction set {} is unknown or not on this machine", v[0]);
  });
  p.add("--memory-limit", "SIZE", "such as 8G; over it the run ends with status 33", [&s](const Values& v) {
    return parseBytes(v[0], s.memoryLimitBytes) ? std::string() : format("\"{}\" is no size", v[0]);
  });
  p.addSwitch("-n", "plan only: say what would be rendered and written", s.planOnly);
  p.addSwitch("--strict", "warnings count as errors", s.strict);
  p.add("--missing", "warn|error", "error: stop before rendering where something is missing", [&s](const Values& v) {
    s.missingIsError = v[0] == "error";
    return v[0] == "error" || v[0] == "warn" ? std::string() : std::string("--missing wants warn or error");
  });
  p.addSwitch("--no-procedurals-exec", "refuse RunProgram, DynamicLoad and DSO shadeops", s.proceduralsExec, false);
  p.add("--checkpoint,-checkpoint", "TIME",
        "keep what is finished in PICTURE.checkpoint so often: 30s 10m 1h; a signal then stops with status 75",
        [&s](const Values& v) {
          return parseTime(v[0], s.checkpoint.seconds) ? std::string()
                                                       : format("\"{}\" is no time (30s, 10m, 1h)", v[0]);
        });
  p.add("-recover,--recover", "0|1", "1: go on from PICTURE.checkpoint where there is one of the same frame",
        [&s](const Values& v) {
          s.checkpoint.recover = v[0] == "1";
          return v[0] == "0" || v[0] == "1" ? std::string() : std::string("-recover wants 0 or 1");
        });
  p.addSwitch("--watch", "render again whenever the scene, an archive, a shader or a texture changes", f.watch);
  p.addNotBuilt("--debug-pixel", "X Y");
}

}  // namespace

void addSearchFlags(FlagParser& p, RenderFlags& f) {
  session::SessionOptions& s = f.session;
  p.section("Where things are (@ the default path, & the previous one, ${VAR} expanded)");
  p.addText("--shaders", "PATH", "shader folders", s.shaderPath);
  p.addText("--textures", "PATH", "texture folders", s.texturePath);
  p.addText("--archives", "PATH", "archive folders", s.archivePath);
  p.addText("--procedurals", "PATH", "folders of procedurals", s.proceduralPath);
  p.addList("-I", "DIR", "include folder for shaders compiled on the fly", s.includePaths);
  p.addList("-D", "NAME[=VALUE]", "define for shaders compiled on the fly", s.defines);
  p.addSwitch("--frozen", "compile no shader on the fly", s.frozen);
  p.addText("-cwd,--cwd", "DIR", "working folder", f.workingFolder);
}

void addLogFlags(FlagParser& p, RenderFlags& f) {
  p.section("What is said");
  p.add("-v,-loglevel", "0..4", "0 errors, 1 warnings, 2 notes (default), 3 hints, 4 all", [&f](const Values& v) {
    return parseInteger(v[0], f.verbosity) && f.verbosity >= 0 && f.verbosity <= 4 ? std::string()
                                                                                   : std::string("-v wants 0 to 4");
  });
  p.add("-q,--quiet", "", "errors only", [&f](const Values&) {
    f.verbosity = 0;
    return std::string();
  });
  p.addText("--logfile", "FILE", "messages go there as well", f.logFile);
  p.add("--log-format", "reyes|prman", "form of messages", [&f](const Values& v) {
    f.logFormat = v[0];
    return v[0] == "reyes" || v[0] == "prman" ? std::string() : std::string("--log-format wants reyes or prman");
  });
}

void addRenderFlags(FlagParser& p, RenderFlags& f) {
  addPictureFlags(p, f);
  addRunFlags(p, f);
  addSearchFlags(p, f);
  addLogFlags(p, f);
  p.add("--progress", "STYLE", "auto bar lines openjd none", [&f](const Values& v) { return setProgress(f, v); });
  p.add("-Progress", "", "as --progress lines (R90000 lines)", progressAs(f, ProgressStyle::kLines));
  p.add("-progress", "", "as --progress bar", progressAs(f, ProgressStyle::kBar));
  p.add("--stats", "FILE", "statistics and messages; JSON where FILE ends in .json, else text", [&f](const Values& v) {
    f.statsFile = v[0];
    return v[0].ends_with(".html") ? std::string("--stats to .html is not built in this version; use .json or .txt")
                                   : std::string();
  });
  p.addSwitch("--version,-version", "print version, instruction sets and libraries", f.version);
  // Emitted by farm tools; nothing here depends on it.
  p.add("-woff", "IDS", "", [](const Values&) { return std::string(); });
}

std::string conflict(const RenderFlags& f) {
  const session::SessionOptions& s = f.session;
  if (f.watch && (s.checkpoint.seconds > 0 || s.checkpoint.recover))
    return "--watch renders again and again: there are no checkpoints of that";
  const auto unknown = [](const std::string& flag, const std::string& name, const char* otherwise) {
    const std::string ending = std::filesystem::path(name).extension().string();
    if (name.empty() || !image::writableFormat(ending).empty()) return std::string();
    return format("{} {}: no picture format is known by {}; give an ending such as .exr .tif .png .jpg{}", flag, name,
                  ending.empty() ? "a name without an ending" : "the ending " + ending, otherwise);
  };
  if (s.displayType.empty())
    if (std::string text = unknown("-o", s.output, ", or --display"); !text.empty()) return text;
  return unknown("--preview", s.preview, "");
}

int threadCount(int flag) {
  const int all = availableThreads();
  return std::max(1, flag > 0 ? flag : all + flag);
}

std::vector<std::string> installedShaderFolders() {
  std::vector<std::string> folders;
  std::error_code error;
  // Beside the program where it is installed, else the source tree it was built in.
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::filesystem::path shared = program.parent_path().parent_path() / "share" / "reyes" / "shaders";
    if (std::filesystem::is_directory(shared, error)) folders.push_back(shared.string());
  }
  if (std::filesystem::is_directory(REYES_SHADER_DIR, error)) folders.push_back(REYES_SHADER_DIR);
  return folders;
}

std::vector<std::string> installedIncludeFolders() {
  std::vector<std::string> folders = installedShaderFolders();
  for (std::string& f : folders) f += "/include";
  return folders;
}

}  // namespace reyes::tools
