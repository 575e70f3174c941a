// SPDX-License-Identifier: Apache-2.0
// expect error: sl-not-assignable 5
surface t(output varying float result = 0;)
{
    result + 1 = 3;
}
