// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    string n = "a" "b";
    result = n == "ab";
}
