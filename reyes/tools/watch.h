// SPDX-License-Identifier: Apache-2.0
// --watch of `compile`, `shade` and `render`: does the work again whenever what it was made from changes, until the
// program is interrupted. Files are looked at, not subscribed to, so that it works on network drives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reyes/session/session.h"

namespace reyes::tools {

/// Calls `again` each time `stamp` gives another number and stays so for a moment (0: look again later). `done` comes
/// after it: from then on `stamp` may look at other files. Never returns.
[[noreturn]] void watchFor(const std::function<uint64_t()>& stamp, const std::function<void()>& again,
                           const std::function<void()>& done = {});

/// A number of names, sizes and times of change; files that are not there count too.
uint64_t stampOfFiles(const std::vector<std::string>& paths);

/// Every file that a run read or looked for: scenes, archives, textures, shaders with their headers.
std::vector<std::string> filesOfRun(const std::vector<std::string>& scenes, const session::Session& session,
                                    const session::SessionOptions& options);

}  // namespace reyes::tools
