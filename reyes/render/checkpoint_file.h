// SPDX-License-Identifier: Apache-2.0
// The file of a checkpoint: what frame it is of, in words, and records that stand each for itself, with lengths and
// hashes. It grows while the frame renders. CheckpointWriter and CheckpointReader are used by checkpoint.h alone;
// docs/decisions/0029 tells why it is a journal.
//
//   "reyes checkpoint 1\n"  u32 bytes of words  words  u64 hash of words
//   records: u32 kind  u32 index  u64 bytes  u64 hash of kind, index and bytes  bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "reyes/image/image.h"

namespace reyes::render {

enum class RecordKind : uint32_t {
  kPart = 1,  ///< pixels of the film's part `index`, of all displays
  kMessage,   ///< a warning or an error
  kName,      ///< of an id matte's kind `index`
  kWhole,     ///< the frame's files are written
};

struct CheckpointRecord {
  RecordKind kind = RecordKind::kPart;
  uint32_t index = 0;
  std::vector<std::byte> bytes;
};

class CheckpointWriter {
 public:
  CheckpointWriter(std::string path, const std::string& words);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Some megabytes wait in memory; beyond that they go to the file. What a full disk does not take is dropped in the
  /// end: those pixels are rendered again. Thread-safe.
  void add(RecordKind kind, uint32_t index, std::span<const std::byte> bytes);
  /// All that was added is on disk and the file has its name. Error text or "". Thread-safe.
  std::string save();
  /// A file that can be recovered from has the name.
  bool saved() const { return published_; }

 private:
  std::string write();  ///< what waits; under mutex_
  std::string open();

  std::string path_;
  std::mutex mutex_, saving_;
  image::SafeFile file_;
  int fd_ = -1;
  uint64_t good_ = 0;  ///< bytes of the file that hold whole records
  bool failed_ = false, published_ = false;
  std::vector<std::byte> waiting_;
};

class CheckpointReader {
 public:
  enum class Found { kNone, kBroken, kOther, kGood };
  /// kOther: of a frame with other words, which are then otherWords().
  Found open(const std::string& path, const std::string& words);
  const std::string& otherWords() const { return words_; }
  /// The next record; false at the end of what is good.
  bool next(CheckpointRecord& out);
  /// Bytes behind the last good record, and whether they are but the beginning of one.
  uint64_t left() const { return size_ - at_; }
  bool cut() const { return cut_; }

 private:
  std::ifstream in_;
  uint64_t size_ = 0, at_ = 0;
  bool cut_ = false;
  std::string words_;
};

}  // namespace reyes::render
