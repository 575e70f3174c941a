// SPDX-License-Identifier: Apache-2.0
// The light that arrives, from whichever side.
surface arrives()
{
    color sum = 0;
    illuminance(P) sum += Cl;
    Ci = sum;
    Oi = 1;
}
