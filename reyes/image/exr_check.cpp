// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/exr_check.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <vector>

#include "reyes/base/format.h"

namespace reyes::image {
namespace {

constexpr uint64_t kBestRatio = 1100;  ///< deflate makes 1032 of one byte at best
constexpr uint64_t kSmallBytes = uint64_t{1} << 28;
constexpr uint32_t kMagic = 20000630, kMultiPart = 0x1000;
constexpr size_t kMostHeader = size_t{1} << 28;  ///< bytes of all headers

/// A file of little-endian numbers, at a place that only moves forward or is set.
class Bytes {
 public:
  explicit Bytes(const std::string& path) : in_(path, std::ios::binary) {
    in_.seekg(0, std::ios::end);
    size_ = in_ ? static_cast<uint64_t>(in_.tellg()) : 0;
    in_.seekg(0);
  }
  uint64_t size() const { return size_; }
  uint64_t at() { return static_cast<uint64_t>(in_.tellg()); }
  void seek(uint64_t to) { in_.seekg(static_cast<std::streamoff>(to)); }
  bool good() const { return static_cast<bool>(in_); }

  template <class T>
  T number() {
    unsigned char bytes[sizeof(T)] = {};
    in_.read(reinterpret_cast<char*>(bytes), sizeof(T));
    uint64_t v = 0;
    for (size_t i = 0; i < sizeof(T); ++i) v |= static_cast<uint64_t>(bytes[i]) << (8 * i);
    return static_cast<T>(v);
  }
  /// A name that ends with a zero, of at most 255 bytes; false where there is none.
  bool name(std::string& out) {
    out.clear();
    for (int c = in_.get(); c != EOF; c = in_.get()) {
      if (c == 0) return true;
      if (out.size() == 255) return false;
      out += static_cast<char>(c);
    }
    return false;
  }
  std::string text(size_t n) {
    std::string s(n, '\0');
    in_.read(s.data(), static_cast<std::streamsize>(n));
    return s;
  }

 private:
  std::ifstream in_;
  uint64_t size_ = 0;
};

/// What is known of a part from its header.
struct Part {
  std::string type;
  int64_t width = 0, height = 0, chunks = -1, tileWidth = 0, tileHeight = 0;
};

int32_t intAt(const std::string& value, size_t at) {
  int32_t v = 0;
  if (at + 4 <= value.size()) std::memcpy(&v, value.data() + at, 4);
  return v;
}

/// Values whose own sizes OpenEXR believes.
std::string checkValue(const std::string& name, const std::string& type, const std::string& value) {
  if (type == "stringvector")
    for (size_t at = 0; at < value.size();) {
      const int32_t n = intAt(value, at);
      if (at + 4 > value.size() || n < 0 || static_cast<size_t>(n) > value.size() - at - 4)
        return format("its attribute {} has a string of {} bytes", name, n);
      at += 4 + static_cast<size_t>(n);
    }
  if (type == "preview") {
    const auto w = static_cast<uint32_t>(intAt(value, 0)), h = static_cast<uint32_t>(intAt(value, 4));
    if (uint64_t{w} * h != (value.size() - std::min<size_t>(value.size(), 8)) / 4)
      return format("its preview of {} x {} pixels has another size", w, h);
  }
  return "";
}

void take(const std::string& name, const std::string& value, Part& part) {
  if (name == "type") part.type = value;
  if (name == "chunkCount") part.chunks = intAt(value, 0);
  if (name == "dataWindow") {
    part.width = int64_t{intAt(value, 8)} - intAt(value, 0) + 1;
    part.height = int64_t{intAt(value, 12)} - intAt(value, 4) + 1;
  }
  if (name == "tiles")
    part.tileWidth = static_cast<uint32_t>(intAt(value, 0)), part.tileHeight = static_cast<uint32_t>(intAt(value, 4));
}

/// One header up to its end; `empty` where it has no attribute.
std::string readPart(Bytes& in, Part& part, bool& empty) {
  empty = true;
  for (std::string name, type;; empty = false) {
    if (!in.name(name)) return "its header does not end";
    if (name.empty()) return "";
    if (!in.name(type)) return "its header does not end";
    const auto bytes = in.number<int32_t>();
    if (!in.good() || bytes < 0 || static_cast<uint64_t>(bytes) > in.size() - in.at() ||
        static_cast<size_t>(bytes) > kMostHeader)
      return format("its attribute {} has {} bytes", name, bytes);
    const std::string value = in.text(static_cast<size_t>(bytes));
    if (std::string error = checkValue(name, type, value); !error.empty()) return error;
    take(name, value, part);
  }
}

std::string checkPart(const Part& part, uint64_t fileBytes) {
  if (part.width <= 0 || part.height <= 0) return "its data window is empty";
  const auto area = static_cast<uint64_t>(part.width) * static_cast<uint64_t>(part.height);
  if (area > kSmallBytes && area / kBestRatio > fileBytes)
    return format("{} x {} pixels are more than the file can hold", part.width, part.height);
  if (part.chunks < -1 || part.chunks > static_cast<int64_t>(fileBytes / 8))
    return format("{} blocks are more than the file can hold", part.chunks);
  if (part.type == "deeptile" &&
      (part.tileWidth <= 0 || part.tileHeight <= 0 || part.tileWidth > (1 << 24) || part.tileHeight > (1 << 24)))
    return format("its tiles are {} x {} pixels", part.tileWidth, part.tileHeight);
  return "";
}

/// Sizes of the blocks that the table at `table` names.
std::string checkBlocks(Bytes& in, const Part& part, uint64_t table, bool multiPart) {
  const int64_t count = part.chunks >= 0 ? part.chunks : part.type == "deepscanline" ? part.height : 0;
  if (static_cast<uint64_t>(count) > (in.size() - std::min(table, in.size())) / 8)
    return "it ends within the table of its blocks";
  in.seek(table);
  std::vector<uint64_t> places(static_cast<size_t>(count));
  for (uint64_t& p : places) p = in.number<uint64_t>();
  // Of a block: the part, the line or four numbers of the tile, then three sizes.
  const uint64_t head = (multiPart ? 4u : 0u) + (part.type == "deeptile" ? 16u : 4u);
  for (const uint64_t place : places) {
    if (place == 0) continue;  // not written: OpenEXR says so
    if (place > in.size() || in.size() - place < head + 24) return "a block lies outside of it";
    in.seek(place + head);
    const auto counts = in.number<uint64_t>(), packed = in.number<uint64_t>(), whole = in.number<uint64_t>();
    const uint64_t left = in.size() - place - head - 24;
    if (counts > left || packed > left - counts)
      return format("a block of {} and {} bytes is longer than what is left of it", counts, packed);
    if (whole > kSmallBytes / 16 && whole / kBestRatio > packed)
      return format("a block of {} bytes cannot become {}", packed, whole);
  }
  return "";
}

}  // namespace

std::string checkDeepFile(const std::string& path) {
  Bytes in(path);
  if (in.number<uint32_t>() != kMagic) return "is no EXR";
  const bool multiPart = in.number<uint32_t>() & kMultiPart;
  // 1. Headers; of several parts an empty one ends them.
  Part first;
  for (int n = 0;; ++n) {
    Part part;
    bool empty = false;
    if (std::string error = readPart(in, part, empty); !error.empty()) return error;
    if (empty && multiPart) break;
    if (std::string error = checkPart(part, in.size()); !error.empty()) return error;
    if (n == 0) first = part;
    if (!multiPart) break;
  }
  // 2. The table of the first part comes first.
  return checkBlocks(in, first, in.at(), multiPart);
}

}  // namespace reyes::image
