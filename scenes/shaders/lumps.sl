/* SPDX-License-Identifier: Apache-2.0
   Fractal lumps along the normal, in the shader's own space. The bound to declare is Km. */

displacement lumps(float Km = 0.1, frequency = 3, octaves = 4;) {
  point Q = frequency * transform("shader", P);
  float height = 0, amplitude = 0.5, i;
  for (i = 0; i < octaves; i += 1) {
    height += amplitude * noise(Q);
    amplitude *= 0.5;
    Q = 2 * Q + vector(17.1, 3.7, 9.2);
  }
  P += Km * height * normalize(N);
  N = calculatenormal(P);
}
