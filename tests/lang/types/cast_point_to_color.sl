// SPDX-License-Identifier: Apache-2.0
// expect: 1 2 3
surface t(output varying color result = 0;)
{
    point p = (1,2,3);
    result = color p;
}
