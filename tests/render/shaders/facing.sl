// SPDX-License-Identifier: Apache-2.0
// Red where N looks to the eye, green where dPdu x dPdv does, as seen in a left-handed space.
surface facing()
{
    vector across = dPdu ^ dPdv;
    Ci = color(step(0, -(N . I)), step(0, -(across . I)), 0);
    Oi = 1;
}
