// SPDX-License-Identifier: Apache-2.0
// expect error: sl-wrong-shader 5
surface t(output varying float result = 0;)
{
    illuminate(P) result = 1;
}
