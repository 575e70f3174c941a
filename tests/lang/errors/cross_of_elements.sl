// SPDX-License-Identifier: Apache-2.0
// expect error: sl-type-mismatch 7
// expect error: sl-type-mismatch 8
surface t()
{
    float a[3], f = 2; vector v[2];
    a[1] ^= 2;
    f ^= 2;
    v[1] ^= N;
    Ci = color (v[1]);
    Oi = 1;
}
