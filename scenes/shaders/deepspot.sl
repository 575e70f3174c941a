// SPDX-License-Identifier: Apache-2.0
// A spotlight whose shadows have colours: light that passes glass keeps what the glass lets by.
light deepspot(float intensity = 1; point from = point "shader" (0, 0, 0); point to = point "shader" (0, 0, 1);
               float coneangle = radians(30); string shadowname = ""; float blur = 0.005;)
{
    uniform vector axis = normalize(to - from);
    illuminate(from, axis, coneangle) {
        color stopped = 0;
        if (shadowname != "") stopped = color shadow(shadowname, Ps, "blur", blur);
        float along = (L . axis) / length(L);
        Cl = intensity / (L . L) * smoothstep(cos(coneangle), cos(coneangle * 0.85), along) * (1 - stopped);
    }
}
