// SPDX-License-Identifier: Apache-2.0
// One message, whatever its parameters hold.
// expect error: sl-not-implemented 4
class c(float x = 1; color y = 1;) { public void surface(output color Ci, Oi) { Ci = x; } }
