// SPDX-License-Identifier: Apache-2.0
// expect error: sl-no-shader
float f() { return 1; }
