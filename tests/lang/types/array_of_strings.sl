// SPDX-License-Identifier: Apache-2.0
// expect: 1
surface t(output varying float result = 0;)
{
    string a[2] = {"x", "y"};
    result = a[1] == "y";
}
