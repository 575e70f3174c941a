// SPDX-License-Identifier: Apache-2.0
// expect error: sl-tuple 5
surface t(output varying float result = 0;)
{
    point p = (1, 2);
}
