// SPDX-License-Identifier: Apache-2.0
// Where files are looked for: search paths as RIB and flags write them, the rewriting of folders (`dirmap`), and the
// rule for relative names. Called by the session for shaders, textures, archives and procedurals.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace reyes::session {

using Folders = std::vector<std::string>;

/// Replaces ${NAME} and $NAME by environment variables (unset: empty) and a leading ~ by the home folder.
std::string expandVariables(const std::string& text);

/// Splits `text` at ':' (not after a drive letter) and ';'; `@` stands for `standard`, `&` for `previous`.
Folders parseSearchPath(const std::string& text, const Folders& standard, const Folders& previous);

/// Rewrites of the beginning of paths, first match wins.
class DirMap {
 public:
  /// Adds the triples ["zone" "from" "to"] of Option "searchpath" "dirmap".
  void add(const std::vector<std::string>& values);
  std::string apply(const std::string& path) const;
  bool operator==(const DirMap&) const = default;

 private:
  std::vector<std::pair<std::string, std::string>> rewrites_;
};

/// The folder part of a path; "" where it has none.
std::string folderOf(const std::string& path);
/// File name without folder and without its last extension.
std::string stemOf(const std::string& path);
std::string joinPath(const std::string& folder, const std::string& name);
bool isAbsolute(const std::string& path);
bool fileExists(const std::string& path);

/// Looks for `name`: as it is where absolute; else in the working folder, in `namingFolder`, then along `path`.
/// Empty where it is nowhere.
std::string findFile(const std::string& name, const std::string& namingFolder, const Folders& path, const DirMap& map);

}  // namespace reyes::session
