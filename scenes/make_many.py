#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes many.rib.gz: 20,000 small quadrics in the spiral of a sunflower, rising and falling in waves."""
import gzip
import math
import os

COUNT = 20000
PALETTE = [(0.85, 0.35, 0.15), (0.9, 0.6, 0.2), (0.75, 0.75, 0.3), (0.3, 0.6, 0.4), (0.2, 0.5, 0.7), (0.4, 0.35, 0.7)]
SHAPES = ['Sphere .1 -.1 .1 360', 'Cone .25 .1 360', 'Cylinder .08 0 .2 360', 'Torus .09 .04 0 360 360',
          'Paraboloid .1 0 .2 360', 'Hyperboloid .1 0 0 0 .1 .2 360', 'Disk .05 .11 360']

HEADER = '''# Shows: 20,000 small quadrics, each a primitive with a colour and a transform of its own. Made by make_many.py.
version 3.03
Option "searchpath" "string shader" ["shaders:scenes/shaders:@"]
Display "many.exr" "exr" "rgba"
Format 640 480 1
PixelSamples 3 3
PixelFilter "gaussian" 2 2
ShadingRate 1
Projection "perspective" "fov" [38]
Imager "background" "color bgcolor" [0.03 0.04 0.07]
Translate 0 1 30
Rotate -38 1 0 0
WorldBegin
LightSource "ambientlight" 1 "intensity" [0.2]
LightSource "distantlight" 2 "intensity" [0.9] "from" [-4 6 -3] "to" [0 0 0]
Surface "plastic" "float Ks" [0.3] "float roughness" [0.1]
Rotate -90 1 0 0
'''


def quadrics():
    golden = math.pi * (3 - math.sqrt(5))
    for i in range(COUNT):
        r, a = 0.1 * math.sqrt(i + 1), golden * i
        x, y, z = r * math.cos(a), r * math.sin(a), 0.9 * math.cos(0.9 * r) * math.exp(-0.08 * r)
        size = 0.6 + 0.9 * i / COUNT
        color = PALETTE[int(r / 2.4 + i % 3 * 0.4) % len(PALETTE)]
        yield (f'AttributeBegin\nColor [{color[0]} {color[1]} {color[2]}]\nTranslate {x:.3f} {y:.3f} {z:.2f}\n'
               f'Scale {size:.2f} {size:.2f} {size:.2f}\n{SHAPES[i * 3 % len(SHAPES)]}\nAttributeEnd\n')


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'many.rib.gz')
    text = HEADER + ''.join(quadrics()) + 'WorldEnd\n'
    with open(path, 'wb') as raw, gzip.GzipFile('', 'wb', 9, raw, 0) as out:
        out.write(text.encode())
    print(f'{path}: {os.path.getsize(path)} bytes')


main()
