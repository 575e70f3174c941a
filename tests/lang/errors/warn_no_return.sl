// SPDX-License-Identifier: Apache-2.0
// expect warning: sl-return 4
// expect: 0
float f() { float x = 1; }
surface t(output varying float result = 0;)
{
    result = f();
}
