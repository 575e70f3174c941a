// SPDX-License-Identifier: Apache-2.0
// The mark of UTF-8 before the text and the end of file of DOS after it.
// expect: 2
surface t(output varying float result = 0;)
{
    result = 2;
}
