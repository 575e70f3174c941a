// SPDX-License-Identifier: Apache-2.0
// `reyes shade`: a picture of one shader on a rectangle or a sphere under stated lights, for shader authors.
// It writes a small RIB scene and renders it, so that the picture is what a frame would show.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/session/session.h"
#include "reyes/sl/compiler.h"
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"
#include "reyes/tools/log.h"
#include "reyes/tools/render_flags.h"
#include "reyes/tools/watch.h"
#include "reyes/vm/profile.h"
#include "reyes/vm/program.h"

namespace reyes::tools {
namespace {
constexpr const char* kHelp = R"(usage: reyes shade SHADER [flags]

Renders SHADER (NAME, NAME.sl or NAME.slb) on a unit square seen from the front, or on a sphere.
Default lights: ambientlight 0.1, and a distantlight of intensity 1 from the upper left behind the camera.
A displacement goes on matte; a volume or imager stands before a plastic sphere; a light shines alone on matte,
and its own space lies 2 units in front, so that one at the origin is outside the sphere. A .slb that is named with
its extension is used as it is, though a source beside it may have changed.

  --set NAME=VALUE   a parameter: numbers separated by commas or blanks, or text (repeatable)
  --sphere           a sphere instead of the square
  -o FILE            picture to write (default SHADER.png in the working folder)
  -res W H           resolution (default 256 256)
  --samples N        N x N samples a pixel (default 4)
  --bound R          displacement bound of a displacement shader (default: found by itself)
  --no-lights        without the default lights
  -I DIR, -D NAME[=VALUE]   for shaders compiled on the fly
  -t:N               threads
  --profile          print where the shaders' time goes: operations, then the source with time beside each line
  --watch            render again whenever the shader or a header of it changes, until interrupted

examples:
  reyes shade plastic --sphere --set Ks=0.8 --set roughness=0.05
  reyes shade wood.sl --set ringscale=20 -res 512 512 -o wood.exr
)";

struct Flags {
  std::string shader, output;
  std::vector<std::pair<std::string, std::string>> set;
  bool sphere = false, lights = true, profile = false, watch = false;
  int width = 256, height = 256, samples = 4, threads = 0;
  float bound = 0;
  std::vector<std::string> includes, defines;
};

/// Empty, or what is wrong with the flags.
std::string parse(int argc, char** argv, Flags& f) {
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const auto next = [&]() -> std::string { return i + 1 < argc ? argv[++i] : ""; };
    if (a == "--set") {
      const std::string v = next();
      const size_t eq = v.find('=');
      if (eq == std::string::npos || eq == 0) return "--set wants NAME=VALUE, not \"" + v + "\"";
      f.set.emplace_back(v.substr(0, eq), v.substr(eq + 1));
    } else if (a == "--sphere") {
      f.sphere = true;
    } else if (a == "--no-lights") {
      f.lights = false;
    } else if (a == "-o") {
      f.output = next();
    } else if (a == "-res") {
      f.width = std::atoi(next().c_str());
      f.height = std::atoi(next().c_str());
      if (f.width < 1 || f.height < 1 || f.width > 16384 || f.height > 16384)
        return "-res wants two numbers, 1 to 16384";
    } else if (a == "--samples") {
      f.samples = std::atoi(next().c_str());
      if (f.samples < 1 || f.samples > 64) return "--samples wants a number from 1 to 64";
    } else if (a == "--bound") {
      if (!parseNumber(next(), f.bound)) return "--bound wants a number";
    } else if (a.rfind("-t:", 0) == 0) {
      f.threads = std::atoi(a.c_str() + 3);
    } else if (a.rfind("-I", 0) == 0) {
      f.includes.push_back(a.size() > 2 ? a.substr(2) : next());
    } else if (a.rfind("-D", 0) == 0) {
      f.defines.push_back(a.size() > 2 ? a.substr(2) : next());
    } else if (a == "--watch") {
      f.watch = true;
    } else if (a == "--profile") {
      f.profile = true;
    } else if (a[0] == '-') {
      return "unknown flag " + a + " (see reyes shade --help)";
    } else if (f.shader.empty()) {
      f.shader = a;
    } else {
      return "one shader at a time: \"" + f.shader + "\" and \"" + a + "\"";
    }
  }
  return f.shader.empty() ? "which shader? (see reyes shade --help)" : "";
}

