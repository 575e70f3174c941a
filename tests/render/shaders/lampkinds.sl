// SPDX-License-Identifier: Apache-2.0
// A light of a category and a group by default, which says something to surfaces.
light lampkinds(float intensity = 1; vector along = vector "world" (0, 0, 1); string __category = "";
                string __group = "byshader"; output float __nondiffuse = 0; output float said = 7;)
{
    solar(along, 0) Cl = intensity;
}
