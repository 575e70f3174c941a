// SPDX-License-Identifier: Apache-2.0
// expect: 3
float first()
{
    float i;
    for (i = 0; i < 10; i += 1)
        if (i * i > 5) return i;
    return -1;
}
surface t(output varying float result = 0;)
{
    result = first();
}
