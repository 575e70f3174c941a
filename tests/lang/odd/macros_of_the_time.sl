// SPDX-License-Identifier: Apache-2.0
// Macros as headers of the nineties have them.
// expect: 1e-06 0.5 9 4 7
#define sqr(x) ((x)*(x))
#define MINFILTERWIDTH 1.0e-6
#define filterwidth(x) max (abs(Du(x)*du) + abs(Dv(x)*dv), MINFILTERWIDTH)
#define boxstep(a,b,x) (clamp(((x)-(a))/((b)-(a)),0,1))
#define rmax(a,b,c) max(max(a,b),c)
#define luma(c) (rmax(comp(c,0), \
                      comp(c,1), comp(c,2)))
#define EMPTY
#define BOTH(x, y) x EMPTY y
#ifdef VERBOSE
#define SAY(x) printf("%f\n", x)
#else
#define SAY(x)
#endif
#if defined (PRMAN) || defined(BMRT) && !defined(AQSIS)
#error this is neither
#elif defined(REYES)
#define NINE 9
#endif
surface t(output varying float result[5] = {0};)
{
    SAY(s);
    result[0] = filterwidth(0 * s + 1);
    result[1] = boxstep(.2, .4, .3);
    BOTH(result[2] = NINE;, result[3] = sqr(1 + 1);)
    result[4] = luma(color (1, 7, 3));
}
#undef NINE
