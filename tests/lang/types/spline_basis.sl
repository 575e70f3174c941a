// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    result = spline("linear", 0, 0, 1, 2, 3);
}
