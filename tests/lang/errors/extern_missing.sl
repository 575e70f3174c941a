// SPDX-License-Identifier: Apache-2.0
// expect error: sl-unknown-variable 3
float f() { extern float zz; return zz; }
surface t(output varying float result = 0;)
{
    result = f();
}
