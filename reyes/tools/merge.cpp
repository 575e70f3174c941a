// SPDX-License-Identifier: Apache-2.0
// `reyes merge`: documented, not built; says so.
#include "reyes/tools/commands.h"
#include "reyes/tools/exit_status.h"
#include "reyes/tools/log.h"

namespace reyes::tools {

int runMerge(int, char**) { return failWith(kExitUsage, "reyes merge is not built in this version"); }

}  // namespace reyes::tools
