// SPDX-License-Identifier: Apache-2.0
// expect error: sl-no-overload 5
surface t(output varying float result = 0;)
{
    result = atan(Cs, 2);
}
