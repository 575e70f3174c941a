// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    color wood = color(0.5, 0.5, 0.5), c = wood;
    c *= (1 - 0.5 / 2 + 0.5 * noise(s + 0.37));
    color d = wood * (1 + (0.3 * (2 * noise(s + 0.37) - 1)));
    color e = 0.5 * noise(P + 0.37);
    result = comp(c, 0) == comp(c, 1) && comp(c, 1) == comp(c, 2) && comp(d, 0) == comp(d, 2) &&
             comp(e, 0) != comp(e, 1);
}
