// SPDX-License-Identifier: Apache-2.0
// Hands out a colour, and its depth.
surface aov_values(color value = 0; output varying color aov_value = 0; output varying float aov_height = 0)
{
  aov_value = value;
  aov_height = zcomp(P);
  Oi = Os;
  Ci = Os * Cs;
}
