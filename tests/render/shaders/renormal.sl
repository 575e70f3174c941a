/* SPDX-License-Identifier: Apache-2.0 */
/* Ripples towards where the surface faces, and the normal that the moved surface has. */
displacement renormal(float Km = 0.02;)
{
    P += Km * sin(20 * v) * normalize(N);
    N = calculatenormal(P);
}
