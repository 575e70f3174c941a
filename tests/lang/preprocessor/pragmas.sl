// SPDX-License-Identifier: Apache-2.0
// expect: 1
#pragma nolint
#pragma annotation result "a note"
surface t(output varying float result = 0;)
{
    result = 1;
}
