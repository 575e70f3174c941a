// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/source_set.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "reyes/base/hash.h"

namespace reyes::sl {
namespace {
constexpr uintmax_t kMaxFileBytes = 64u << 20;

/// Length of the line end at `i` (CRLF 2, CR or LF 1), 0 if there is none.
size_t lineEndAt(std::string_view s, size_t i) {
  if (i >= s.size()) return 0;
  if (s[i] == '\n') return 1;
  if (s[i] != '\r') return 0;
  return i + 1 < s.size() && s[i + 1] == '\n' ? 2 : 1;
}

/// At a backslash: the length of a continuation (backslash, blanks, line end), else 0.
size_t continuationAt(std::string_view s, size_t i) {
  size_t j = i + 1;
  while (j < s.size() && (s[j] == ' ' || s[j] == '\t')) ++j;
  const size_t end = lineEndAt(s, j);
  return end ? j + end - i : 0;
}
}  // namespace

std::optional<std::string> readRegularFile(const std::string& path, std::string& error) {
  std::error_code ec;
  const auto status = std::filesystem::status(path, ec);
  if (ec || !std::filesystem::exists(status)) {
    error = "no such file";
    return std::nullopt;
  }
  if (!std::filesystem::is_regular_file(status)) {
    error = "not a regular file";
    return std::nullopt;
  }
  const uintmax_t size = std::filesystem::file_size(path, ec);
  if (ec || size > kMaxFileBytes) {
    error = ec ? "cannot be read" : "larger than 64 MiB";
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!in || !in.read(bytes.data(), static_cast<std::streamsize>(size))) {
    error = "cannot be read";
    return std::nullopt;
  }
  return bytes;
}

const SourceText& SourceSet::addText(Name file, std::string_view bytes) {
  addToHash(bytes);
  SourceText& s = texts_.emplace_back();
  s.file = file;
  s.text.reserve(bytes.size() + 1);
  s.lineStarts.push_back(0);
  for (size_t i = 0; i < bytes.size();) {
    if (const size_t end = lineEndAt(bytes, i)) {
      s.text.push_back('\n');
      s.lineStarts.push_back(static_cast<uint32_t>(s.text.size()));
      i += end;
      continue;
    }
    if (bytes[i] == '\\') {
      if (const size_t joined = continuationAt(bytes, i)) {
        s.lineStarts.push_back(static_cast<uint32_t>(s.text.size()));
        i += joined;
        continue;
      }
    }
    s.text.push_back(bytes[i++]);
  }
  if (s.text.empty() || s.text.back() != '\n') s.text.push_back('\n');
  return s;
}

const SourceText* SourceSet::addFile(const std::string& path, std::string& error) {
  const auto bytes = readRegularFile(path, error);
  if (!bytes) return nullptr;
  if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
  return &addText(Name(path), *bytes);
}

std::string_view SourceSet::keep(std::string text) { return kept_.emplace_back(std::move(text)); }

void SourceSet::addToHash(std::string_view bytes) { hash_ = hashCombine(hash_, hashBytes(bytes)); }

}  // namespace reyes::sl
