/* SPDX-License-Identifier: Apache-2.0
   A mirror that looks up an environment map made in world space, and a highlight. */

surface mirror(float Ka = 0.1, Kd = 0.1, Ks = 0.4, Kr = 0.9, roughness = 0.05; string envname = "";) {
  normal Nf = faceforward(normalize(N), I);
  vector V = normalize(I);
  vector R = vtransform("world", reflect(V, Nf));
  color seen = 0;
  if (envname != "") seen = color environment(envname, R);
  Oi = Os;
  Ci = Oi * (Cs * (Ka * ambient() + Kd * diffuse(Nf) + Kr * seen) + Ks * specular(Nf, -V, roughness));
}
