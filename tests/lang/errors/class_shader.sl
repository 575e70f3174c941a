// SPDX-License-Identifier: Apache-2.0
// expect error: sl-not-implemented 3
class c() { public void surface(output color Ci, Oi) { Ci = 1; } }
