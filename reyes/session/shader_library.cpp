// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/shader_library.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/image/image.h"

namespace reyes::session {
namespace {
constexpr const char* kForeign[] = {".slo", ".sdl", ".slx", ".slc", ".slb2", ".so", ".oso"};

/// The surface of objects that were given none: lit from the eye.
constexpr const char* kDefaultSurface =
    "surface defaultsurface(float Kd = 0.8, Ka = 0.2) {\n"
    "  float facing = normalize(N) . normalize(I);\n"
    "  Oi = Os;\n"
    "  Ci = Os * Cs * (Ka + Kd * facing * facing);\n"
    "}\n";
constexpr const char* kNull = "surface null() {\n  Ci = 0;\n  Oi = 0;\n}\n";

bool readFile(const std::string& path, std::string& bytes) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  bytes.assign(std::istreambuf_iterator<char>(in), {});
  return !in.bad();
}

std::string withoutExtension(const std::string& name) {
  for (const char* ext : {".slb", ".sl", ".slo", ".sdl", ".slx"}) {
    const std::string_view e(ext);
    if (name.size() > e.size() && name.compare(name.size() - e.size(), e.size(), e) == 0)
      return name.substr(0, name.size() - e.size());
  }
  return name;
}
}  // namespace

std::string defaultCacheFolder() {
  if (const char* own = std::getenv("REYES_CACHE")) return own;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) return joinPath(xdg, "reyes");
  if (const char* home = std::getenv("HOME"); home && *home) return joinPath(home, ".cache/reyes");
  return "";
}

const FoundShader& ShaderLibrary::find(const std::string& name, const Folders& folders, const std::string& namingFolder,
                                       const DirMap& map, const SourceLoc& loc) {
  if (lately_.namingFolder != namingFolder || lately_.folders != folders || lately_.map != map)
    lately_ = {namingFolder, folders, map, {}};
  FoundShader& found = lately_.found[name];
  // Files stay where they are; one that is missing may be made by then.
  if (!found.program) found = search(name, folders, namingFolder, map, loc);
  return found;
}

FoundShader ShaderLibrary::search(const std::string& name, const Folders& folders, const std::string& namingFolder,
                                  const DirMap& map, const SourceLoc& loc) {
  const std::string mappedName = map.apply(name), base = withoutExtension(mappedName);
  // Who names the compiled file itself means that file, whatever the source beside it says.
  const bool exact = std::filesystem::path(mappedName).extension() == ".slb";
  // The working folder and the folder of the file come first, then the path; an absolute name stands alone.
  Folders places = {""};
  if (!isAbsolute(base)) {
    if (!namingFolder.empty()) places.push_back(namingFolder);
    for (const std::string& folder : folders) {
      const std::string mapped = map.apply(folder);
      places.push_back(mapped);
      if (!isAbsolute(mapped) && !namingFolder.empty()) places.push_back(joinPath(namingFolder, mapped));
    }
  }
  // Scenes name the same shaders thousands of times; the disk is asked once.
  std::string key = base + (exact ? ".slb" : "");
  for (const std::string& place : places) key += "\n" + place;
  if (const auto known = found_.find(key); known != found_.end()) return known->second;
  FoundShader found;
  for (const std::string& place : places) {
    const std::string path = joinPath(place, base);
    const bool compiled = fileExists(path + ".slb"), source = fileExists(path + ".sl") && !(compiled && exact);
    if (compiled || source) {
      found.path = path + (compiled ? ".slb" : ".sl");
      found.program = load(compiled ? path + ".slb" : "", source ? path + ".sl" : "", loc);
      if (found.program) found_.emplace(key, found);
      return found;
    }
    for (const char* ext : kForeign)
      if (found.foreign.empty() && fileExists(path + ext)) found.foreign = path + ext;
  }
  found.program = builtIn(base);
  if (found.program) found.path = "<built in>";
  found.missing = !found.program;
  return found;
}

