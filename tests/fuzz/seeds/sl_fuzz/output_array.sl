// SPDX-License-Identifier: Apache-2.0
// expect: 3
void fill(output float a[3]; float x;) { float i; for (i = 0; i < 3; i += 1) a[i] = x; }
surface t(output varying float result = 0;)
{
    float a[3];
    fill(a, 1);
    result = a[0] + a[1] + a[2];
}