std::string quoted(const std::string& s) {
  std::string r = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') r += '\\';
    r += c;
  }
  return r + "\"";
}

/// ` "name" [values]`; numbers where the text is numbers only.
std::string parameter(const std::string& name, const std::string& value) {
  std::string numbers = value;
  bool text = value.empty();
  for (char& c : numbers) {
    if (c == ',') c = ' ';
    text = text || !(std::isdigit(static_cast<unsigned char>(c)) ||
                     std::string_view(" +-.eE").find(c) != std::string_view::npos);
  }
  return " " + quoted(name) + (text ? " [" + quoted(value) + "]" : " [" + numbers + "]");
}

std::string shaderRequest(const char* request, const Flags& f, const std::string& name) {
  std::string r = std::string(request) + " " + quoted(name);
  if (std::string_view(request) == "LightSource") r += " 9";
  for (const auto& [n, v] : f.set) r += parameter(n, v);
  return r + "\n";
}

std::string scene(const Flags& f, vm::ShaderType type, const std::string& name, const std::string& folder) {
  using enum vm::ShaderType;
  std::string r = format("Option \"searchpath\" \"string shader\" [{}]\n", quoted(folder + ":@"));
  r += format("Format {} {} 1\nPixelSamples {} {}\nShadingRate 1\n", f.width, f.height, f.samples, f.samples);
  r += format("Display {} {} \"rgba\"\n", quoted(f.output), quoted("file"));
  r += "Projection \"orthographic\"\nScreenWindow -1 1 -1 1\nClipping 0.1 100\nTranslate 0 0 5\n";
  if (type == kImager) r += shaderRequest("Imager", f, name);
  r += "WorldBegin\n";
  if (type == kLight) {
    r += "TransformBegin\nTranslate 0 0 -2\n" + shaderRequest("LightSource", f, name) + "TransformEnd\n";
  } else if (f.lights) {
    r += "LightSource \"ambientlight\" 1 \"intensity\" [0.1]\n";
    r += "LightSource \"distantlight\" 2 \"intensity\" [1] \"from\" [-1 1 -2] \"to\" [0 0 0]\n";
  }
  if (type == kVolume) r += shaderRequest("Atmosphere", f, name);
  if (type == kSurface)
    r += shaderRequest("Surface", f, name);
  else
    r += type == kDisplacement || type == kLight ? "Surface \"matte\"\n" : "Surface \"plastic\"\nColor [0.8 0.3 0.2]\n";
  if (type == kDisplacement) {
    if (f.bound > 0)
      r += format("Attribute \"displacementbound\" \"float sphere\" [{}] \"string coordinatesystem\" [\"shader\"]\n",
                  f.bound);
    r += shaderRequest("Displacement", f, name);
  }
  const bool sphere = f.sphere || type == kVolume || type == kImager;
  r += sphere ? "Rotate -90 1 0 0\nSphere 0.9 -0.9 0.9 360\n"
              : "Patch \"bilinear\" \"P\" [-1 1 0  1 1 0  -1 -1 0  1 -1 0]\n";
  return r + "WorldEnd\n";
}

/// Finds out what kind of shader it is by compiling or loading it where it lies; surface where session/ must find it.
vm::ShaderType shaderType(const Flags& f, const std::string& path, Diagnostics& diag,
                          const decltype(sl::CompileOptions::explain)& explain, bool& ok) {
  std::shared_ptr<const vm::Program> program;
  ok = true;
  if (path.empty()) return vm::ShaderType::kSurface;
  if (std::filesystem::path(path).extension() == ".slb") {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    std::string error;
    program = vm::deserialize(bytes, error);
    if (!program) diag.error("slb-invalid", {Name(path)}, error, Impact::kInput);
  } else {
    sl::CompileOptions options;
    options.includePaths = f.includes;
    for (const std::string& folder : installedIncludeFolders()) options.includePaths.push_back(folder);
    options.defines = f.defines;
    options.explain = explain;
    program = sl::compileFile(path, options, diag).program;
  }
  ok = program != nullptr;
  return ok ? program->type : vm::ShaderType::kSurface;
}

