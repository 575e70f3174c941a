// SPDX-License-Identifier: Apache-2.0
// Light from all around: an environment map, blurred to what a matte surface gathers around its normal, or an even
// colour; less where an occlusion map (a set of shadow maps of the scene) says that the surface is hidden. It gives no
// highlights.
light envlight(float intensity = 1; color lightcolor = 1; string envname = ""; string envspace = "world";
               float envblur = 0.35; string occlusionname = ""; float samples = 16; float maxdist = 1.0e10;
               output float __nonspecular = 1;)
{
    normal Nf = normalize(Ns);
    illuminate(Ps + Nf) {
        color seen = 1;
        if (envname != "") seen = color environment(envname, vtransform(envspace, vector(Nf)), "blur", envblur);
        float hidden = 0;
        if (occlusionname != "") hidden = occlusion(occlusionname, Ps, Nf, samples, "maxdist", maxdist);
        Cl = intensity * lightcolor * seen * (1 - hidden);
    }
}
