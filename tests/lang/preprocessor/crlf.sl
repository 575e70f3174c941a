// SPDX-License-Identifier: Apache-2.0
// expect: 2
#define TWO \
  2
surface t(output varying float result = 0;)
{
    result = TWO;
}
