// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(float k[2] = {1, 2}; output varying float result = 0;)
{
    result = k[0] + k[1];
}
