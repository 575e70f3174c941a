// SPDX-License-Identifier: Apache-2.0
// expect: 0
// The largest difference from what the specification's formulas give, of uniform and of varying arguments.
void near(float got, want; output varying float worst)
{
    worst = max(worst, abs(got - want) / max(1, abs(want)));
}
surface t(output varying float result = 0;)
{
    varying float z = 0 * u;   // 0 that varies
    varying float worst = 0;
    uniform string name = concat("a", "b", "c");
    if (name != "abc") worst = 1;
    if (format("%s is %f and %d", name, 1.5, 3) != "abc is 1.500000 and 3") worst = 1;
    if (match("b", name) != 1 || match("^b", name) != 0 || match("c$", name) != 1) worst = 1;
    if (match("a.c", "xabcx") != 1 || match("[0-9]+x", "ab12x") != 1 || match("^(ab|cd)*$", "abcdab") != 1) worst = 1;
    if (match("^(ab|cd)*$", "abc") != 0) worst = 1;
    float a[7];
    near(arraylength(a), 7, worst);
    near(raylevel(), 0, worst); near(isshadowray(), 0, worst);
    uniform float f = 9;
    uniform string s_ = "old";
    // Without a renderer nothing is known, and variables stay.
    near(attribute("Sides", f) + option("Format", f) + surface("Kd", f) + displacement("Km", f) + atmosphere("d", f) +
         incident("Kr", f) + opposite("Kr", f) + textureinfo("a.tx", "type", s_), 0, worst);
    near(f, 9, worst);
    if (s_ != "old" || shadername() != "" || shadername("surface") != "") worst = 1;
    result = worst < 2e-6 ? 0 : worst;
}
