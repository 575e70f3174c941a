// SPDX-License-Identifier: Apache-2.0
// expect: 1 .5 .3
surface t(output varying color result = 0;)
{
    result = max(Cs, color(.3));
}
