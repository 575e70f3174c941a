// SPDX-License-Identifier: Apache-2.0
// expect warning: sl-missing-oi 5
// flags: -Wmissing-oi
// expect: 1
surface t(output varying float result = 0;)
{
    Ci = Cs;
    result = 1;
}
