// SPDX-License-Identifier: Apache-2.0
// expect: 3
float three(void) { return 3; }
surface t(output varying float result = 0;)
{
    result = three();
}
