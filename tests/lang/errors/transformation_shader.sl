// SPDX-License-Identifier: Apache-2.0
// expect error: sl-not-implemented 3
transformation t(float amount = 1; float more = 2;) { P = P; }
