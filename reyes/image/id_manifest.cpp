// SPDX-License-Identifier: Apache-2.0
#include "reyes/image/id_manifest.h"

#include <cstdlib>

#include "reyes/base/format.h"

namespace reyes::image {
namespace {

/// Escaped names and the text of their ids.
using Entries = std::map<std::string, std::string>;

std::string escaped(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

/// What escaped() made, and other writers' \\uXXXX of one byte.
std::string unescaped(const std::string& name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '\\' || i + 1 == name.size()) {
      out += name[i];
      continue;
    }
    const char c = name[++i];
    if (c == 'u' && i + 4 < name.size()) {
      out += static_cast<char>(std::strtoul(name.substr(i + 1, 4).c_str(), nullptr, 16));
      i += 4;
    } else {
      out += c;
    }
  }
  return out;
}

std::string text(const Entries& entries) {
  std::string out = "{";
  for (const auto& [name, id] : entries) out += (out.size() > 1 ? ",\"" : "\"") + name + "\":\"" + id + "\"";
  return out + "}";
}

/// Reads `"..."` at `at`, after white space; as it stands, with its escapes.
bool readString(const std::string& json, size_t& at, std::string& out) {
  at = json.find_first_not_of(" \t\r\n", at);
  if (at == std::string::npos || json[at] != '"') return false;
  const size_t first = ++at;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  if (at >= json.size()) return false;
  out = json.substr(first, at++ - first);
  return true;
}

/// The next sign that is no white space, or 0.
char readSign(const std::string& json, size_t& at) {
  at = json.find_first_not_of(" \t\r\n", at);
  return at == std::string::npos ? '\0' : json[at++];
}

/// Adds the entries of a manifest.
bool read(const std::string& json, Entries& entries) {
  size_t at = 0;
  if (readSign(json, at) != '{') return false;
  size_t close = at;
  if (readSign(json, close) == '}') return true;
  for (;;) {
    std::string name, id;
    if (!readString(json, at, name) || readSign(json, at) != ':' || !readString(json, at, id)) return false;
    if (entries.emplace(name, id).first->second != id) return false;
    const char next = readSign(json, at);
    if (next == '}') return true;
    if (next != ',') return false;
  }
}

}  // namespace

std::string writeIdManifest(const std::map<std::string, uint32_t>& ids) {
  Entries entries;
  for (const auto& [name, id] : ids) entries.emplace(escaped(name), format("{:08x}", id));
  return text(entries);
}

bool readIdManifest(const std::string& json, std::map<uint32_t, std::string>& out) {
  Entries entries;
  if (!read(json, entries)) return false;
  for (const auto& [name, id] : entries)
    out[static_cast<uint32_t>(std::strtoul(id.c_str(), nullptr, 16))] = unescaped(name);
  return true;
}

bool isIdManifest(const std::string& attribute) {
  constexpr std::string_view kPrefix = "cryptomatte/", kEnd = "/manifest";
  return attribute.size() > kPrefix.size() + kEnd.size() && attribute.compare(0, kPrefix.size(), kPrefix) == 0 &&
         attribute.compare(attribute.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
}

bool joinIdManifests(const std::string& a, const std::string& b, std::string& out) {
  Entries entries;
  if (!read(a, entries) || !read(b, entries)) return false;
  out = text(entries);
  return true;
}

bool joinIdManifests(const std::map<std::string, Attribute>& from, std::map<std::string, Attribute>& into,
                     std::string& failed) {
  for (const auto& [key, value] : from) {
    const std::string* text = isIdManifest(key) ? std::get_if<std::string>(&value) : nullptr;
    if (!text) continue;
    Attribute& all = into.try_emplace(key, *text).first->second;
    const std::string* before = std::get_if<std::string>(&all);
    std::string joined;
    failed = key;
    if (!before || !joinIdManifests(*before, *text, joined)) return false;
    all = joined;
  }
  return true;
}

}  // namespace reyes::image
