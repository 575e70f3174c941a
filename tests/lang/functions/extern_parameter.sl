// SPDX-License-Identifier: Apache-2.0
// expect: 4
float twice() { extern float k; return k * 2; }
surface t(float k = 2; output varying float result = 0;)
{
    result = twice();
}
