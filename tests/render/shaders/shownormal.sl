/* SPDX-License-Identifier: Apache-2.0 */
/* The normal as a colour, in camera space: 0.5 is none. */
surface shownormal()
{
    vector n = vtransform("current", "camera", normalize(N));
    Oi = Os;
    Ci = Oi * (color(xcomp(n), ycomp(n), zcomp(n)) + 1) / 2;
}
