/* SPDX-License-Identifier: Apache-2.0
   A matte surface whose colour is a texture over s and t. */

surface print(float Ka = 1, Kd = 1; string texturename = "";) {
  color base = Cs;
  if (texturename != "") base *= color texture(texturename, s, t);
  normal Nf = faceforward(normalize(N), I);
  Oi = Os;
  Ci = Oi * base * (Ka * ambient() + Kd * diffuse(Nf));
}
