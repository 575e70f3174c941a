// SPDX-License-Identifier: Apache-2.0
// expect error: sl-no-overload 5
surface t()
{
    Ci = length("a") + xcomp(matrix 1);
    Oi = 1;
}
