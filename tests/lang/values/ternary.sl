// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    result = u < 0.5 ? 3 : 4;
}
