// SPDX-License-Identifier: Apache-2.0
// expect: 3
#define LONG 1 + \
    2
surface t(output varying float result = 0;)
{
    result = LONG;
}
