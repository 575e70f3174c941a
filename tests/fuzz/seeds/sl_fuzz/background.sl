// SPDX-License-Identifier: Apache-2.0
// Fills what the picture leaves open with a colour. Scenes call its parameter "color" or "bgcolor": color wins.
imager background(color color = -1; color bgcolor = 1;)
{
    color fill = bgcolor;
    if (comp(color, 0) >= 0)
        fill = color;
    Ci += (1 - alpha) * fill;
    Oi = 1;
    alpha = 1;
}
