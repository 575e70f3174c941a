// SPDX-License-Identifier: Apache-2.0
// expect: 14
#define SQR(x) ((x) * (x))
#define SIX 6
#define ADD(a, b) (a + b)
surface t(output varying float result = 0;)
{
    result = SQR(2) + ADD(4, SIX);
}
