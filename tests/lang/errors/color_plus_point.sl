// SPDX-License-Identifier: Apache-2.0
// expect error: sl-type-mismatch 5
surface t(output varying float result = 0;)
{
    result = xcomp(Cs + P);
}
