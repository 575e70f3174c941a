// SPDX-License-Identifier: Apache-2.0
// expect: 0.5235988
surface t(float a = radians(30); output varying float result = 0;)
{
    result = a;
}
