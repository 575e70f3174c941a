// SPDX-License-Identifier: Apache-2.0
// Keeps premultiplied colours at or below alpha, for programs that cannot read brighter ones.
imager clamptoalpha()
{
    Ci = color(min(comp(Ci, 0), alpha), min(comp(Ci, 1), alpha), min(comp(Ci, 2), alpha));
}
