/* SPDX-License-Identifier: Apache-2.0 */
/* The area of each micropolygon in pixels. */
surface microarea()
{
    point Q = transform("raster", P);
    float ax = Du(xcomp(Q)) * du, ay = Du(ycomp(Q)) * du;
    float bx = Dv(xcomp(Q)) * dv, by = Dv(ycomp(Q)) * dv;
    Ci = color(abs(ax * by - ay * bx));
    Oi = 1;
}
