// SPDX-License-Identifier: Apache-2.0
// expect error: sl-no-loop 5
surface t(output varying float result = 0;)
{
    break;
}
