// SPDX-License-Identifier: Apache-2.0
// expect: 8
void inc(output float x; float by) { x += by; }
surface t(output varying float result = 0;)
{
    float a[2] = {1, 2};
    inc(a[1], 6);
    result = a[1];
}
