// SPDX-License-Identifier: Apache-2.0
// Its texture coordinates.
surface show_st()
{
    Ci = color(s, t, 0);
    Oi = 1;
}
