// SPDX-License-Identifier: Apache-2.0
// Moves the surface along its normal by a texture over (s, t); Km is the height where the texture is 1.
displacement bumpy(float Km = 1; string texturename = "";)
{
    if (texturename != "") {
        float height = Km * float texture(texturename);
        P += height * normalize(N);
        N = calculatenormal(P);
    }
}
