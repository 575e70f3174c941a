// SPDX-License-Identifier: Apache-2.0
// expect: 2 2 2
surface t(output varying color result = 0;)
{
    result = u < 0.5 ? 2 : Cs;
}
