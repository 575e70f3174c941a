// SPDX-License-Identifier: Apache-2.0
// expect error: sl-syntax 7
// expect error: sl-unknown-variable 8
// expect error: sl-syntax 9
surface t(output varying float result = 0;)
{
    result = 1 +;
    result = aa;
    result = = 2;
}
