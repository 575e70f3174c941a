// SPDX-License-Identifier: Apache-2.0
// expect: 6
surface t(output varying float result = 0;)
{
    matrix m = 2;
    m = m * 3;
    result = comp(m, 1, 1);
}
