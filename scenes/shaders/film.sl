/* SPDX-License-Identifier: Apache-2.0
   Thin coloured glass: nearly clear face on, denser towards the edge, with a highlight. */

surface film(float Ka = 0.3, Kd = 0.5, Ks = 0.8, roughness = 0.05, clear = 0.15, edge = 0.85;) {
  normal Nf = faceforward(normalize(N), I);
  vector V = -normalize(I);
  float facing = Nf . V;
  Oi = Os * mix(edge, clear, facing);
  Ci = Oi * Cs * (Ka * ambient() + Kd * diffuse(Nf)) + Ks * specular(Nf, V, roughness);
}
