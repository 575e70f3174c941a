// SPDX-License-Identifier: Apache-2.0
// expect: 7


surface t(output varying float result = 0;)
{
    result = __LINE__;
}
