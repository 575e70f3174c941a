// SPDX-License-Identifier: Apache-2.0
// expect: 0 0.5 0.75
surface t(output varying color result = 0;)
{
    result = 1 - Cs;
}
