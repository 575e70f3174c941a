// SPDX-License-Identifier: Apache-2.0
// expect warning: sl-float-equal 9
// expect no warning: sl-float-equal 10
// flags: -Wfloat-equal
// expect: 1
surface t(float a = 0; output varying float result = 0;)
{
    string n = "x";
    if (a * 3 == sqrt(u + 1)) result = 2;
    else if (a == 0 && n == "x") result = 1;
}
