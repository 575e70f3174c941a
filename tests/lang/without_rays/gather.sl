// SPDX-License-Identifier: Apache-2.0
// expect: 7
// The branch for rays that hit nothing runs; the other is checked all the same.
surface t(output varying float result = 1;)
{
    color hitColor = 0;
    gather("illuminance", P, normalize(N), PI / 2, 16, "surface:Ci", hitColor) {
        result += comp(hitColor, 0);
    } else {
        result += 6;
    }
}