/// The file a shader argument means: itself, with .slb or .sl, here or in the installed folder; empty if none.
std::string findShader(const std::string& argument) {
  for (const std::string& folder : {std::string(), std::string(REYES_SHADER_DIR "/")})
    for (const char* extension : {"", ".slb", ".sl"}) {
      const std::string path = folder + argument + extension;
      std::error_code ec;
      if (std::filesystem::is_regular_file(path, ec)) return path;
    }
  return {};
}

/// Renders the picture once; the exit status.
int shadeOnce(const Flags& f, const std::string& path, Parallel& parallel) {
  Log log;
  Diagnostics diag;
  log.attach(diag, 2, false);
  const auto explain = [&log](const Diagnostic& d, const std::vector<std::string>& lines) { log.explain(d, lines); };
  bool ok = true;
  const vm::ShaderType type = shaderType(f, path, diag, explain, ok);
  if (!ok) return kExitInput;
  const std::filesystem::path file = std::filesystem::absolute(path);
  const std::string name = file.stem().string();
  const bool exact = std::filesystem::path(f.shader).extension() == ".slb";
  session::SessionOptions options;
  options.parallel = &parallel;
  options.isa = bestIsa();
  options.diag = &diag;
  options.explain = explain;
  options.includePaths = f.includes;
  options.defines = f.defines;
  options.installedShaderFolders = installedShaderFolders();
  vm::Profile profile;
  if (f.profile) options.profile = &profile;
  session::Session session(options);
  session.runText(scene(f, type, exact ? name + ".slb" : name, file.parent_path().string()), "preview");
  for (const session::FrameReport& frame : session.frames())
    for (const std::string& written : frame.result.files)
      std::fputs(
          format("wrote {} ({} x {}, {:.2f} s)\n", written, frame.width, frame.height, frame.result.seconds).c_str(),
          stdout);
  if (f.profile) std::fputs(vm::profileText(profile).c_str(), stdout);
  diag.printRepeats();
  return exitStatus(diag);
}

/// What the picture is made from: the shader's source and headers, or the bytes of a compiled one.
uint64_t contentHash(const Flags& f, const std::string& path) {
  if (std::filesystem::path(path).extension() == ".slb") {
    std::ifstream in(path, std::ios::binary);
    return hashBytes(std::string((std::istreambuf_iterator<char>(in)), {}));
  }
  sl::CompileOptions options;
  options.includePaths = f.includes;
  for (const std::string& folder : installedIncludeFolders()) options.includePaths.push_back(folder);
  options.defines = f.defines;
  return sl::dependencyHash(path, options);
}

}  // namespace

int runShade(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--help" || std::string_view(argv[i]) == "-h") {
      std::fputs(kHelp, stdout);
      return kExitOk;
    }
  Flags f;
  if (const std::string wrong = parse(argc, argv, f); !wrong.empty()) {
    std::fprintf(stderr, "reyes shade: %s\n", wrong.c_str());
    return kExitUsage;
  }
  const std::string path = findShader(f.shader);
  if (path.empty()) {
    Diagnostics diag;
    diag.error("shader-missing", {}, format("no shader \"{}\" here or among the installed ones", f.shader),
               Impact::kInput);
    return exitStatus(diag);
  }
  if (f.output.empty()) f.output = std::filesystem::path(path).stem().string() + ".png";
  Parallel parallel(f.threads > 0 ? f.threads : availableThreads());
  const int status = shadeOnce(f, path, parallel);
  if (f.watch) watchFor([&] { return contentHash(f, path); }, [&] { shadeOnce(f, path, parallel); });
  return status;
}

}  // namespace reyes::tools
