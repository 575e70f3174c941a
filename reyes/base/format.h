// SPDX-License-Identifier: Apache-2.0
// Text formatting for messages, in every room. Never depends on the locale.
#pragma once

#include <fmt/format.h>

namespace reyes {

using fmt::format;

}  // namespace reyes