std::shared_ptr<const vm::Program> ShaderLibrary::load(const std::string& slb, const std::string& source,
                                                       const SourceLoc& loc) {
  const std::string key = slb + "\n" + source;
  if (const auto it = byPath_.find(key); it != byPath_.end()) return it->second;
  std::shared_ptr<const vm::Program> program;
  if (!slb.empty()) {
    std::string bytes, error;
    if (!readFile(slb, bytes))
      error = "cannot be read";
    else
      program = vm::deserialize(bytes, error);
    // A source beside it that has changed since wins; without the right to compile the old one stays.
    const bool stale = program && !source.empty() && !options_.frozen &&
                       sl::dependencyHash(source, options_.compile) != program->sourceHash;
    if (stale || (!program && !source.empty() && !options_.frozen))
      program = compile(source, loc);
    else if (!program)
      options_.diag->error("shader-bad-file", loc, format("compiled shader '{}': {}", slb, error));
  } else if (options_.frozen) {
    options_.diag->error("shader-frozen", loc,
                         format("shader '{}' exists as source only, and compiling is forbidden", source));
  } else {
    program = compile(source, loc);
  }
  byPath_[key] = program;
  return program;
}

std::shared_ptr<const vm::Program> ShaderLibrary::compile(const std::string& source, const SourceLoc& loc) {
  const StageTimer timer(stats_, Stage::kCompile);
  const std::string cached = cacheFile(source, sl::dependencyHash(source, options_.compile));
  std::string bytes, error;
  if (!cached.empty() && readFile(cached, bytes))
    if (auto program = vm::deserialize(bytes, error)) return program;
  // A shader that cannot be compiled is a shader that is missing: the scene itself was understood, and is drawn.
  Diagnostics messages;
  messages.setPrinter(nullptr);
  sl::CompileOptions options = options_.compile;
  std::map<std::string, std::vector<std::string>> explained;
  options.explain = [&](const Diagnostic& d, const std::vector<std::string>& lines) {
    explained[Diagnostics::format(d)] = lines;
  };
  const sl::CompileResult result = sl::compileFile(source, options, messages);
  for (Diagnostic& d : messages.all()) {
    if (d.impact == Impact::kInput) d.impact = Impact::kPicture;
    options_.diag->report(d);
    if (options_.compile.explain) options_.compile.explain(d, explained[Diagnostics::format(d)]);
  }
  if (!result.program)
    options_.diag->error("shader-compile-failed", loc, format("shader source '{}' could not be compiled", source));
  else if (!cached.empty())
    store(cached, *result.program);
  return result.program;
}

std::string ShaderLibrary::cacheFile(const std::string& source, uint64_t hash) const {
  if (options_.cacheFolder.empty() || hash == 0) return "";
  // The path is part of the key because messages name it.
  return joinPath(options_.cacheFolder,
                  format("shaders/{}-{:016x}.slb", stemOf(source), hashCombine(hash, hashBytes(source))));
}

void ShaderLibrary::store(const std::string& path, const vm::Program& program) const {
  // A cache that cannot be written is not worth a word: the shader is compiled again next time.
  const std::string folder = folderOf(path);
  for (size_t slash = 1; slash != std::string::npos; slash = folder.find('/', slash + 1))
    mkdir(folder.substr(0, slash).c_str(), 0777);
  mkdir(folder.c_str(), 0777);
  image::SafeFile file;
  if (!file.open(path).empty()) return;
  std::ofstream out(file.temporaryPath(), std::ios::binary);
  out << vm::serialize(program);
  out.close();
  if (out) file.commit();
}

std::shared_ptr<const vm::Program> ShaderLibrary::builtIn(const std::string& name) {
  const char* source = name == "defaultsurface" ? kDefaultSurface : name == "null" ? kNull : nullptr;
  if (!source) return nullptr;
  const std::string key = "<" + name + ">";
  if (const auto it = byPath_.find(key); it != byPath_.end()) return it->second;
  sl::CompileOptions options;
  options.sourceName = Name(key);
  return byPath_[key] = sl::compileString(source, options, *options_.diag).program;
}

std::shared_ptr<const vm::Program> ShaderLibrary::defaultSurface() { return builtIn("defaultsurface"); }

}  // namespace reyes::session
