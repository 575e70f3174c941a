// SPDX-License-Identifier: Apache-2.0
// expect: 0
surface t(output varying float result = 1;)
{
    normal a = bump("a.tx", N, dPdu, dPdv), b = bump("a.tx", N, dPdu, dPdv, s, t);
    result = length(a - N) + length(b - N);
}
