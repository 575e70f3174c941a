// SPDX-License-Identifier: Apache-2.0
// Red: the light of lamps in category "rim"; green: of all but those; blue: what lamps say, summed up.
surface asklamps()
{
    float heard = 0, rim = 0, others = 0, sum = 0;
    normal n = faceforward(normalize(N), I);
    illuminance("rim", P, n, PI / 2) rim += comp(Cl, 0);
    illuminance("-rim", P, n, PI / 2) others += comp(Cl, 0);
    illuminance(P, n, PI / 2) {
        if (lightsource("said", heard) == 1) sum += heard;
    }
    Ci = color(rim, others, sum);
    Oi = 1;
}
