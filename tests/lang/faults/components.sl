// SPDX-License-Identifier: Apache-2.0
// expect: 3 5 4
// expect fault: vm-component-index 8
// expect fault: vm-component-index 9
surface t(output varying float result[3] = {0};)
{
    varying color c = color (1, 2, 3 + u * 0); matrix m = 4;
    result[0] = comp(c, 7 + u * 0);
    setcomp(c, -1, 5);
    result[1] = comp(c, 0);
    result[2] = comp(m, 9, 3);
}
