// SPDX-License-Identifier: Apache-2.0
// Thin glass: clear where seen face on, more mirror-like at grazing angles, with highlights and an optional
// environment map. eta is the index of refraction.
surface glass(float Ka = .2; float Ks = .6; float Kr = 1; float Kt = .9; float roughness = .05; float eta = 1.5;
              color specularcolor = 1; string envname = "";)
{
    normal Nf = faceforward(normalize(N), I);
    vector In = normalize(I);
    float kr = 0, kt = 1;
    fresnel(In, Nf, 1 / eta, kr, kt);
    color mirrored = 0;
    if (envname != "")
        mirrored = Kr * kr * color environment(envname, vtransform("world", reflect(In, Nf)));
    Oi = Os * mix(color(1 - Kt), color(1), min(1, kr));
    Ci = Oi * Cs * Ka * ambient() + Os * (specularcolor * Ks * specular(Nf, -In, roughness) + mirrored);
}
