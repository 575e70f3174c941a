// SPDX-License-Identifier: Apache-2.0
// expect error: sl-return 3
float f() { return; }
surface t(output varying float result = 0;)
{
    result = f();
}
