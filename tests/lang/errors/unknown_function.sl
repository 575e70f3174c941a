// SPDX-License-Identifier: Apache-2.0
// expect error: sl-unknown-function 5
surface t(output varying float result = 0;)
{
    result = lenght(N);
}
