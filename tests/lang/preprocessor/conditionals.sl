// SPDX-License-Identifier: Apache-2.0
// expect: 3
surface t(output varying float result = 0;)
{
#ifdef PRMAN
    result = 1;
#elif defined(BMRT) || defined AQSIS
    result = 2;
#elif defined(REYES) && (1 + 1 == 2)
    result = 3;
#else
    result = 4;
#endif
}
