// SPDX-License-Identifier: Apache-2.0
// For AreaLightSource: every place of its surface shines from its front, with the inverse square of the distance.
// `lambert` 1 dims what leaves at a slant by the cosine, as a matte glowing surface does. A shadow map, if there is
// one, serves all places; with autoshadows each has its own.
light arealight(float intensity = 1; color lightcolor = 1; float lambert = 0;
                string shadowname = ""; float samples = 16; float blur = 0; float width = 1;)
{
    illuminate(P, N, PI / 2) {
        float dark = 0;
        if (shadowname != "")
            dark = shadow(shadowname, Ps, "samples", samples, "blur", blur, "width", width);
        float leaving = mix(1, (L . normalize(N)) / length(L), lambert);
        Cl = intensity * lightcolor * leaving / (L . L) * (1 - dark);
    }
}
