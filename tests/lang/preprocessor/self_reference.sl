// SPDX-License-Identifier: Apache-2.0
// expect: 3
#define foo foo
surface t(output varying float result = 0;)
{
    float foo = 3;
    result = foo;
}
