// SPDX-License-Identifier: Apache-2.0
// expect: 16
#define SQR(x) ((x) * (x))
surface t(output varying float result = 0;)
{
    result = SQR(SQR(2));
}
