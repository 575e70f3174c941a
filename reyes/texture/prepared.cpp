// SPDX-License-Identifier: Apache-2.0
#include "reyes/texture/prepared.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"
#include "reyes/image/image.h"
#include "reyes/texture/make_maps.h"

namespace reyes::texture {
namespace {

namespace fs = std::filesystem;

/// Another number here makes every map anew.
constexpr uint64_t kMapVersion = 2;

/// Four sums over words in turn, mixed into two at the end: a gigabyte takes less than half a second.
class ContentHash {
 public:
  void add(const char* bytes, size_t n) {
    count_ += n;
    for (; n >= 32; bytes += 32, n -= 32)
      for (int k = 0; k < 4; ++k) step(k, bytes + 8 * k, 8);
    for (int k = 0; n > 0; ++k) {
      const size_t part = n < 8 ? n : 8;
      step(k, bytes, part);
      bytes += part, n -= part;
    }
  }
  std::string text() const {
    const uint64_t seed = hashCombine(count_, kMapVersion);
    const uint64_t a = hashCombine(hashCombine(seed, sum_[0]), sum_[1], hashCombine(sum_[2], sum_[3]));
    const uint64_t b = hashCombine(hashCombine(~seed, sum_[3]), sum_[2], hashCombine(sum_[1], sum_[0]));
    return format("{:016x}{:016x}", a, b);
  }

 private:
  void step(int k, const char* bytes, size_t n) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, n);
    sum_[k] = std::rotl(sum_[k] ^ (word * 0x9fb21c651e98df25ull), 29) * 0xd6e8feb86659fd93ull + n;
  }
  uint64_t sum_[4] = {0x243f6a8885a308d3ull, 0x13198a2e03707344ull, 0xa4093822299f31d0ull, 0x082efa98ec4e6c89ull};
  uint64_t count_ = 0;
};

std::string hashFile(const std::string& path, std::string& error) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  if (!file) return error = format("{}", std::strerror(errno)), "";
  std::vector<char> block(size_t{1} << 20);
  ContentHash hash;
  while (const size_t n = std::fread(block.data(), 1, block.size(), file)) hash.add(block.data(), n);
  if (std::ferror(file)) error = "cannot be read";
  std::fclose(file);
  return hash.text();
}

/// Held while a map is made, by one process on whatever machine; given back when the process ends, however it does.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path) : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {}
  ~FolderLock() {
    if (fd_ >= 0) close(fd_);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  /// True once it is held, or where locks do not work: then whoever comes makes a map of its own.
  bool take() {
    if (fd_ < 0) return true;
    return flock(fd_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
  }

 private:
  int fd_;
};

bool exists(const std::string& path) {
  std::error_code ec;
  return fs::is_regular_file(path, ec);
}

}  // namespace

PreparedMaps::~PreparedMaps() {
  std::error_code ec;
  if (!temporary_.empty()) fs::remove_all(temporary_, ec);
}

/// Error text or "".
std::string PreparedMaps::make(const std::string& picture, const std::string& folder, const std::string& name,
                               int threads, bool again, PreparedCopy& copy) {
  std::error_code ec;
  fs::create_directories(folder, ec);
  const std::string path = (fs::path(folder) / (name + ".tx")).string();
  FolderLock lock((fs::path(folder) / format("lock-{}", name.substr(0, 2))).string());
  // Who waits longer than any map takes does without the lock: the file is renamed into place either way.
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + std::chrono::minutes(10); !lock.take() && Clock::now() < end;) {
    if (!again && exists(path)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (!again && exists(path)) {
    copy.path = path;
    return "";
  }
  MapOptions options;
  options.threads = threads;
  if (std::string error = makeTexture(picture, path, options); !error.empty()) return error;
  copy.path = path, copy.made = true;
  return "";
}

PreparedCopy PreparedMaps::find(const std::string& picture, const std::string& cacheFolder, int threads, bool again) {
  PreparedCopy copy;
  const std::string name = hashFile(picture, copy.error);
  if (!copy.error.empty()) return copy;
  // One at a time: the maker uses all threads itself, and two names may be one content.
  const std::lock_guard lock(mutex_);
  if (!cacheFolder.empty()) {
    const std::string folder = (fs::path(cacheFolder) / "textures").string();
    if (exists((fs::path(folder) / (name + ".tx")).string()) && !again) {
      copy.path = (fs::path(folder) / (name + ".tx")).string();
      return copy;
    }
    std::string failed = make(picture, folder, name, threads, again, copy);
    if (failed.empty()) return copy;
    // A picture that cannot be read fails everywhere; its own name stands before the reason already.
    if (access(folder.c_str(), W_OK) == 0) {
      copy.error = failed.starts_with(picture + ": ") ? failed.substr(picture.size() + 2) : failed;
      return copy;
    }
  }
  if (temporary_.empty()) {
    std::error_code ec;
    std::string pattern = (fs::temp_directory_path(ec) / "reyes-textures-XXXXXX").string();
    if (!mkdtemp(pattern.data())) return copy.error = "there is no folder to make a map in", copy;
    temporary_ = pattern;
  }
  copy.lasting = false;
  const std::string failed = make(picture, temporary_, name, threads, again, copy);
  copy.error = failed.starts_with(picture + ": ") ? failed.substr(picture.size() + 2) : failed;
  return copy;
}

}  // namespace reyes::texture
