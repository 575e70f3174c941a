// SPDX-License-Identifier: Apache-2.0
// expect: -5 0 0
surface t(output varying vector result = 0;)
{
    result = vector(1 + 2 * 3 - 4 / 2 * 6, 0, 0);
}
