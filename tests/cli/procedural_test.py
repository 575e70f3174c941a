#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Procedurals as users have them: delayed archives give the picture that reading them at once gives, programs are asked
and survived.
usage: procedural_test.py PATH/TO/reyes"""
import os, re, subprocess, sys, tempfile

REYES = os.path.abspath(sys.argv[1])
HEAD = '''Display "{name}" "file" "rgba"
Format 96 72 1
PixelSamples 2 2
Projection "perspective" "fov" 40
{extra}
WorldBegin
LightSource "distantlight" 1 "from" [1 2 -3] "to" [0 0 0]
CoordinateSystem "room"
Surface "plastic"
Translate 0 0 9
'''
PART = '''AttributeBegin
Surface "matte"
Rotate 20 1 1 0
Scale 0.5 0.5 0.5
Color [0.9 0.4 0.2]
Sphere 0.9 -0.9 0.9 360
Translate 0.5 0.5 0
Cylinder 0.3 -0.8 0.8 360
AttributeEnd
Polygon "P" [-.45 -.45 .4  .45 -.45 .4  .45 .45 .4  -.45 .45 .4]
'''
BOUND = '[-0.7 0.7 -0.7 0.7 -0.7 0.7]'
PROGRAM = '''import sys, time
kind = sys.argv[1] if len(sys.argv) > 1 else ''
out = sys.stdout.buffer
for line in sys.stdin:
    detail, data = line.split(None, 1)
    assert float(detail) >= 0
    if kind == 'dies':
        out.write(b'Sphere 0.'); out.flush(); sys.exit(7)
    if kind == 'sleeps': time.sleep(30)
    if kind == 'garbage': out.write(bytes(range(1, 255)) * 3)
    out.write(b'Color [' + data.strip().encode() + b']\\nSphere 0.5 -0.5 0.5 360\\n'); out.flush()
    out.write(bytes([255])); out.flush()
'''
faults = []


def check(what, good, detail=''):
    if not good:
        faults.append(what)
        print(f'FAULT {what}: {detail}')


def render(name, body, *flags, extra='', status=0, err=None):
    with open('scene.rib', 'w') as f:
        f.write(HEAD.format(name=name, extra=extra) + body + 'WorldEnd\n')
    r = subprocess.run([REYES, 'scene.rib', *flags], capture_output=True, timeout=120)
    text = r.stderr.decode(errors='replace')
    check(f'{name} status', r.returncode == status, f'{r.returncode}, not {status}: {text[:400]}')
    if err:
        check(f'{name} says so', re.search(err, text), text[:400])
    return text


def pixels(name):
    # The same build writes the same file for the same pixels, but for its header: compare through another format.
    with open(name, 'rb') as f:
        return f.read()


def lattice(make):
    parts = []
    for i in range(12):
        x, y = i % 4 * 1.5 - 2.25, i // 4 * 1.5 - 1.5
        parts.append(f'AttributeBegin\nTranslate {x} {y} 0\nRotate {i * 31} 0 1 0\n{make(i)}AttributeEnd\n')
    return ''.join(parts)


def delayed():
    for name, make in (('once.ppm', lambda i: 'ReadArchive "part.rib"\n'),
                       ('later.ppm', lambda i: f'Procedural "DelayedReadArchive" ["part.rib"] {BOUND}\n'),
                       ('params.ppm', lambda i: 'Procedural2 "DelayedReadArchive2" "SimpleBound" "float[6] bound" '
                                                f'{BOUND} "string filename" ["part.rib"]\n'),
                       ('inline.ppm', lambda i: f'Procedural "DelayedReadArchive" ["within"] {BOUND}\n')):
        extra = f'ArchiveBegin "within"\n{PART}ArchiveEnd\n' if name == 'inline.ppm' else ''
        render(name, lattice(make), extra=extra)
        check(f'{name} is the picture read at once', pixels(name) == pixels('once.ppm'))
    again = lattice(lambda i: f'Procedural "DelayedReadArchive" ["part.rib"] {BOUND}\n')
    for flags in (['-t', '1'], ['-t', '4']):
        render('other.ppm', again, *flags, extra='Option "limits" "bucketsize" [7 31]')
        check('threads and buckets do not matter', pixels('other.ppm') == pixels('once.ppm'))
    render('nested.ppm', lattice(lambda i: f'Procedural "DelayedReadArchive" ["outer.rib"] {BOUND}\n'))
    check('an archive that delays another', pixels('nested.ppm') == pixels('once.ppm'))
    render('unbounded.ppm', lattice(lambda i: 'Procedural "DelayedReadArchive" ["part.rib"] '
                                              '[-1e30 1e30 -1e30 1e30 -1e30 1e30]\n'))
    check('an unknown bound is read at once', pixels('unbounded.ppm') == pixels('once.ppm'))
    small = 'Procedural "DelayedReadArchive" ["part.rib"] [-.1 .1 -.1 .1 -.1 .1]\n'
    render('small.ppm', small, status=2, err='beyond its bound')
    render('self.ppm', f'Procedural "DelayedReadArchive" ["self.rib"] {BOUND}\n', status=2, err='reads itself')
    render('lost.ppm', f'Procedural "DelayedReadArchive" ["nosuch.rib"] {BOUND}\n', status=2, err='not found')
    render('unseen.ppm', 'Translate 0 0 -100\nProcedural "DelayedReadArchive" ["nosuch.rib"] [-1 1 -1 1 -1 1]\n')
    render('light.ppm', f'Procedural "DelayedReadArchive" ["light.rib"] {BOUND}\n', status=2,
           err='LightSource inside a procedural')
    render('open.ppm', f'Procedural "DelayedReadArchive" ["open.rib"] {BOUND}\n', status=2, err='not closed')
    r = subprocess.run([REYES, 'check', '--deps', 'scene.rib'], capture_output=True, timeout=60)
    check('check sees into delayed archives', b'open.rib' in r.stdout, r.stdout[:300])


def programs():
    python = sys.executable
    ask = lambda kind: lattice(lambda i: f'Procedural "RunProgram" ["{python} tree.py {kind}" "{i / 12} 0.5 0.2"] {BOUND}\n')
    render('spheres.ppm', lattice(lambda i: f'Color [{i / 12} 0.5 0.2]\nSphere 0.5 -0.5 0.5 360\n'))
    render('program.ppm', ask(''))
    check('a program gives the picture of its requests', pixels('program.ppm') == pixels('spheres.ppm'))
    render('dies.ppm', ask('dies'), status=2, err=r'tree\.py dies.*status 7')
    render('sleeps.ppm', ask('sleeps'), extra='Option "procedural" "timelimit" [0.3]', status=2, err='silent for 0.3 s')
    endless = lambda words: f'Procedural "RunProgram" ["yes {words}" ""] {BOUND}\n'
    render('endless.ppm', endless('Sphere'), status=2, err='more than 100 wrong requests')
    render('ballast.ppm', endless('#'), extra='Option "procedural" "outputlimit" [1]', status=2, err='more than 1 MB')
    text = render('garbage.ppm', ask('garbage'), extra='Option "procedural" "timelimit" [2]', status=3)
    check('garbage is named with the program', 'output of' in text, text[:300])
    render('missing.ppm', f'Procedural "RunProgram" ["nosuchprogram" ""] {BOUND}\n', status=2, err='cannot be started')
    render('refused.ppm', ask(''), '--no-procedurals-exec', status=2, err='refused')
    render('dso.ppm', f'Procedural "DynamicLoad" ["plug.so" ""] {BOUND}\n', status=2, err='DynamicLoad.*not built')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (('part.rib', PART), ('tree.py', PROGRAM),
                           ('outer.rib', f'Procedural "DelayedReadArchive" ["part.rib"] {BOUND}\n'),
                           ('self.rib', f'Sphere 0.1 -0.1 0.1 360\nProcedural "DelayedReadArchive" ["self.rib"] {BOUND}\n'),
                           ('light.rib', 'LightSource "pointlight" 9\nSphere 0.3 -0.3 0.3 360\n'),
                           ('open.rib', 'AttributeBegin\nSphere 0.3 -0.3 0.3 360\n')):
            with open(name, 'w') as f:
                f.write(text)
        delayed()
        programs()
        os.chdir('/')
    print(f'{len(faults)} faults')
    return 1 if faults else 0


sys.exit(main())
