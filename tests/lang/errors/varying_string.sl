// SPDX-License-Identifier: Apache-2.0
// expect error: sl-varying-string
surface t(output varying float result = 0;)
{
    string s = "a";
    if (u > .5) s = "b";
    result = s == "a";
}
