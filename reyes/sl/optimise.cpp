// SPDX-License-Identifier: Apache-2.0
// The order of the passes of -O1.
#include "reyes/sl/passes.h"

namespace reyes::sl {

void optimise(Ir& ir) { dropDead(ir); }

}  // namespace reyes::sl
