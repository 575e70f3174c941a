// SPDX-License-Identifier: Apache-2.0
// A bare lamp at `from`; its light falls off with the square of the distance.
light pointlight(float intensity = 1; color lightcolor = 1; point from = point "shader" (0, 0, 0);)
{
    illuminate(from)
        Cl = intensity * lightcolor / (L . L);
}
