// SPDX-License-Identifier: Apache-2.0
// Interned string: comparing two names compares two pointers. For words of scenes and shaders (variables,
// shaders, spaces, files), never for strings made at run time. The table is never freed and is thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace reyes {

class Name {
 public:
  Name();
  Name(std::string_view text);                                     // NOLINT: implicit on purpose
  Name(const char* text) : Name(std::string_view(text)) {}         // NOLINT
  Name(const std::string& text) : Name(std::string_view(text)) {}  // NOLINT

  const std::string& str() const { return *text_; }
  const char* c_str() const { return text_->c_str(); }
  bool empty() const { return text_->empty(); }
  bool operator==(Name other) const { return text_ == other.text_; }
  bool operator==(const char* other) const { return *text_ == other; }
  /// Alphabetical, so that order never depends on addresses.
  bool operator<(Name other) const { return *text_ < *other.text_; }
  const void* id() const { return text_; }

 private:
  const std::string* text_;
};

}  // namespace reyes

template <>
struct std::hash<reyes::Name> {
  size_t operator()(reyes::Name n) const noexcept { return std::hash<const void*>()(n.id()); }
};
