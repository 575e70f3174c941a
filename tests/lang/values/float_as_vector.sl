// SPDX-License-Identifier: Apache-2.0
// A float where a point, vector or normal is wanted is one with three equal components.
// expect: 2 2 3 -1
surface t(output varying float result[4] = {0};)
{
    float two = 2 + u * 0;
    result[0] = xcomp(two);
    result[1] = zcomp(two);
    result[2] = length(normalize(two)) * 3;
    result[3] = ycomp(faceforward(1, two, two));
}
