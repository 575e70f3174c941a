// SPDX-License-Identifier: Apache-2.0
// expect error: sl-open-block 4
surface t()
{
    Ci = 1;
