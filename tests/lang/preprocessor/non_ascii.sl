// SPDX-License-Identifier: Apache-2.0
// expect: 1
/* cafй я */
surface t(output varying float result = 0;)
{
    string s = "дц";
    result = s == "дц";
}
