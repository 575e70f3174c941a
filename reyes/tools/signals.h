// SPDX-License-Identifier: Apache-2.0
// INT, TERM, HUP and USR1 during a render. Without checkpoints the temporaries of files being written go, then the
// process dies of that signal, as a farm expects; with them the signals are wishes, which the frame looks at.
#pragma once

namespace reyes::tools {

void installSignalHandlers();

/// With --checkpoint: HUP asks for one, the others for one and the end; a second one of those stops at once.
void installCheckpointSignals();
/// True once for each checkpoint that was asked for.
bool checkpointAsked();
bool stopAsked();
/// To be called ten times a second: nine seconds after a wish to stop the process leaves with status 75, whatever is
/// under way. By then the checkpoint is written: that takes no longer than the next look at the wish.
void leaveIfLate();

}  // namespace reyes::tools
