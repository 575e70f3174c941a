// SPDX-License-Identifier: Apache-2.0
// expect: 1 0 0
surface t(output varying color result = 0;)
{
    result = color "hsv" (0, 1, 1);
}
