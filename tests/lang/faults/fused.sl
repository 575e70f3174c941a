// SPDX-License-Identifier: Apache-2.0
// The parts of operations that do the work of two are counted as well.
// expect: 0 0 0
// expect fault: vm-normalize-zero 9
// expect fault: vm-normalize-zero 10
surface t(output varying float result[3] = {0};)
{
    varying vector a = vector (u * 0 + 1, 2, 3), b = -a, I2 = vector (0, 0, u * 0 + 1);
    result[0] = length(normalize(a + b));
    result[1] = length(normalize(a - a));
    result[2] = length(faceforward(normalize(N * (u * 0)), I2));
}
