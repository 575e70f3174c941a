// SPDX-License-Identifier: Apache-2.0
// Numbers that have no result get those of the manual, and are counted where they stand.
// expect: 0 0 0 0 0 0 0 0 0 7 9
// expect fault: vm-sqrt-negative 22
// expect fault: vm-pow-range 23
// expect fault: vm-normalize-zero 24
// expect fault: vm-mod-zero 25
// expect fault: vm-log-range 26
// expect fault: vm-arc-range 27
// expect fault: vm-spline-nan 31
// expect fault: vm-array-index 32
surface t(output varying float result[11] = {0};)
{
    varying float z = 0 * u;
    varying vector o = vector (z, z, z);
    float nan = z / z, a[3] = {7, 8, 9};
    result[0] = 1;
    float i = -1, huge = 1e9;



    result[0] = sqrt(z - 1);
    result[1] = pow(z - 1, 0.5);
    result[2] = length(normalize(o));
    result[3] = mod(5, z);
    result[4] = log(z) < -1e30 ? 0 : 1;
    result[5] = acos(z + 2);



    result[6] = spline(nan, 0, 0, 1, 1);
    result[9] = a[i + z]; result[10] = a[huge + z];
}
