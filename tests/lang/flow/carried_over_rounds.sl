// SPDX-License-Identifier: Apache-2.0
// expect: 2
surface t(output varying float result = 0;)
{
    float i, last = -1;
    for (i = 0; i < 5; i += 1) { if (i == 2) last = i; }
    result = last;
}
