// SPDX-License-Identifier: Apache-2.0
// expect: 3
// expect warning: sl-ignored-token 9
// Messages to and from lights compile; without lights nothing is received.
surface t(output varying float result = 0;)
{
    float shadowed = 3;
    color c = 1;
    illuminance("shad", P, N, PI / 2, "send:light:gain", s, "light:_shadow", shadowed, "nothing", 1, "lightcache", "reuse") {
        c += Cl;
    }
    result = shadowed;
}
