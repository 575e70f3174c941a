// SPDX-License-Identifier: Apache-2.0
// Moves points up and down along v: a curve becomes a wave.
displacement swing(float Km = 0.2, freq = 2)
{
    P += vector(0, Km * sin(2 * PI * freq * v), 0);
}
