// SPDX-License-Identifier: Apache-2.0
// expect warning: sl-uninitialised 11
// expect no warning: sl-uninitialised 12
// expect no warning: sl-uninitialised 16
// expect: 4
surface t(output varying float result = 0;)
{
    float a, b;
    float carried;
    b = 1;
    result = a;
    result += b;
    float i;
    // In a later round it has one.
    for (i = 0; i < 3; i += 1) {
        if (i > 0) result += carried;
        carried = 1.5;
    }
}
