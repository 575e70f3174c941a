// SPDX-License-Identifier: Apache-2.0
// expect: 1 1 0.5
surface t(output varying color result = 0;)
{
    color a = transmission(P, point (0, 0, 5), "samples", 4, "samplecone", 0.1);
    result = a * visibility(P, point (0, 1, 0)) * color (1, 1, 0.5);
}
