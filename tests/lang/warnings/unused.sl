// SPDX-License-Identifier: Apache-2.0
// expect warning: sl-unused 6
// expect warning: sl-unused 10
// flags: -Wall
// expect: 1
surface t(float neverRead = 1; uniform string __forOthers = ""; output varying float result = 0;)
{
    color c = 1;
    float used = 1;
    float never;
    never = comp(c, 1);
    result = used;
    Ci = c; Oi = Os;
}
