// SPDX-License-Identifier: Apache-2.0
// What rounding leaves is nothing to talk about, and neither is what a branch leaves out.
// expect: 0 0 5
surface t(output varying float result[3] = {0};)
{
    varying float z = 0 * u;
    result[0] = sqrt(z - 1e-7);
    result[1] = acos(z + 1.000001);
    varying vector o = vector (z, z, z);
    if (z > 0) result[2] = length(normalize(o));
    else result[2] = 5;
    result[2] = u < 9 ? result[2] : mod(1, z);
}
