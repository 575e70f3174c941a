/* SPDX-License-Identifier: Apache-2.0
   Plastic that also tells its parts: what a compositor asks for as layers. */

surface layered(float Ka = 1, Kd = 0.6, Ks = 0.4, roughness = 0.1; color specularcolor = 1;
                output varying color albedo = 0; output varying color diffuselight = 0;
                output varying color highlight = 0; output varying float facing = 0;) {
  normal Nf = faceforward(normalize(N), I);
  vector V = -normalize(I);
  albedo = Cs;
  diffuselight = Ka * ambient() + Kd * diffuse(Nf);
  highlight = specularcolor * Ks * specular(Nf, V, roughness);
  facing = Nf . V;
  Oi = Os;
  Ci = Oi * (albedo * diffuselight + highlight);
}
