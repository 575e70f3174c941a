// SPDX-License-Identifier: Apache-2.0
#include "reyes/session/light_names.h"

#include <algorithm>

namespace reyes::session {

std::vector<std::string> nameList(const std::string& text) {
  std::vector<std::string> names;
  std::string name;
  for (const char c : text + ",") {
    if (c != ',' && c != ' ' && c != '\t') {
      name += c;
      continue;
    }
    if (!name.empty()) names.push_back(name);
    name.clear();
  }
  return names;
}

std::string changedMembership(const std::string& before, const std::string& request) {
  const bool adds = request.starts_with('+'), removes = request.starts_with('-');
  if (!adds && !removes) return request;
  std::vector<std::string> names = nameList(before);
  for (std::string name : nameList(request)) {
    // A sign holds for the names after it; each may have one.
    if (name[0] == '+' || name[0] == '-') name.erase(0, 1);
    const auto place = std::find(names.begin(), names.end(), name);
    if (adds && place == names.end() && !name.empty()) names.push_back(name);
    if (removes && place != names.end()) names.erase(place);
  }
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

}  // namespace reyes::session
