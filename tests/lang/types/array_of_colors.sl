// SPDX-License-Identifier: Apache-2.0
// expect: 0 1 0
surface t(output varying color result = 0;)
{
    color a[2] = {color(1,0,0), color(0,1,0)};
    result = a[1];
}
