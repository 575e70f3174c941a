// SPDX-License-Identifier: Apache-2.0
// expect: 2
#define trace(x) ((x) + 1)
surface t(output varying float result = 0;)
{
    result = trace(1);
}
