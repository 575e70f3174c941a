// SPDX-License-Identifier: Apache-2.0
#include "reyes/render/checkpoint_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"

namespace reyes::render {
namespace {

constexpr std::string_view kMagic = "reyes checkpoint 1\n";
constexpr uint32_t kMostWords = 1 << 20;                     ///< bytes
constexpr uint64_t kMostRecord = uint64_t(4) << 30;          ///< bytes
constexpr size_t kSpill = 4 << 20, kMostWaiting = 64 << 20;  ///< bytes

struct RecordHead {
  uint32_t kind, index;
  uint64_t bytes, hash;
};

uint64_t hashOf(uint32_t kind, uint32_t index, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return hashCombine(hashBulk(text), kind, index);
}

template <class T>
std::string_view bytesAs(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

CheckpointWriter::CheckpointWriter(std::string path, const std::string& words) : path_(std::move(path)) {
  std::string head(kMagic);
  head += bytesAs(static_cast<uint32_t>(words.size()));
  head += words;
  head += bytesAs(hashBulk(words));
  append(waiting_, std::as_bytes(std::span(head)));
}

CheckpointWriter::~CheckpointWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void CheckpointWriter::add(RecordKind kind, uint32_t index, std::span<const std::byte> bytes) {
  if (bytes.size() > kMostRecord) return;
  const auto k = static_cast<uint32_t>(kind);
  const RecordHead head{k, index, bytes.size(), hashOf(k, index, bytes)};
  const std::lock_guard lock(mutex_);
  // After a fault only save() tries again; the head of the file must not be lost.
  if (failed_ && waiting_.size() + bytes.size() > kMostWaiting) return;
  append(waiting_, std::as_bytes(std::span(&head, 1)));
  append(waiting_, bytes);
  if (waiting_.size() > kSpill && !failed_) write();
}

std::string CheckpointWriter::open() {
  if (fd_ >= 0) return "";
  if (std::string text = file_.open(path_); !text.empty()) return text;
  fd_ = ::open(file_.temporaryPath().c_str(), O_WRONLY | O_CLOEXEC);
  return fd_ >= 0 ? "" : format("{}: {}", path_, std::strerror(errno));
}

std::string CheckpointWriter::write() {
  failed_ = true;
  if (std::string text = open(); !text.empty()) return text;
  for (size_t done = 0; done < waiting_.size();) {
    const ssize_t n = ::pwrite(fd_, waiting_.data() + done, waiting_.size() - done, static_cast<off_t>(good_ + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      const std::string text = format("{}: {}", path_, std::strerror(n < 0 ? errno : ENOSPC));
      // Half a record goes; what is before it stays good.
      if (::ftruncate(fd_, static_cast<off_t>(good_)) != 0) return text + ", and it cannot be shortened";
      return text;
    }
    done += static_cast<size_t>(n);
  }
  good_ += waiting_.size();
  waiting_.clear();
  failed_ = false;
  return "";
}

std::string CheckpointWriter::save() {
  const std::lock_guard saving(saving_);
  {
    const std::lock_guard lock(mutex_);
    if (std::string text = write(); !text.empty()) return text;
  }
  // Workers go on adding while the disk takes its time.
  if (published_) return ::fdatasync(fd_) == 0 ? "" : format("{}: {}", path_, std::strerror(errno));
  std::string text = file_.commit();
  published_ = text.empty();
  return text;
}

CheckpointReader::Found CheckpointReader::open(const std::string& path, const std::string& words) {
  // 1. A file of a sensible size.
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Found::kNone;
  if (!std::filesystem::is_regular_file(path, error)) return Found::kBroken;
  size_ = std::filesystem::file_size(path, error);
  in_.open(path, std::ios::binary);
  if (error || !in_) return Found::kBroken;
  // 2. Its head.
  std::string magic(kMagic.size(), 0);
  uint32_t length = 0;
  uint64_t hash = 0;
  const uint64_t fixed = kMagic.size() + sizeof length + sizeof hash;
  if (size_ < fixed || !in_.read(magic.data(), static_cast<std::streamsize>(magic.size())) || magic != kMagic ||
      !in_.read(reinterpret_cast<char*>(&length), sizeof length) || length > kMostWords || length > size_ - fixed)
    return Found::kBroken;
  words_.resize(length);
  if (!in_.read(words_.data(), length) || !in_.read(reinterpret_cast<char*>(&hash), sizeof hash) ||
      hash != hashBulk(words_))
    return Found::kBroken;
  at_ = fixed + length;
  return words_ == words ? Found::kGood : Found::kOther;
}

bool CheckpointReader::next(CheckpointRecord& out) {
  // 1. Its head: no more bytes than the file has.
  RecordHead head{};
  const uint64_t have = size_ - at_;
  cut_ = have < sizeof head;
  if (cut_ || !in_.read(reinterpret_cast<char*>(&head), sizeof head)) return false;
  if (head.kind < static_cast<uint32_t>(RecordKind::kPart) || head.kind > static_cast<uint32_t>(RecordKind::kWhole) ||
      head.bytes > kMostRecord)
    return false;
  cut_ = head.bytes > have - sizeof head;
  if (cut_) return false;
  // 2. Its bytes, as they come: a length is a claim until they are there.
  constexpr uint64_t kPiece = 16 << 20;
  out.bytes.clear();
  while (out.bytes.size() < head.bytes) {
    const size_t from = out.bytes.size(), n = std::min(kPiece, head.bytes - from);
    out.bytes.resize(from + n);
    if (!in_.read(reinterpret_cast<char*>(out.bytes.data() + from), static_cast<std::streamsize>(n))) return false;
  }
  if (head.hash != hashOf(head.kind, head.index, out.bytes)) return false;
  out.kind = static_cast<RecordKind>(head.kind), out.index = head.index;
  at_ += sizeof head + head.bytes;
  return true;
}

}  // namespace reyes::render
