// SPDX-License-Identifier: Apache-2.0
// expect error: sl-wrong-shader 5
light t()
{
    illuminance(P) Cl = 1;
}
