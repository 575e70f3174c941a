// SPDX-License-Identifier: Apache-2.0
// How far a value moves from one shading point to its neighbours: the width that a pattern has to be filtered over so
// that it does not alias. For authors of shaders.
#ifndef FILTERWIDTH_H
#define FILTERWIDTH_H

// Never zero, so that it may be divided by.
#ifndef MINFILTWIDTH
#define MINFILTWIDTH 1.0e-6
#endif
#ifndef MINFILTERWIDTH
#define MINFILTERWIDTH MINFILTWIDTH
#endif

// Of a float, along u and v together.
#define filterwidth(x) max(abs(Du(x) * du) + abs(Dv(x) * dv), MINFILTWIDTH)
// Of a point: the side of a square of the micropolygon's area.
#define filterwidthp(p) max(sqrt(area(p)), MINFILTWIDTH)

#endif
