// SPDX-License-Identifier: Apache-2.0
// expect fault: vm-array-index
// expect: 4
surface t(output varying float result = 0;)
{
    float a[3] = {1, 2, 3};
    result = a[-1] + a[1e9];
}
