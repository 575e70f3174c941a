// SPDX-License-Identifier: Apache-2.0
// expect error: sl-not-implemented 5
surface t(output varying float result = 0;)
{
    result = occlusion(P, N, 16);
}
