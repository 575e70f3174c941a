// SPDX-License-Identifier: Apache-2.0
// Without a renderer nothing is known: the result is 0 and the variable stays.
// expect: 0 9
surface t(output varying float result[2] = {0, 0};)
{
    uniform float f = 9;
    varying float g = 9;
    uniform string name = "";
    result[0] = attribute("Sides", f) + option("Format", f) + rendererinfo("version", f) + rayinfo("depth", f) +
                surface("Kd", g) + displacement("Km", g) + atmosphere("density", g) + incident("Kr", g) +
                opposite("Kr", g) + lightsource("intensity", g) + raylevel() + isshadowray();
    name = shadername();
    name = shadername("surface");
    result[1] = name == "" ? (f + g) / 2 : 0;
}
