// SPDX-License-Identifier: Apache-2.0
// expect: 1 0 0
surface t(output varying color result = 0;)
{
    result = spline(0, color(0,0,0), color(1,0,0), color(0,1,0), color(0,0,1));
}
