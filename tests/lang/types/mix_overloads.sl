// SPDX-License-Identifier: Apache-2.0
// expect: 0.75 0.75 0.75
surface t(output varying color result = 0;)
{
    result = mix(color(.5), color(1), mix(0, 1, .5));
}
