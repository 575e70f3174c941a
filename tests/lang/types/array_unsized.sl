// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    float a[] = {4, 5, 6};
    result = arraylength(a);
}
