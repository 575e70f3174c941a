// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
    vector step = (1,2,2);
    result = length(step) * step(0, 1);
}
