// SPDX-License-Identifier: Apache-2.0
// A lamp with a cone: full within coneangle - conedeltaangle, nothing outside of coneangle (radians).
light spotlight(float intensity = 1; color lightcolor = 1;
                point from = point "shader" (0, 0, 0); point to = point "shader" (0, 0, 1);
                float coneangle = radians(30); float conedeltaangle = radians(5); float beamdistribution = 2;)
{
    uniform vector axis = normalize(to - from);
    uniform float outer = cos(coneangle);
    uniform float inner = cos(coneangle - conedeltaangle);
    illuminate(from, axis, coneangle) {
        float along = (L . axis) / length(L);
        float beam = pow(along, beamdistribution) / (L . L);
        Cl = intensity * lightcolor * beam * smoothstep(outer, inner, along);
    }
}
