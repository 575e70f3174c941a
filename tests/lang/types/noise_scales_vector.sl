// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    vector w = N * noise(P + 0.3);
    result = xcomp(w) == 0 && ycomp(w) == 0;
}
