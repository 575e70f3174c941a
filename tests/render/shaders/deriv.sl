// SPDX-License-Identifier: Apache-2.0
// How far a step of s, and of t, goes on the surface.
surface deriv()
{
    Ci = color(length(Deriv(P, s)), length(Deriv(P, t)), Dv(s));
    Oi = 1;
}
