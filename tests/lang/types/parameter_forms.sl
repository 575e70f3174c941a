// SPDX-License-Identifier: Apache-2.0
// expect: 0.1 10 3
surface t(float Km = 0.1, freq = 10; uniform color c = 3, d = 4; output varying vector result = 0;)
{
    result = vector(Km, freq, comp(c, 0));
}
