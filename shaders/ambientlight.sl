// SPDX-License-Identifier: Apache-2.0
// Light from everywhere alike.
light ambientlight(float intensity = 1; color lightcolor = 1;)
{
    Cl = intensity * lightcolor;
}
