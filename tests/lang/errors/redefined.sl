// SPDX-License-Identifier: Apache-2.0
// expect error: sl-redefined 6
surface t(output varying float result = 0;)
{
    float a;
    float a;
}
