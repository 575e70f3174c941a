// SPDX-License-Identifier: Apache-2.0
// expect error: sl-open-string 5
surface t(output varying float result = 0;)
{
    string s = "abc;
    result = 1;
}
