// SPDX-License-Identifier: Apache-2.0
// What a primitive without a surface shader gets: lit by a lamp at the eye, so that its shape shows without any light.
surface defaultsurface(float Ka = .2; float Kd = .8;)
{
    float facing = abs(normalize(N) . normalize(I));
    Oi = Os;
    Ci = Os * Cs * (Ka + Kd * facing);
}
