// SPDX-License-Identifier: Apache-2.0
// expect error: sl-error-directive 3
#error not today
surface t(output varying float result = 0;)
{
    result = 1;
}
