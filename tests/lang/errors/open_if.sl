// SPDX-License-Identifier: Apache-2.0
// expect error: sl-open-if 3
#ifdef X
surface t(output varying float result = 0;)
{
    result = 1;
}
