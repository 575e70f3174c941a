// SPDX-License-Identifier: Apache-2.0
// expect: 2
set(output float x) { x = 2; }
surface t(output varying float result = 0;)
{
    float a;
    set(a);
    result = a;
}
