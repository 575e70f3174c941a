/* SPDX-License-Identifier: Apache-2.0 */
/* Noise along the normal. */
displacement lumps(float Km = 0.1, freq = 4;)
{
    point Q = transform("shader", P) * freq;
    P += Km * float noise(Q) * normalize(N);
    N = calculatenormal(P);
}
