// SPDX-License-Identifier: Apache-2.0
// A metal that mirrors its surroundings through an environment map; without a map it is `metal`.
surface shinymetal(float Ka = 1; float Ks = 1; float Kr = 1; float roughness = .1; string texturename = "";)
{
    normal Nf = faceforward(normalize(N), I);
    vector V = -normalize(I);
    color mirrored = 0;
    if (texturename != "") {
        vector R = vtransform("world", reflect(normalize(I), Nf));
        mirrored = Kr * color environment(texturename, R);
    }
    Oi = Os;
    Ci = Os * Cs * (Ka * ambient() + Ks * specular(Nf, V, roughness) + mirrored);
}
