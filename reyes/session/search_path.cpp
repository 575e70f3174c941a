// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/search_path.h"

#include <sys/stat.h>

#include <cctype>
#include <cstdlib>

namespace reyes::session {
namespace {
bool isNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? value : "";
}

/// Words of a dirmap string: quoted or bare, brackets are white space.
std::vector<std::string> wordsOf(const std::string& text) {
  std::vector<std::string> words;
  size_t i = 0;
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) || c == '[' || c == ']'; };
  while (i < text.size()) {
    if (space(text[i])) {
      ++i;
      continue;
    }
    std::string word;
    if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) word += text[i];
      ++i;
    } else {
      for (; i < text.size() && !space(text[i]); ++i) word += text[i];
    }
    words.push_back(word);
  }
  return words;
}
}  // namespace

std::string expandVariables(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (i == 0 && text[0] == '~' && (text.size() == 1 || text[1] == '/')) {
      out += variable("HOME");
      ++i;
    } else if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '{') {
      const size_t end = text.find('}', i);
      if (end == std::string::npos) return out + text.substr(i);
      out += variable(text.substr(i + 2, end - i - 2));
      i = end + 1;
    } else if (text[i] == '$' && i + 1 < text.size() && isNameChar(text[i + 1])) {
      size_t end = i + 1;
      while (end < text.size() && isNameChar(text[end])) ++end;
      out += variable(text.substr(i + 1, end - i - 1));
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

Folders parseSearchPath(const std::string& text, const Folders& standard, const Folders& previous) {
  Folders folders;
  std::string piece;
  const auto flush = [&] {
    if (piece == "@")
      folders.insert(folders.end(), standard.begin(), standard.end());
    else if (piece == "&")
      folders.insert(folders.end(), previous.begin(), previous.end());
    else if (!piece.empty())
      folders.push_back(expandVariables(piece));
    piece.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const bool drive = text[i] == ':' && piece.size() == 1 && std::isalpha(static_cast<unsigned char>(piece[0])) &&
                       i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '\\');
    if ((text[i] == ':' && !drive) || text[i] == ';')
      flush();
    else
      piece += text[i];
  }
  flush();
  return folders;
}

void DirMap::add(const std::vector<std::string>& values) {
  // Either one string a triple, or three strings a triple.
  std::vector<std::string> words;
  for (const std::string& v : values) {
    const std::vector<std::string> inside = v.find('[') == std::string::npos ? std::vector{v} : wordsOf(v);
    words.insert(words.end(), inside.begin(), inside.end());
  }
  for (size_t i = 0; i + 2 < words.size(); i += 3) rewrites_.emplace_back(words[i + 1], words[i + 2]);
}

std::string DirMap::apply(const std::string& path) const {
  for (const auto& [from, to] : rewrites_)
    if (!from.empty() && path.compare(0, from.size(), from) == 0) return to + path.substr(from.size());
  return path;
}

std::string folderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash == 0 ? 1 : slash);
}

std::string stemOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

std::string joinPath(const std::string& folder, const std::string& name) {
  if (folder.empty() || folder == ".") return name;
  return folder.back() == '/' ? folder + name : folder + "/" + name;
}

bool isAbsolute(const std::string& path) { return !path.empty() && path[0] == '/'; }

bool fileExists(const std::string& path) {
  struct stat info;
  // Devices never end: /dev/zero is no archive.
  return !path.empty() && stat(path.c_str(), &info) == 0 && (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode));
}

std::string findFile(const std::string& name, const std::string& namingFolder, const Folders& path, const DirMap& map) {
  const std::string mapped = map.apply(name);
  if (fileExists(mapped)) return mapped;
  if (isAbsolute(mapped)) return "";
  if (!namingFolder.empty())
    if (const std::string p = joinPath(namingFolder, mapped); fileExists(p)) return p;
  for (const std::string& folder : path) {
    const std::string mappedFolder = map.apply(folder);
    if (const std::string p = joinPath(mappedFolder, mapped); fileExists(p)) return p;
    // A relative folder of a search path is also looked for beside the file that names it.
    if (!isAbsolute(mappedFolder) && !namingFolder.empty())
      if (const std::string p = joinPath(namingFolder, joinPath(mappedFolder, mapped)); fileExists(p)) return p;
  }
  return "";
}

}  // namespace reyes::session
