/* SPDX-License-Identifier: Apache-2.0
   Squares of two colours over s and t, filtered in closed form, lit as matte. */

/* Integral of a wave that is 1 on [0,1), 0 on [1,2), and so on. */
float waveIntegral(float x) { return floor(x / 2) + min(mod(x, 2), 1); }

/* Its mean over a width w around x. */
float wave(float x, w) { return (waveIntegral(x + 0.5 * w) - waveIntegral(x - 0.5 * w)) / w; }

surface checker(float Ka = 1, Kd = 1, frequency = 8; color dark = 0.15, pale = 0.75;) {
  float x = 2 * frequency * s, y = 2 * frequency * t;
  float wx = max(abs(Du(x) * du) + abs(Dv(x) * dv), 0.0001);
  float wy = max(abs(Du(y) * du) + abs(Dv(y) * dv), 0.0001);
  float a = wave(x, wx), b = wave(y, wy);
  color base = mix(dark, pale, a * b + (1 - a) * (1 - b));

  normal Nf = faceforward(normalize(N), I);
  Oi = Os;
  Ci = Oi * Cs * base * (Ka * ambient() + Kd * diffuse(Nf));
}
