// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/exr_memory.h"

#include <algorithm>

#include "reyes/image/exr_header.h"

namespace reyes::image {
namespace {

/// Bytes from the start of a file to the end of its header: magic and version, then attributes (name, type, size,
/// value) up to an empty name.
size_t headerSize(MemoryStream& file) {
  size_t at = 8;
  const auto skipName = [&] {
    while (file[at++] != 0) {
    }
  };
  while (file[at] != 0) {
    skipName();
    skipName();
    uint32_t size = 0;
    for (int b = 0; b < 4; ++b) size |= static_cast<uint32_t>(static_cast<uint8_t>(file[at++])) << (8 * b);
    at += size;
  }
  return at + 1;
}

}  // namespace

std::string writeWithHeader(const std::string& path, MemoryStream& file, MemoryStream& empty) {
  const size_t before = headerSize(file), after = headerSize(empty);
  // 1. Places of blocks, little-endian: the file of no blocks has the table, and nothing behind it.
  const size_t blocks = before + (empty.size() - after);
  for (size_t at = before; at < blocks; at += 8) {
    uint64_t place = 0;
    for (int b = 0; b < 8; ++b) place |= static_cast<uint64_t>(static_cast<uint8_t>(file[at + b])) << (8 * b);
    place += after - before;
    for (int b = 0; b < 8; ++b) file[at + b] = static_cast<char>(place >> (8 * b));
  }
  // 2. The file.
  FileStream stream(path);
  if (!stream.error().empty()) return stream.error();
  empty.send(0, after, stream);
  file.send(before, file.size(), stream);
  return stream.close();
}

}  // namespace reyes::image
