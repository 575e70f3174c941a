// SPDX-License-Identifier: Apache-2.0
// A lamp of the stage, at the origin of its space and aimed along +z: a cross-section between rectangle and ellipse
// with soft edges, barn doors, range and falloff along its way, noise, a slide, shadows. The parameters are those of
// the light of that name in the books on this language (after Barzel, "Lighting Controls for Computer Cinematography",
// 1997): lighttype "spot", "omni", or "arealight" for AreaLightSource. Sizes across are at unit distance.
// shadowbias below 0 leaves the bias to the renderer.
light uberlight(string lighttype = "spot"; float intensity = 1; color lightcolor = 1;
                float cuton = 0.01, cutoff = 1.0e6, nearedge = 0, faredge = 0;
                float falloff = 0, falloffdist = 1, maxintensity = 1; float parallelrays = 0;
                float shearx = 0, sheary = 0; float width = 1, height = 1, wedge = 0.1, hedge = 0.1;
                float roundness = 1; float beamdistribution = 0;
                float barnleft = 1.0e6, barnright = 1.0e6, barntop = 1.0e6, barnbottom = 1.0e6, barnedge = 0.05;
                string slidename = ""; float noiseamp = 0, noisefreq = 4; vector noiseoffset = 0;
                string shadowmap = ""; float shadowblur = 0.01, shadowbias = -1, shadownsamps = 16;
                color shadowcolor = 0;
                string blockercoords = ""; float blockerwidth = 1, blockerheight = 1;
                float blockerwedge = 0.1, blockerhedge = 0.1, blockerround = 1;
                float nonspecular = 0; string __category = ""; string __group = "";
                output varying float __nonspecular = 0; output float __nondiffuse = 0; output float __foglight = 1;)
{
    // How far out (x, y) lies on the superellipse of half axes a and b: 1 on it.
    float outward(float x, y, a, b, power)
    {
        return pow(pow(abs(x) / max(a, 1.0e-6), power) + pow(abs(y) / max(b, 1.0e-6), power), 1 / power);
    }
    // 1 within the inner shape (w, h), 0 outside the one that is (we, he) larger.
    float within(float x, y, w, h, we, he, round)
    {
        float inside;
        if (round < 1.0e-3) {
            inside = (1 - smoothstep(w, w + max(we, 1.0e-6), abs(x))) * (1 - smoothstep(h, h + max(he, 1.0e-6), abs(y)));
        } else {
            float power = 2 / round;
            float m = max(outward(x, y, w, h, power), 1.0e-6), n = max(outward(x, y, w + we, h + he, power), 1.0e-6);
            inside = 1 - smoothstep(1 / m, 1 / n + 1.0e-6, 1);
        }
        return inside;
    }

    point PL = transform("shader", Ps);
    float x, y, z = zcomp(PL);
    uniform float angle = PI;
    if (lighttype == "spot")
        angle = atan(1.4142136 * max(height + hedge + abs(sheary), width + wedge + abs(shearx)));
    else if (lighttype == "arealight")
        angle = PI / 2;
    __nonspecular = nonspecular;

    illuminate(P, N, angle) {
        float dist = length(L), atten = 1;
        color lcol = lightcolor;
        // 1. The cross-section, for lamps that are aimed.
        if (lighttype == "spot") {
            float depth = parallelrays != 0 ? 1 : max(z, 1.0e-6);
            x = xcomp(PL) / depth - shearx; y = ycomp(PL) / depth - sheary;
            atten *= within(x, y, width, height, wedge, hedge, roundness);
            atten *= smoothstep(-barnleft - barnedge, -barnleft, x) * (1 - smoothstep(barnright, barnright + barnedge, x));
            atten *= smoothstep(-barnbottom - barnedge, -barnbottom, y) * (1 - smoothstep(barntop, barntop + barnedge, y));
        }
        // 2. Along the way: range, then falloff.
        float along = lighttype == "spot" ? z : dist;
        atten *= smoothstep(cuton - nearedge, cuton + 1.0e-6, along) * (1 - smoothstep(cutoff, cutoff + faredge + 1.0e-6, along));
        if (falloff != 0) {
            if (dist > falloffdist) {
                atten *= pow(falloffdist / dist, falloff);
            } else {
                // Up to `maxintensity` at the lamp, with the same slope where the two meet.
                float steep = log(1 / max(maxintensity / intensity, 1.0001));
                atten *= max(maxintensity / intensity, 1.0001) * exp(steep * pow(dist / falloffdist, -falloff / steep));
            }
        }
        if (beamdistribution > 0) atten *= pow(max(0, (L . normalize(N)) / dist), beamdistribution);
        if (atten > 0) {
            // 3. What is in the beam: slide, noise, blocker, shadow.
            if (slidename != "") {
                float across = max(z, 1.0e-6);
                float ss = 0.5 + 0.5 * xcomp(PL) / (across * (width + wedge));
                float tt = 0.5 - 0.5 * ycomp(PL) / (across * (height + hedge));
                lcol *= color texture(slidename, ss, tt);
            }
            if (noiseamp > 0) {
                point PQ = (PL + noiseoffset) * noisefreq;
                float n = noise(point(xcomp(PQ), ycomp(PQ), 0));
                atten *= smoothstep(0, 1, 0.5 + noiseamp * (n - 0.5));
            }
            float seen = 1;
            if (shadowmap != "") {
                if (shadowbias >= 0)
                    seen *= 1 - shadow(shadowmap, Ps, "blur", shadowblur, "samples", shadownsamps, "bias", shadowbias);
                else
                    seen *= 1 - shadow(shadowmap, Ps, "blur", shadowblur, "samples", shadownsamps);
            }
            if (blockercoords != "") {
                // Where the ray from the lamp meets the blocker's plane z = 0.
                point a = transform(blockercoords, P), b = transform(blockercoords, Ps);
                float slope = zcomp(b) - zcomp(a);
                if (zcomp(a) * zcomp(b) < 0 && slope != 0) {
                    point hit = a + (-zcomp(a) / slope) * (b - a);
                    seen *= 1 - within(xcomp(hit), ycomp(hit), blockerwidth, blockerheight, blockerwedge, blockerhedge,
                                       blockerround);
                }
            }
            lcol = mix(shadowcolor, lcol, seen);
            __nonspecular = 1 - seen * (1 - __nonspecular);
        }
        Cl = intensity * atten * lcol;
        if (parallelrays != 0) L = normalize(N) * dist;
    }
}
