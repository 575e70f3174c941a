// SPDX-License-Identifier: Apache-2.0
// expect: 42
float luminance(color c) { return 42; }
surface t(output varying float result = 0;)
{
    result = luminance(Cs);
}
