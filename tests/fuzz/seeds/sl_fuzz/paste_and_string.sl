// SPDX-License-Identifier: Apache-2.0
// expect: 1
#define CAT(a, b) a##b
#define STR(x) #x
surface t(output varying float result = 0;)
{
    float ab = 1;
    result = CAT(a, b) * (STR(x y) == "x y");
}
