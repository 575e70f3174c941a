// SPDX-License-Identifier: Apache-2.0
// A spotlight with a shadow map. shadowbias below 0 leaves the bias to the renderer's options.
light shadowspot(float intensity = 1; color lightcolor = 1;
                 point from = point "shader" (0, 0, 0); point to = point "shader" (0, 0, 1);
                 float coneangle = radians(30); float conedeltaangle = radians(5); float beamdistribution = 2;
                 string shadowname = ""; float samples = 16; float blur = 0.01; float width = 1; float shadowbias = -1;)
{
    uniform vector axis = normalize(to - from);
    uniform float outer = cos(coneangle);
    uniform float inner = cos(coneangle - conedeltaangle);
    illuminate(from, axis, coneangle) {
        float along = (L . axis) / length(L);
        float beam = pow(along, beamdistribution) / (L . L);
        float dark = 0;
        if (shadowname != "") {
            if (shadowbias >= 0)
                dark = shadow(shadowname, Ps, "samples", samples, "swidth", width, "twidth", width, "blur", blur,
                              "bias", shadowbias);
            else
                dark = shadow(shadowname, Ps, "samples", samples, "swidth", width, "twidth", width, "blur", blur);
        }
        Cl = intensity * lightcolor * beam * smoothstep(outer, inner, along) * (1 - dark);
    }
}
