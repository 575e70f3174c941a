// SPDX-License-Identifier: Apache-2.0
// Without a renderer depth() is z, 0 here.
// expect: 0
surface t(output varying float result = 0;)
{
    result = depth(P);
}
