/* SPDX-License-Identifier: Apache-2.0 */
/* Few and narrow bumps: a high power of noise, which hardly moves most points. */
displacement pimples(float Km = 0.05, power = 5, freq = 20;)
{
    point Q = transform("shader", P) * freq;
    P += Km * pow(float noise(Q), power) * normalize(N);
    N = calculatenormal(P);
}
