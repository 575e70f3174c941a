// SPDX-License-Identifier: Apache-2.0
// expect: 1 .5 .25
surface t(output varying vector result = 0;)
{
    result = vector Cs;
}
