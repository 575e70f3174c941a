// SPDX-License-Identifier: Apache-2.0
// A point light with a shadow map that looks all around (shadowname), or one for each of the six directions: sfpx is
// seen from the light along +x of the world, sfnx along -x, and so on; "" casts none. shadowbias below 0 leaves the bias to the renderer's options.
light shadowpoint(float intensity = 1; color lightcolor = 1; point from = point "shader" (0, 0, 0);
                  string sfpx = ""; string sfnx = ""; string sfpy = ""; string sfny = ""; string sfpz = "";
                  string sfnz = ""; string shadowname = ""; float samples = 16; float blur = 0.01; float width = 1; float shadowbias = -1;)
{
    float shadowed(string name; point at)
    {
        extern float samples, blur, width, shadowbias;
        float dark = 0;
        if (name != "") {
            if (shadowbias >= 0)
                dark = shadow(name, at, "samples", samples, "swidth", width, "twidth", width, "blur", blur, "bias",
                              shadowbias);
            else
                dark = shadow(name, at, "samples", samples, "swidth", width, "twidth", width, "blur", blur);
        }
        return dark;
    }
    illuminate(from) {
        vector D = vtransform("world", L);
        float ax = abs(xcomp(D)), ay = abs(ycomp(D)), az = abs(zcomp(D));
        float dark;
        if (shadowname != "") {
            dark = shadowed(shadowname, Ps);
        } else if (ax >= ay && ax >= az) {
            if (xcomp(D) > 0) dark = shadowed(sfpx, Ps); else dark = shadowed(sfnx, Ps);
        } else if (ay >= az) {
            if (ycomp(D) > 0) dark = shadowed(sfpy, Ps); else dark = shadowed(sfny, Ps);
        } else {
            if (zcomp(D) > 0) dark = shadowed(sfpz, Ps); else dark = shadowed(sfnz, Ps);
        }
        Cl = intensity * lightcolor / (L . L) * (1 - dark);
    }
}
