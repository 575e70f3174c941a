// SPDX-License-Identifier: Apache-2.0
// expect error: sl-include-depth
#include "include_itself.sl"
surface t(output varying float result = 0;)
{
    result = 1;
}
