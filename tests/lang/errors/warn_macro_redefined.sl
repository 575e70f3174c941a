// SPDX-License-Identifier: Apache-2.0
// expect warning: sl-macro-redefined 5
// expect: 2
#define A 1
#define A 2
surface t(output varying float result = 0;)
{
    result = A;
}
