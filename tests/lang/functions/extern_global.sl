// SPDX-License-Identifier: Apache-2.0
// expect: 0 0 1
normal facing() { extern normal N; return normalize(N); }
surface t(output varying normal result = 0;)
{
    result = facing();
}
