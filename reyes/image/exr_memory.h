// SPDX-License-Identifier: Apache-2.0
// Files of OpenEXR that are made in memory while a picture is, and get their header at the end. Private to image/: for
// exr_builder.cpp and deep_builder.cpp.
//
// The file's three parts (header, table of the places of its blocks, blocks) are made apart: blocks in memory behind a
// header of that time; at the end a new header, the table moved by the difference of their lengths, and the blocks.
#pragma once

#include <OpenEXR/ImfIO.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace reyes::image {

/// A file in memory.
class MemoryStream final : public Imf::OStream {
 public:
  MemoryStream() : OStream("memory") {}
  void write(const char from[], int n) override {
    const auto size = static_cast<size_t>(n);
    if (bytes.size() < at_ + size) bytes.resize(at_ + size);
    std::memcpy(bytes.data() + at_, from, size);
    at_ += size;
  }
  uint64_t tellp() override { return at_; }
  void seekp(uint64_t position) override { at_ = static_cast<size_t>(position); }

  std::vector<char> bytes;

 private:
  size_t at_ = 0;
};

/// Writes the finished file in `file` to `path`, with the header of the file in `empty`, which has the same channels
/// and windows and no blocks. Error text or "".
std::string writeWithHeader(const std::string& path, std::vector<char>& file, const std::vector<char>& empty);

}  // namespace reyes::image
