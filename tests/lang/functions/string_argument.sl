// SPDX-License-Identifier: Apache-2.0
// expect: 1
float same(string a, b) { return a == b; }
surface t(output varying float result = 0;)
{
    result = same("a", "a");
}
