// SPDX-License-Identifier: Apache-2.0
// expect: 6
surface t(float a = 3; float b = a * 2; output varying float result = 0;)
{
    result = b;
}
