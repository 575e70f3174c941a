// SPDX-License-Identifier: Apache-2.0
// SafeFile: a file appears under its name only when complete. Temporaries are listed in a fixed table, so that a signal
// handler can unlink them without taking a lock.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/image/image.h"

namespace reyes::image {
namespace {

namespace fs = std::filesystem;

constexpr int kSlots = 256, kPathBytes = 4096;
enum SlotState { kFree, kFilling, kUsed };
struct Slot {
  std::atomic<int> state{kFree};
  char path[kPathBytes] = {};
};
// The one table of the process: a signal handler has no other way to reach it.
constinit Slot gSlots[kSlots];

void enlist(const std::string& path) {
  if (path.size() >= kPathBytes) return;
  for (Slot& slot : gSlots) {
    int expected = kFree;
    if (!slot.state.compare_exchange_strong(expected, kFilling)) continue;
    std::memcpy(slot.path, path.c_str(), path.size() + 1);
    slot.state.store(kUsed);
    return;
  }
}

void strike(const std::string& path) {
  for (Slot& slot : gSlots) {
    if (slot.state.load() != kUsed || path != slot.path) continue;
    slot.state.store(kFree);
    return;
  }
}

std::string errnoText(int code) { return std::strerror(code); }

/// `NAME.HOST.PID.part`, with a number before `.part` for a second file of that name; always a legal length.
std::string temporaryName(const std::string& name, int attempt) {
  char host[65] = "host";
  gethostname(host, sizeof host - 1);
  std::string suffix = format(".{}.{}", host, getpid());
  if (attempt > 0) suffix += format(".{}", attempt);
  suffix += ".part";
  constexpr size_t kNameMax = 255;
  if (name.size() + suffix.size() <= kNameMax) return name + suffix;
  const std::string hash = format(".{:016x}", hashBytes(name));
  return name.substr(0, kNameMax - suffix.size() - hash.size()) + hash + suffix;
}

/// Makes the folder of a file if only that one is missing.
std::string makeLastFolder(const fs::path& folder) {
  std::error_code ec;
  if (fs::is_directory(folder, ec)) return "";
  if (fs::exists(folder, ec)) return format("{} is not a folder", folder.string());
  if (mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return "";
  const int code = errno;
  if (code == ENOENT) return format("no such folder: {} (only the last folder of a path is made)", folder.string());
  return format("cannot make folder {}: {}", folder.string(), errnoText(code));
}

}  // namespace

std::string SafeFile::open(const std::string& finalPath) {
  if (finalPath.empty()) return "no file name";
  std::error_code ec;
  fs::path path = fs::absolute(finalPath, ec);
  if (ec) path = finalPath;
  // A link keeps pointing where it points: its target is what is replaced.
  if (fs::is_symlink(path, ec)) {
    const fs::path target = fs::weakly_canonical(path, ec);
    if (!ec) path = target;
  }
  if (!path.has_filename() || fs::is_directory(path, ec)) return format("{}: is a folder", finalPath);
  final_ = path.string();
  // Devices and pipes are written in place.
  if (fs::exists(path, ec) && !fs::is_regular_file(path, ec)) {
    temporary_ = final_;
    return "";
  }
  if (std::string text = makeLastFolder(path.parent_path()); !text.empty()) return format("{}: {}", finalPath, text);
  for (int attempt = 0; attempt < 10000; ++attempt) {
    const std::string name = (path.parent_path() / temporaryName(path.filename().string(), attempt)).string();
    const int fd = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) continue;
    if (fd < 0) return format("{}: {}", finalPath, errnoText(errno));
    ::close(fd);
    temporary_ = name;
    enlist(temporary_);
    return "";
  }
  return format("{}: too many unfinished files of this name", finalPath);
}

std::string SafeFile::commit() {
  if (temporary_.empty()) return format("{}: not open", final_);
  if (temporary_ == final_) {
    temporary_.clear();
    return "";
  }
  // The bytes first, then the name: a crash between the two leaves the old file.
  const int fd = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return format("{}: {}", final_, errnoText(errno));
  const int synced = fsync(fd);
  const int code = errno;
  ::close(fd);
  if (synced != 0 && code != EINVAL && code != EROFS) return format("{}: {}", final_, errnoText(code));
  if (std::rename(temporary_.c_str(), final_.c_str()) != 0) return format("{}: {}", final_, errnoText(errno));
  strike(temporary_);
  temporary_.clear();
  const int folder = ::open(fs::path(final_).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    ::close(folder);
  }
  return "";
}

SafeFile::~SafeFile() {
  if (temporary_.empty() || temporary_ == final_) return;
  unlink(temporary_.c_str());
  strike(temporary_);
}

std::string tryToWrite(const std::string& path) {
  SafeFile file;
  return file.open(path);
}

void removeTemporaries() {
  for (Slot& slot : gSlots)
    if (slot.state.load() == kUsed) unlink(slot.path);
}

}  // namespace reyes::image
