// SPDX-License-Identifier: Apache-2.0
// Fills what the picture leaves open with a colour.
imager background(color background = 1; color bgcolor = -1;)
{
    color fill = background;
    if (comp(bgcolor, 0) >= 0)
        fill = bgcolor;
    Ci += (1 - alpha) * fill;
    Oi = 1;
    alpha = 1;
}
