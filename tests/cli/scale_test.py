#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scenes of any size in little memory: archives read when they are met, instances, hair, points, quadrics, deep layers.

  scale_test.py REYES [--share F] [--only NAMES] [--keep]

Each scene is made here, rendered in a process of its own, and its peak memory held against a ceiling. --share 1 is the
whole of it: a thousand archives of 100,000 polygons in a field and on a wall, 100,000 instances of 10,000 faces, in view or
not, a million hairs, five million points, a million quadrics, a deep picture of 64 layers 1920 wide. The default, 0.01, takes seconds and has ceilings of its own.
"""
import argparse, math, os, random, resource, subprocess, sys, tempfile, time

HEAD = '''Format 640 360 1
PixelSamples 3 3
Display "o.exr" "null" "rgba"
Projection "perspective" "fov" [40]
Clipping 0.1 10000
'''
LIGHT = 'LightSource "distantlight" 1 "from" [1 2 -1] "to" [0 0 0]\nSurface "matte"\n'


def sheet(side, size, bump):
    """A bumpy sheet of side x side quads, centred, as PointsPolygons."""
    out = ['PointsPolygons [' + '4 ' * (side * side) + ']\n[']
    for j in range(side):
        for i in range(side):
            a = j * (side + 1) + i
            out.append(f'{a} {a + 1} {a + side + 2} {a + side + 1} ')
    out.append(']\n"P" [')
    for j in range(side + 1):
        for i in range(side + 1):
            x, z = (i / side - .5) * size, (j / side - .5) * size
            out.append(f'{x:.4f} {bump * math.sin(9 * x / size) * math.cos(7 * z / size):.4f} {z:.4f}\n')
    return ''.join(out) + ']\n'


def field(count, each):
    """`count` things on a square lattice seen from above one side; each(i) is the text of one at the origin."""
    side = math.ceil(math.sqrt(count))
    yield 'Rotate -30 1 0 0\nTranslate 0 %g %g\nWorldBegin\n' % (-.55 * side, .2 * side) + LIGHT
    for i in range(count):
        yield f'AttributeBegin\nTranslate {i % side - side / 2 + .5:g} 0 {i // side:g}\n{each(i)}AttributeEnd\n'
    yield 'WorldEnd\n'


def archives(f, files=1):
    count, side = max(8, round(1000 * f)), round(316 * min(1, max(.1, 10 * f)))
    for k in range(files if files == 1 else count):
        with open(f'part{k}.rib', 'w') as part:
            part.write(sheet(side, .9, .2 + .0001 * k))
    box = '[-0.46 0.46 -0.31 0.31 -0.46 0.46]'
    def use(i):
        return f'Procedural "DelayedReadArchive" ["part{i if files > 1 else 0}.rib"] {box}\n'
    return field(count, use), f'{count} archives of {side * side} polygons', (150, 1000)


def archive_files(f):
    return archives(f, 2)


def wall(f):
    """Archives side by side, over all of a larger picture: nothing hides anything."""
    count, side = max(8, round(1000 * f)), round(316 * min(1, max(.1, 10 * f)))
    with open('part0.rib', 'w') as part:
        part.write(sheet(side, .9, .2))
    columns = math.ceil(math.sqrt(count * 16 / 9))
    def text():
        yield (f'Format 1280 720 1\nProjection "orthographic"\nScreenWindow {-columns / 2} {columns / 2} {-columns * 9 / 32} '
               f'{columns * 9 / 32}\nTranslate 0 0 10\nWorldBegin\n' + LIGHT)
        for i in range(count):
            x, y = i % columns - columns / 2 + .5, i // columns - columns * 9 / 32 + .5
            yield (f'AttributeBegin\nTranslate {x:g} {y:g} 0\nRotate -80 1 0 0\nProcedural "DelayedReadArchive" ["part0.rib"] '
                   '[-0.46 0.46 -0.31 0.31 -0.46 0.46]\nAttributeEnd\n')
        yield 'WorldEnd\n'
    return text(), f'{count} archives of {side * side} polygons side by side', (200, 600)


def instances(f, seen=100):
    """All but `seen` of them lie behind the camera."""
    count, side = round(100000 * f), 100
    def text():
        yield 'Rotate -30 1 0 0\nTranslate 0 %g %g\nWorldBegin\n' % (-.05 * math.sqrt(count), .2 * math.sqrt(count)) + LIGHT
        yield 'ObjectBegin 1\n' + sheet(side, .9, .2) + 'ObjectEnd\n'
        row = math.ceil(math.sqrt(count))
        for i in range(count):
            place = f'{i % row - row / 2:g} 0 {i // row:g}' if i % max(1, count // seen) == 0 else f'{i % row:g} 0 {-row - i // row:g}'
            yield f'AttributeBegin\nTranslate {place}\nRotate {i * 37 % 360} 0 1 0\nObjectInstance 1\nAttributeEnd\n'
        yield 'WorldEnd\n'
    return text(), f'{count} instances of {side * side} faces, {min(seen, count)} in view', (200, 600)


def crowd(f):
    return instances(f, 10 ** 9)


def hairs(f):
    count, r = round(1000000 * f), random.Random(5)
    def text():
        yield 'Translate 0 0 3\nWorldBegin\n' + LIGHT
        for first in range(0, count, 10000):
            n = min(10000, count - first)
            p = []
            for _ in range(n):
                x, y, z = r.uniform(-1, 1), r.uniform(-.6, .6), r.uniform(-.5, .5)
                for k in range(4):
                    p.append(f'{x:.4f} {y:.4f} {z:.4f}')
                    x, y, z = x + r.uniform(-.03, .03), y + .03, z + r.uniform(-.03, .03)
            yield f'Curves "cubic" [{"4 " * n}] "nonperiodic" "P" [{" ".join(p)}] "constantwidth" [0.002]\n'
        yield 'WorldEnd\n'
    return text(), f'{count} hairs', (250, 2000)


def points(f):
    count, r = round(5000000 * f), random.Random(6)
    def text():
        yield 'Translate 0 0 3\nWorldBegin\n' + LIGHT
        for first in range(0, count, 100000):
            n = min(100000, count - first)
            p = ' '.join(f'{r.uniform(-1, 1):.4f} {r.uniform(-.6, .6):.4f} {r.uniform(-.5, .5):.4f}' for _ in range(n))
            yield f'Points "P" [{p}] "constantwidth" [0.003]\n'
        yield 'WorldEnd\n'
    return text(), f'{count} points', (250, 2000)


def quadrics(f):
    count, r = round(1000000 * f), random.Random(7)
    def text():
        yield 'Translate 0 0 3\nWorldBegin\n' + LIGHT
        for _ in range(count):
            yield (f'TransformBegin\nTranslate {r.uniform(-1, 1):.3f} {r.uniform(-.6, .6):.3f} {r.uniform(-.5, .5):.3f}\n'
                   'Sphere 0.004 -0.004 0.004 360\nTransformEnd\n')
        yield 'WorldEnd\n'
    return text(), f'{count} quadrics', (200, 2000)


def deep(f):
    """Tilted layers: 4096 surfaces a pixel, each at a depth of its own, in a deep picture beside a flat one."""
    width = 1920 if f > .05 else 128
    def text():
        yield (f'Format {width} 32 1\nPixelSamples 8 8\nDisplay "f.exr" "exr" "rgba"\nDisplay "+d.exr" "deepexr" "rgba"\n'
               'WorldBegin\nOpacity [.05 .05 .05]\n')
        for i in range(64):
            z = 10 + .31 * i
            x, dx, dy = 1.2 * z * width / 32, .1 * z * (.9 + .01 * (i % 7)), .1 * z * (.5 + .02 * (i % 5))
            corners = ((-x, -1.2 * z, z - dx - dy), (x, -1.2 * z, z + dx - dy), (x, 1.2 * z, z + dx + dy),
                       (-x, 1.2 * z, z - dx + dy))
            yield 'Polygon "P" [' + ' '.join('%g %g %g' % c for c in corners) + ']\n'
        yield 'WorldEnd\n'
    return text(), f'64 deep layers, {width} wide', (550, 1000)


SCENES = {f.__name__: f for f in (archives, archive_files, wall, instances, crowd, hairs, points, quadrics, deep)}


def peak_mb(reyes, scene):
    """Seconds and peak megabytes of one render, measured in a process of its own."""
    code = ('import resource,subprocess,sys;r=subprocess.run(sys.argv[1:]);'
            'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss);sys.exit(r.returncode)')
    start = time.monotonic()
    r = subprocess.run([sys.executable, '-c', code, reyes, 'render', '-t:2', '-v', '1', scene], capture_output=True, text=True)
    return time.monotonic() - start, int(r.stdout.split()[-1]) / 1024, r


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('reyes')
    parser.add_argument('--share', type=float, default=.01)
    parser.add_argument('--only', default='')
    parser.add_argument('--keep', action='store_true', help='leave the scenes in the working folder')
    args = parser.parse_args()
    reyes, bad = os.path.abspath(args.reyes), 0
    with tempfile.TemporaryDirectory() as folder:
        if not args.keep:
            os.chdir(folder)
        for name, make in SCENES.items():
            if not any(name.startswith(only) for only in args.only.split(',')):
                continue
            text, what, (small, large) = make(args.share)
            with open(name + '.rib', 'w') as scene:
                scene.write(HEAD)
                scene.writelines(text)
            seconds, mb, r = peak_mb(reyes, name + '.rib')
            ceiling = large if args.share > .05 else small
            good = r.returncode == 0 and mb <= ceiling
            print(f'{"ok" if good else "FAILED":6} {name:14} {what}: {seconds:.1f} s, {mb:.0f} MB of {ceiling}, status {r.returncode}'
                  + ('' if good else '\n' + r.stderr[-2000:]), flush=True)
            bad += not good
    sys.exit(bad)


if __name__ == '__main__':
    main()
