// SPDX-License-Identifier: Apache-2.0
// expect: 1 2 4
surface t(output varying color result = 0;)
{
    result = 1 / Cs;
}
