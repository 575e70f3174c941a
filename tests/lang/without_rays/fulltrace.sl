// SPDX-License-Identifier: Apache-2.0
// expect: 0 0 0
surface t(output varying color result = 1;)
{
    color hit = 1;
    float distance_ = 1;
    point where = P, miss = P;
    normal there = N;
    vector on = I;
    if (fulltrace(P, I, hit, distance_, where, there, miss, on) > 0)
        result = 2;
    else
        result = hit + color (distance_, 0, 0);
}
