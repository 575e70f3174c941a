// SPDX-License-Identifier: Apache-2.0
// expect: 3 0 0
surface t(output varying vector result = 0;)
{
    result = Du(P);
}
