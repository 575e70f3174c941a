// SPDX-License-Identifier: Apache-2.0
// expect: 0 1
// expect fault: vm-match-pattern 6
surface t(output float result[2] = {0, 0};)
{
    result[0] = match("(ab", "ab");
    result[1] = match("(ab)", "xabx");
}
