// SPDX-License-Identifier: Apache-2.0
// Maps that cannot be read are black, in each signature.
// expect: 0 3
surface t(output varying float result[2] = {0, 0};)
{
    color c = texture("no.tx") + texture("no.tx", s, t) + texture("no.tx", s, t, s, t, s, t, s, t) +
              environment("no.env", N) + environment("no.env", N, N, N, N);
    float f = texture("no.tx"[1]) + float texture("no.tx", s, t, "blur", 0.1) +
              float texture("no.tx"[2], s, t, s, t, s, t, s, t) + float environment("no.env"[0], N) +
              float environment("no.env", N, N, N, N) + shadow("no.shd", P) + shadow("no.shd", P, P, P, P);
    c += color shadow("no.shd", P);
    uniform float resolution[2] = {3, 3};
    result[0] = f + comp(c, 0) + comp(c, 1) + comp(c, 2) + textureinfo("no.tx", "resolution", resolution);
    result[1] = resolution[0];
}
