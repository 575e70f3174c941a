/* SPDX-License-Identifier: Apache-2.0
   Veined stone: noise in the shader's own space mixes two colours; lit as plastic. */

surface stone(float Ka = 1, Kd = 0.8, Ks = 0.2, roughness = 0.15, frequency = 2; color vein = color(0.25, 0.2, 0.2);
              color specularcolor = 1;) {
  point Q = frequency * transform("shader", P);
  float turbulence = 0, scale = 1, i;
  for (i = 0; i < 5; i += 1) {
    turbulence += abs(2 * noise(scale * Q) - 1) / scale;
    scale *= 2;
  }
  float mask = smoothstep(0.1, 0.7, turbulence);
  color base = mix(vein, Cs, mask);

  normal Nf = faceforward(normalize(N), I);
  vector V = -normalize(I);
  Oi = Os;
  Ci = Oi * (base * (Ka * ambient() + Kd * diffuse(Nf)) + specularcolor * Ks * specular(Nf, V, roughness));
}
