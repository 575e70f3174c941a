// SPDX-License-Identifier: Apache-2.0
// expect: 5
#include "five.h"
#include "five.h"
surface t(output varying float result = 0;)
{
    result = five();
}
