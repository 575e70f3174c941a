// SPDX-License-Identifier: Apache-2.0
// expect: 0 0 1
surface t(output varying normal result = 0;)
{
    normal n = (0,0,2);
    result = normalize(n);
}
