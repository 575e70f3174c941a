// SPDX-License-Identifier: Apache-2.0
// Finds and loads reyes_oiio.so: beside the program's folder in ../lib, else where it was built.
#include "reyes/image/module.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "reyes/base/format.h"
#include "reyes/image/module_stamp.h"

namespace reyes::image {
namespace {

struct Module {
  void* handle = nullptr;
  std::string error;
};

/// Why the file cannot be the module of this build, or "". It is read, not asked: nothing of another build, or of half
/// a file, is run.
std::string unfit(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Elf64_Ehdr head{};
  if (bytes.size() >= sizeof head) std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return "is no library";
  // Its sections are listed at its end.
  if (head.e_shoff > bytes.size() || bytes.size() - head.e_shoff < size_t{head.e_shentsize} * head.e_shnum)
    return "is cut short";
  if (bytes.find(kModuleStamp) != std::string::npos) return "";
  return "belongs to another build of Reyes: install the program and its module from one";
}

Module load() {
  namespace fs = std::filesystem;
  constexpr const char* kFile = "reyes_oiio.so";
  Module m;
  std::error_code ec;
  const fs::path program = fs::read_symlink("/proc/self/exe", ec);
  const fs::path places[] = {program.parent_path() / ".." / "lib" / kFile, fs::path(REYES_MODULE_DIR) / kFile};
  for (const fs::path& path : places) {
    if (!fs::exists(path, ec)) continue;
    const std::string name = path.lexically_normal().string();
    if (const std::string why = unfit(name); !why.empty()) {
      m.error = format("{} {}", name, why);
    } else if (m.handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL); !m.handle) {
      const char* reason = dlerror();
      m.error = format("cannot load {}: {}", name, reason ? reason : "unknown reason");
    }
    // The one beside the program counts, good or not.
    return m;
  }
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
