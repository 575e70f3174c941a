/* SPDX-License-Identifier: Apache-2.0 */
/* Unlit random grey: shows whether random() depends on anything but the primitive. */
surface speckle(float low = 0.2, high = 0.8;)
{
    Oi = Os;
    Ci = Oi * Cs * mix(low, high, random());
}
