// SPDX-License-Identifier: Apache-2.0
#include "reyes/sl/source_set.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "reyes/base/format.h"
#include "reyes/base/hash.h"

namespace reyes::sl {
namespace {
constexpr uintmax_t kMaxFileBytes = 64u << 20;
constexpr size_t kMaxExpansions = 100'000;
constexpr size_t kMaxShown = 200;  ///< bytes of a source line in a message

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
  // What editors leave at both ends: the mark of UTF-8, and the end of file of DOS.
  if (bytes.substr(0, 3) == "\xef\xbb\xbf") bytes.remove_prefix(3);
  while (!bytes.empty() && (bytes.back() == '\x1a' || bytes.back() == '\0')) bytes.remove_suffix(1);
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

void SourceSet::noteInclude(Name file, const SourceLoc& from) {
  const auto same = [&](const Include& i) { return i.file == file; };
  if (std::none_of(includes_.begin(), includes_.end(), same)) includes_.push_back({file, from});
}

void SourceSet::noteExpansion(const SourceLoc& at, std::string_view macro, const SourceLoc& defined) {
  if (expansions_.size() < kMaxExpansions) expansions_.push_back({at, defined, macro});
}

std::string_view SourceSet::lineAt(const SourceLoc& loc) const {
  for (const SourceText& s : texts_) {
    if (!(s.file == loc.file) || loc.line < 1 || static_cast<size_t>(loc.line) > s.lineStarts.size()) continue;
    const size_t begin = s.lineStarts[static_cast<size_t>(loc.line) - 1];
    const bool last = static_cast<size_t>(loc.line) == s.lineStarts.size();
    size_t end = last ? s.text.size() : s.lineStarts[static_cast<size_t>(loc.line)];
    while (end > begin && s.text[end - 1] == '\n') --end;
    return std::string_view(s.text).substr(begin, std::min(end - begin, kMaxShown));
  }
  return {};
}

std::vector<std::string> SourceSet::explain(const SourceLoc& loc) const {
  std::vector<std::string> lines;
  if (const std::string_view text = lineAt(loc); !text.empty()) {
    const std::string number = format("{:>5} | ", loc.line);
    std::string shown, caret;
    for (size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      shown += c == '\t' || (c >= 0x20 && c != 0x7f) ? text[i] : '?';
      // Bytes within a UTF-8 character take no room.
      if (i + 1 < static_cast<size_t>(loc.column) && (c & 0xc0) != 0x80) caret += c == '\t' ? '\t' : ' ';
    }
    lines.push_back(number + shown);
    if (loc.column > 0 && static_cast<size_t>(loc.column) <= text.size() + 1)
      lines.push_back(std::string(number.size() - 2, ' ') + "| " + caret + "^");
  }
  const auto place = [](const SourceLoc& l) { return format("{}:{}:{}", l.file.str(), l.line, l.column); };
  for (const Expansion& e : expansions_)
    if (e.at.file == loc.file && e.at.line == loc.line && e.at.column == loc.column)
      lines.push_back(format("      in the expansion of macro '{}', defined at {}", e.macro, place(e.defined)));
  Name file = loc.file;
  for (size_t depth = 0; depth < includes_.size(); ++depth) {
    const auto found =
        std::find_if(includes_.begin(), includes_.end(), [&](const Include& i) { return i.file == file; });
    if (found == includes_.end() || found->from.file == file) break;
    lines.push_back(format("      in a file included at {}", place(found->from)));
    file = found->from.file;
  }
  return lines;
}

void SourceSet::addToHash(std::string_view bytes) { hash_ = hashCombine(hash_, hashBytes(bytes)); }

}  // namespace reyes::sl
