// SPDX-License-Identifier: Apache-2.0
// expect no warning: sl-shadow 0
// expect no warning: sl-unused 0
// expect no warning: sl-uniform-varying 0
// expect: 1
// flags: -Wno-uniform-varying
surface t(float unread = 1; output varying float result = 0;)
{
    uniform float x = u;
    float result2 = 1;
    if (x < 5) { float result2 = 2; result2 = x; }
    result = result2;
}
