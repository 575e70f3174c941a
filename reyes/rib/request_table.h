// SPDX-License-Identifier: Apache-2.0
// All requests by name, each with the function that reads its arguments and calls the Ri; made from requests.def.
#pragma once

#include <string>
#include <string_view>

namespace reyes::rib {

class Arguments;
class Ri;

struct RequestEntry {
  const char* name;
  /// Reads the arguments and calls. False where the request had to be given up.
  bool (*read)(Arguments& arguments, Ri& ri);
};

/// Null where there is no such request.
const RequestEntry* findRequest(std::string_view name);

/// The request most like `name`, or empty where none is near.
std::string nearestRequest(std::string_view name);

}  // namespace reyes::rib
