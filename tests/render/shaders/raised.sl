// SPDX-License-Identifier: Apache-2.0
// Moves a surface along its normal, and shears it along z of its space by its x.
displacement raised(float by = 0, shear = 0;)
{
    point Q = transform("shader", P + by * normalize(N));
    P = transform("shader", "current", Q + vector(0, 0, shear * xcomp(Q)));
    N = calculatenormal(P);
}
