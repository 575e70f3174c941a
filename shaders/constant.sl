// SPDX-License-Identifier: Apache-2.0
// Flat colour: the object's own, whatever the light.
surface constant()
{
    Oi = Os;
    Ci = Os * Cs;
}
