// SPDX-License-Identifier: Apache-2.0
// expect: 3.14159265
surface t(output varying float result = 0;)
{
    result = PI;
}
