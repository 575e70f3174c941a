// SPDX-License-Identifier: Apache-2.0
// Parallel light with a shadow map. shadowbias below 0 leaves the bias to the renderer's options.
light shadowdistant(float intensity = 1; color lightcolor = 1;
                    point from = point "shader" (0, 0, 0); point to = point "shader" (0, 0, 1);
                    string shadowname = ""; float samples = 16; float blur = 0.01; float width = 1; float shadowbias = -1;)
{
    solar(to - from, 0) {
        float dark = 0;
        if (shadowname != "") {
            if (shadowbias >= 0)
                dark = shadow(shadowname, Ps, "samples", samples, "swidth", width, "twidth", width, "blur", blur,
                              "bias", shadowbias);
            else
                dark = shadow(shadowname, Ps, "samples", samples, "swidth", width, "twidth", width, "blur", blur);
        }
        Cl = intensity * lightcolor * (1 - dark);
    }
}
