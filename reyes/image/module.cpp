// SPDX-License-Identifier: Apache-2.0
// Finds and loads reyes_oiio.so: beside the program's folder in ../lib, else where it was built.
#include "reyes/image/module.h"

#include <dlfcn.h>

#include <filesystem>

#include "reyes/base/format.h"

namespace reyes::image {
namespace {

struct Module {
  void* handle = nullptr;
  std::string error;
};

Module load() {
  namespace fs = std::filesystem;
  constexpr const char* kFile = "reyes_oiio.so";
  Module m;
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  const fs::path places[] = {program.parent_path() / ".." / "lib" / kFile, fs::path(REYES_MODULE_DIR) / kFile};
  for (const fs::path& path : places) {
    if (!fs::exists(path, ec)) continue;
    m.handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (m.handle) return m;
    const char* why = dlerror();
    m.error = format("cannot load {}: {}", path.lexically_normal().string(), why ? why : "unknown reason");
  }
  if (m.error.empty())
    m.error =
        format("{} is not there, which reads and writes all pictures but EXR", places[0].lexically_normal().string());
  return m;
}

}  // namespace

void* moduleSymbol(const char* name, std::string& error) {
  static const Module module = load();
  if (!module.handle) {
    error = module.error;
    return nullptr;
  }
  void* symbol = dlsym(module.handle, name);
  if (!symbol) error = format("reyes_oiio.so is of another version: it has no {}", name);
  return symbol;
}

}  // namespace reyes::image
