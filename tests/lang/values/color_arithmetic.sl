// SPDX-License-Identifier: Apache-2.0
// expect: 1.5 2 2.5
surface t(output varying color result = 0;)
{
    result = 2 * color(.5,.75,1) + .5;
}
