#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tiles joined by `reyes merge` are the picture of one run; what does not belong together is refused.
usage: merge_test.py PATH/TO/reyes"""
import os, re, shutil, subprocess, sys, tempfile
from exr import Exr

REYES = os.path.abspath(sys.argv[1])
SCENE = '''Display "whole.exr" "file" "rgba"
Display "+whole.exr" "file" "N,id"
Format 61 47 1
PixelFilter "gaussian" 3 3
Projection "perspective" "fov" 40
WorldBegin
LightSource "distantlight" 1
Surface "plastic"
Translate 0 0 5
Attribute "identifier" "id" [1000000007]
Sphere 1 -1 1 360
Attribute "identifier" "id" [-3]
Torus 1.4 0.2 0 360 360
WorldEnd
'''
faults = []


def check(what, good, detail=''):
    if not good:
        faults.append(what)
        print(f'FAULT {what}: {detail}')


def reyes(*args, status=0, err=None):
    r = subprocess.run([REYES, *args], capture_output=True, timeout=120)
    text = r.stderr.decode(errors='replace')
    check(' '.join(args), r.returncode == status and (not err or re.search(err, text)), f'{r.returncode}: {text[:300]}')


def pixels(name):
    """The scan lines behind the header; the header holds the date."""
    with open(name, 'rb') as f:
        data = f.read()
    # A null byte ends the header; the table of offsets and the chunks follow, relative to its length.
    at = 8
    while data[at] != 0:
        at = data.index(b'\0', at) + 1
        at = data.index(b'\0', at) + 1
        at += 4 + int.from_bytes(data[at:at + 4], 'little')
    rows = 47
    return data[at + 1 + 8 * rows:]


def flattened(deep, flat):
    """Where OpenImageIO's program is there: what it makes of a deep picture is the flat one, within halves."""
    if not shutil.which('oiiotool'):
        return
    subprocess.run(['oiiotool', deep, '--flatten', '--ch', 'R,G,B,A', '-d', 'float', '-o', 'flattened.exr'], check=True,
                   timeout=120)
    one, other = Exr('flattened.exr').channels, Exr(flat).channels
    worst = max(abs(p - q) / (abs(q) * 2 ** -10 + 2 ** -12) for c in 'RGBA'
                for a, b in zip(one[c], other[c]) for p, q in zip(a, b))
    check('oiiotool --flatten is the flat picture', worst <= 1, worst)


def deep():
    """Deep tiles: the whole scene in one run, and its parts joined."""
    text = SCENE.replace('"+whole.exr" "file"', '"+deep.exr" "deepexr"').replace('"N,id"', '"rgba,N,id"')
    for name, scene in (('deep.rib', text), ('deepother.rib', text.replace('Torus 1.4', 'Torus 1.3'))):
        with open(name, 'w') as f:
            f.write(scene)
    reyes('deep.rib')
    os.rename('deep.exr', 'deepwhole.exr')
    os.rename('whole.exr', 'deepflat.exr')
    for name, crop, scene in (('da', '0 .4 0 1', 'deep'), ('db', '.4 1 0 .5', 'deep'), ('dc', '.4 1 .5 1', 'deep'),
                              ('dover', '.3 .7 .3 .7', 'deep'), ('dother', '.4 1 .5 1', 'deepother')):
        reyes('render', '-crop', *crop.split(), f'{scene}.rib')
        os.rename('deep.exr', f'{name}.exr')
    reyes('merge', '-o', 'deepjoined.exr', 'dc.exr', 'da.exr', 'dover.exr', 'db.exr')
    check('joined deep tiles are the whole picture', pixels('deepjoined.exr') == pixels('deepwhole.exr'))
    flattened('deepjoined.exr', 'deepflat.exr')
    reyes('merge', '-o', 'n.exr', 'da.exr', 'dc.exr', status=3, err='no tile holds pixel')
    reyes('merge', '-o', 'n.exr', 'da.exr', 'db.exr', 'dother.exr', status=3, err='reyes/scene')
    reyes('merge', '-o', 'n.exr', 'da.exr', 'c.exr', status=3, err='some of the tiles are deep')
    reyes('merge', '-o', 'n.tif', 'da.exr', 'db.exr', 'dc.exr', status=1, err='only an EXR')


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (('scene.rib', SCENE), ('other.rib', SCENE.replace('Torus 1.4', 'Torus 1.3'))):
            with open(name, 'w') as f:
                f.write(text)
        reyes('scene.rib')
        for name, crop in (('a', '0 .4 0 1'), ('b', '.4 1 0 .5'), ('c', '.4 1 .5 1'), ('over', '.3 .7 .3 .7')):
            reyes('render', '-crop', *crop.split(), '-o', f'{name}.exr', 'scene.rib')
        reyes('render', '-crop', '.4', '1', '.5', '1', '-o', 'other.exr', 'other.rib')
        reyes('render', '--isa', 'sse4', '-crop', '.4', '1', '.5', '1', '-o', 'isa.exr', 'scene.rib')
        reyes('merge', '-o', 'joined.exr', 'c.exr', 'a.exr', 'over.exr', 'b.exr')
        check('joined tiles are the whole picture', pixels('joined.exr') == pixels('whole.exr'))
        reyes('merge', '-o', 'n.exr', 'a.exr', 'c.exr', status=3, err='no tile holds pixel')
        reyes('merge', '-o', 'n.exr', 'a.exr', 'b.exr', 'other.exr', status=3, err='reyes/scene')
        reyes('merge', '-o', 'n.exr', 'a.exr', 'missing.exr', status=3, err='no such file')
        reyes('merge', '-o', 'n.exr', 'a.exr', 'scene.rib', status=3)
        reyes('merge', 'a.exr', status=1, err='usage')
        if subprocess.run([REYES, '--version'], capture_output=True).stdout.count(b'choice: sse4') == 0:
            reyes('merge', '-o', 'n.exr', 'a.exr', 'b.exr', 'isa.exr', status=3, err='reyes/isa')
        deep()
        check('a refused merge writes nothing', not os.path.exists('n.exr'))
        os.chdir('/')
    print(f'{len(faults)} faults')
    return 1 if faults else 0


sys.exit(main())
