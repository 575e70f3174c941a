// SPDX-License-Identifier: Apache-2.0
// Files of OpenEXR that are made in memory while a picture is, and get their header at the end. Private to image/: for
// exr_builder.cpp and deep_builder.cpp.
//
// The file's three parts (header, table of the places of its blocks, blocks) are made apart: blocks in memory behind a
// header of that time; at the end a new header, the table moved by the difference of their lengths, and the blocks.
#pragma once

#include <OpenEXR/ImfIO.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace reyes::image {

/// A file in memory. It lies in pieces, so that it grows without being copied.
class MemoryStream final : public Imf::OStream {
 public:
  static constexpr size_t kPiece = size_t{1} << 20;
  MemoryStream() : OStream("memory") {}
  void write(const char from[], int n) override {
    for (auto left = static_cast<size_t>(n); left > 0;) {
      while (at_ / kPiece >= pieces_.size()) pieces_.push_back(std::make_unique_for_overwrite<char[]>(kPiece));
      const size_t part = std::min(left, kPiece - at_ % kPiece);
      std::memcpy(&pieces_[at_ / kPiece][at_ % kPiece], from, part);
      from += part, left -= part, at_ += part;
      size_ = std::max(size_, at_);
    }
  }
  uint64_t tellp() override { return at_; }
  void seekp(uint64_t position) override { at_ = static_cast<size_t>(position); }

  size_t size() const { return size_; }
  char& operator[](size_t at) { return pieces_[at / kPiece][at % kPiece]; }
  /// Hands bytes on to `out`, in as many calls as it takes.
  void send(size_t at, size_t end, Imf::OStream& out) {
    for (size_t n; at < end; at += n) {
      n = std::min(end - at, kPiece - at % kPiece);
      out.write(&(*this)[at], static_cast<int>(n));
    }
  }

 private:
  std::vector<std::unique_ptr<char[]>> pieces_;
  size_t at_ = 0, size_ = 0;
};

/// What goes wrong first is kept, and ends what follows: OpenEXR throws.
struct Attempts {
  std::string error;
  /// Runs `work` unless something has gone wrong before.
  template <class Work>
  void attempt(const Work& work) {
    if (!error.empty()) return;
    try {
      work();
    } catch (const std::exception& e) {
      error = e.what();
    }
  }
};

/// Writes the finished file in `file` to `path`, with the header of the file in `empty`, which has the same channels
/// and windows and no blocks. Error text or "".
std::string writeWithHeader(const std::string& path, MemoryStream& file, MemoryStream& empty);

}  // namespace reyes::image
