// SPDX-License-Identifier: Apache-2.0
#include "reyes/base/name.h"

#include <mutex>
#include <shared_mutex>
#include <unordered_set>

namespace reyes {
namespace {
struct Hash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
};

struct Table {
  std::shared_mutex mutex;
  std::unordered_set<std::string, Hash, std::equal_to<>> words;  // node-based: addresses stay
};

Table& table() {
  static Table* t = new Table;
  return *t;
}
}  // namespace

Name::Name() {
  static const std::string* kEmpty = Name(std::string_view("")).text_;
  text_ = kEmpty;
}

Name::Name(std::string_view text) {
  Table& t = table();
  {
    std::shared_lock lock(t.mutex);
    if (auto it = t.words.find(text); it != t.words.end()) {
      text_ = &*it;
      return;
    }
  }
  std::unique_lock lock(t.mutex);
  text_ = &*t.words.emplace(text).first;
}

}  // namespace reyes
