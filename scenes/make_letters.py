#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes letters.rib: the word REYES as solid letters. Fronts are concave polygons, one with a hole
(PointsGeneralPolygons); sides are quadrilaterals (PointsPolygons)."""
import math
import os

DEPTH = 0.5


def arc(cx, cy, rx, ry, from_deg, to_deg, steps):
    return [(cx + rx * math.cos(math.radians(from_deg + (to_deg - from_deg) * i / steps)),
             cy + ry * math.sin(math.radians(from_deg + (to_deg - from_deg) * i / steps))) for i in range(steps + 1)]


# Loops run anticlockwise, holes clockwise; each letter is about 1.4 wide and 2 high.
E = [[(0, 0), (1.3, 0), (1.3, .4), (.45, .4), (.45, .82), (1.1, .82), (1.1, 1.2), (.45, 1.2), (.45, 1.6), (1.3, 1.6),
      (1.3, 2), (0, 2)]]
R = [[(0, 0), (.45, 0), (.45, .75), (.62, .75), (.98, 0), (1.45, 0), (1.03, .85)] + arc(.8, 1.4, .6, .6, -55, 90, 10) +
     [(0, 2)], list(reversed([(.45, 1.12)] + arc(.78, 1.37, .25, .25, -90, 90, 6) + [(.45, 1.62)]))]
Y = [[(.48, 0), (.93, 0), (.93, .85), (1.45, 2), (.95, 2), (.71, 1.3), (.47, 2), (-.03, 2), (.48, .85)]]
S = [arc(.68, .6, .62, .6, -150, 90, 14) + arc(.68, 1.4, .2, .2, 270, 60, 6) + arc(.68, 1.4, .62, .6, 30, 270, 14) +
     arc(.68, .6, .2, .2, 90, -120, 6)]
LETTERS = [('R', R), ('E', E), ('Y', Y), ('E', E), ('S', S)]
COLORS = [(.68, .1, .06), (.85, .42, .04), (.12, .42, .12), (.06, .3, .62), (.3, .12, .55)]

HEADER = '''# Shows: polygons: concave fronts, a hole in the R, PointsGeneralPolygons and PointsPolygons. Made by make_letters.py.
version 3.03
Option "searchpath" "string shader" ["shaders:scenes/shaders:@"]
Display "letters.exr" "exr" "rgba"
Format 640 360 1
PixelSamples 4 4
PixelFilter "gaussian" 2 2
ShadingRate 1
Projection "perspective" "fov" [25]
Imager "background" "color bgcolor" [0.05 0.06 0.09]
Translate 0 0 13.5
Rotate -18 1 0 0
Rotate 20 0 1 0
Translate 0 -1 0

WorldBegin
  LightSource "ambientlight" 1 "intensity" [0.2]
  LightSource "distantlight" 2 "intensity" [0.85] "from" [-3 5 -6] "to" [0 0 0]
  LightSource "distantlight" 3 "intensity" [0.3] "lightcolor" [0.7 0.8 1] "from" [5 1 -2] "to" [0 0 0]
  AttributeBegin
    Surface "matte"
    Color [0.3 0.3 0.32]
    # A floor of one concave polygon with two holes.
    GeneralPolygon [8 4 3] "P" [-5 0 2.5  5 0 2.5  6 0 0.5  5 0 -2.6  1 0 -2  -1 0 -2  -5 0 -2.6  -6 0 0.5
      -4 0 -1.7  -3 0 -1.5  -3 0 -2  -4 0 -2.2   3 0 -1.5  4 0 -1.6  3.5 0 -2.2]
  AttributeEnd
  Surface "plastic" "float Ks" [0.3] "float roughness" [0.04]
'''


def distinct(loop):
    """Without neighbours that coincide."""
    return [p for i, p in enumerate(loop) if math.dist(p, loop[i - 1]) > 1e-6]


def numbers(values):
    return ' '.join(f'{v:.4g}' for v in values)


def letter(name, loops, x, color):
    loops = [distinct(loop) for loop in loops]
    points = [p for loop in loops for p in loop]
    n = len(points)
    place = [c for z in (-DEPTH / 2, DEPTH / 2) for px, py in points for c in (px, py, z)]
    out = [f'  AttributeBegin\n    Attribute "identifier" "string name" ["{name}"]\n    Color [{numbers(color)}]\n'
           f'    Translate {x:g} 0.02 0']
    # Front and back share the list of points.
    sizes = ' '.join(str(len(loop)) for loop in loops)
    front = list(range(n))
    back = list(range(n, 2 * n))
    out.append(f'    PointsGeneralPolygons [{len(loops)} {len(loops)}] [{sizes} {sizes}] '
               f'[{" ".join(map(str, front + back))}]\n      "P" [{numbers(place)}]')
    quads, first = [], 0
    for loop in loops:
        for i in range(len(loop)):
            a, b = first + i, first + (i + 1) % len(loop)
            quads += [a, b, b + n, a + n]
        first += len(loop)
    count = len(quads) // 4
    out.append(f'    PointsPolygons [{" ".join(["4"] * count)}] [{" ".join(map(str, quads))}]\n'
               f'      "P" [{numbers(place)}]\n  AttributeEnd')
    return '\n'.join(out) + '\n'


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'letters.rib')
    with open(path, 'w', encoding='ascii') as out:
        out.write(HEADER)
        for i, (name, loops) in enumerate(LETTERS):
            out.write(letter(name, loops, -4.25 + 1.75 * i, COLORS[i]))
        out.write('WorldEnd\n')
    print(path)


main()
