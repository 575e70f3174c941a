// SPDX-License-Identifier: Apache-2.0
// INT, TERM, HUP and USR1 during a render: the temporaries of files being written go, then the process dies of that
// signal, as a farm expects where there is no checkpoint.
#pragma once

namespace reyes::tools {

void installSignalHandlers();

}  // namespace reyes::tools
