// SPDX-License-Identifier: Apache-2.0
// expect warning: sl-uniform-varying 6
// expect: 0
surface t(output varying float result = 0;)
{
    uniform float a = u;
    result = a;
}
