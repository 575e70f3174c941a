// SPDX-License-Identifier: Apache-2.0
// expect fault: vm-array-index
// points: 16
// expect: 1
surface t(output varying float result = 0;)
{
    float a[3] = {1, 2, 3};
    result = a[u * 3];
}
