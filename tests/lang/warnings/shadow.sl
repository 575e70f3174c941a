// SPDX-License-Identifier: Apache-2.0
// expect warning: sl-shadow 9
// expect warning: sl-shadow 11
// expect warning: sl-shadow 12
// flags: -Wshadow
// expect: 3
surface t(float gain = 1; output varying float result = 0;)
{
    float inner = 1, u = 0;
    if (inner > 0) {
        float inner = 3;
        float gain = 2;
        result = inner + u + 0 * gain;
    }
}
