// SPDX-License-Identifier: Apache-2.0
// How far s goes from point to point, across and along; and along, v.
surface steps()
{
    Ci = color(abs(Du(s) * du), abs(Dv(s) * dv), abs(Dv(v) * dv));
    Oi = 1;
}
