// SPDX-License-Identifier: Apache-2.0
// A brick wall in running bond over (s, t), filtered so that it fades to its mean from afar.
#include "noises.h"
#include "patterns.h"
#include "util.h"

surface brick(float Ka = 1; float Kd = 1; float frequency = 1;
              float brickwidth = 0.25; float brickheight = 0.08; float mortarthickness = 0.012;
              color brickcolor = color (0.6, 0.12, 0.1); color mortarcolor = color (0.6, 0.57, 0.53);
              float varyhue = 0.025; float varysat = 0.2; float varyval = 0.35; float speckle = 0.25;)
{
    uniform float w = brickwidth + mortarthickness, h = brickheight + mortarthickness;
    float x = s * frequency / w, y = t * frequency / h;
    float dx = filterwidth(x), dy = filterwidth(y);
    float row = floor(y);
    // Every other row starts half a brick later.
    x += 0.5 * mod(row, 2);
    float column = floor(x);

    // Mortar stands at the end of each period.
    float body = filteredpulsetrain(brickwidth / w, 1, x, dx) * filteredpulsetrain(brickheight / h, 1, y, dy);

    color face = varyeach(brickcolor, row * 57 + column * 13, varyhue, varysat, varyval);
    face = mix(face, brickcolor, smoothstep(0.3, 1, max(dx, dy)));
    point at = point (s * frequency, t * frequency, 0) * 90;
    float spots = fBm(at, 90 * frequency * max(filterwidth(s), filterwidth(t)), 3, 2, 0.6);
    color base = mix(mortarcolor, face, body) * (1 + speckle * spots);

    normal Nf = faceforward(normalize(N), I);
    Oi = Os;
    Ci = Os * Cs * base * (Ka * ambient() + Kd * diffuse(Nf));
}
