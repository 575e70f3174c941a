// SPDX-License-Identifier: Apache-2.0
// Plastic whose body colour is multiplied by a texture over (s, t).
surface paintedplastic(float Ka = 1; float Kd = .5; float Ks = .5; float roughness = .1; color specularcolor = 1;
                       string texturename = "";)
{
    normal Nf = faceforward(normalize(N), I);
    vector V = -normalize(I);
    color body = Cs;
    if (texturename != "")
        body *= color texture(texturename);
    Oi = Os;
    Ci = Os * (body * (Ka * ambient() + Kd * diffuse(Nf)) + specularcolor * Ks * specular(Nf, V, roughness));
}
