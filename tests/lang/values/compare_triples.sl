// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    result = Cs == color(1, .5, .25) && N != vector(1,0,0);
}
