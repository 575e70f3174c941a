/* SPDX-License-Identifier: Apache-2.0 */
/* Ripples that fade where micropolygons grow larger than they are, as shaders that filter do. */
displacement fading(float Km = 0.05, freq = 30;)
{
    point Q = transform("shader", P) * freq;
    float width = sqrt(area(Q));
    float fade = 1 - smoothstep(0.3, 1, width);
    P += Km * fade * (0.5 + 0.5 * sin(xcomp(Q)) * sin(ycomp(Q) + 1)) * normalize(N);
    N = calculatenormal(P);
}
