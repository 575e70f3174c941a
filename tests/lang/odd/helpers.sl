// SPDX-License-Identifier: Apache-2.0
// Functions before, inside of and after the shader, with outputs, extern variables and both separators.
// expect: 1 1 7 6
void setup(output normal Nn; output vector V)
{
    extern normal N;
    extern vector I;
    Nn = normalize(N);
    V = -normalize(I);
}
float weigh(float a, b; color c;) { return a + b * comp(c, 0); }
uniform float twice(uniform float x;) { return x * 2; }
surface t(output varying float result[4] = {0};)
{
    normal n;
    vector V;
    void put(output float x; float y) { x = y; }
    color shade() { extern normal n; return color (zcomp(n), 2, 3); }
    setup(n, V);
    put(result[0], zcomp(n));
    result[1] = abs(n . V);
    result[2] = weigh(1, 2, color (3, 0, 0));
    result[3] = last(comp(shade(), 2)) ;
    uniform float q = twice(0);
    result[3] += q;
}
float last(float x) { return x * 2; }
