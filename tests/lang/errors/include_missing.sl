// SPDX-License-Identifier: Apache-2.0
// expect error: sl-include-not-found 3
#include "nowhere.h"
surface t(output varying float result = 0;)
{
    result = foo();
}
