// SPDX-License-Identifier: Apache-2.0
// expect: .5 .5 .5
surface t(output varying color result = 0;)
{
    color c = .5;
    result = c;
}
