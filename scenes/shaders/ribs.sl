/* SPDX-License-Identifier: Apache-2.0
   Rounded ribs that run along t, for vases and columns. The bound to declare is Km. */

displacement ribs(float Km = 0.1, count = 24;) {
  P += Km * abs(sin(PI * count * s)) * normalize(N);
  N = calculatenormal(P);
}
