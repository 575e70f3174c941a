#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults that users met with programs like ours, each with a run that would show it in ours: see docs/faults.md.
usage: faults_test.py PATH/TO/reyes PATH/TO/libuse_locale.so [GROUP...]"""
import json, os, re, shutil, signal, subprocess, sys, time
from program import BALL, REYES, SCENE, check, expect, finish, run, scene, write

USE_LOCALE = os.path.abspath(sys.argv[2])


def info(picture):
    """Type, size, origin, whole size and origin of a picture, as OpenImageIO reads them."""
    text = subprocess.run(['oiiotool', '--info', '-v', picture], capture_output=True, text=True).stdout
    size = re.search(r': +(\d+) x +(\d+), (\d+) channel, (.*)', text)
    origin = re.search(r'pixel data origin: x=(-?\d+), y=(-?\d+)', text)
    whole = re.search(r'full/display size: (\d+) x (\d+)', text)
    pair = lambda m: (int(m.group(1)), int(m.group(2))) if m else (0, 0)
    return {'size': pair(size), 'origin': pair(origin), 'whole': pair(whole) if whole else pair(size),
            'type': size.group(4) if size else text}


def same_pixels(a, b):
    return subprocess.run(['oiiotool', a, b, '--fail', '0', '--diff'], capture_output=True).returncode == 0


def locale():
    """Commas in the numbers of the user's language change nothing that is read or written."""
    if not shutil.which('localedef') or not os.path.exists('/usr/share/i18n/locales/de_DE'):
        print('the locale de_DE cannot be made on this machine: only LC_ALL is set')
    else:
        subprocess.run(['localedef', '-i', 'de_DE', '-f', 'UTF-8', './de_DE.UTF-8'], capture_output=True)
    german = {'LC_ALL': 'de_DE.UTF-8', 'LOCPATH': os.getcwd(), 'LD_PRELOAD': USE_LOCALE,
              'ASAN_OPTIONS': 'verify_asan_link_order=0:detect_leaks=0'}
    if os.path.exists('de_DE.UTF-8'):
        said = subprocess.run(['printf', '%.1f', '1,5'], capture_output=True, text=True, env=dict(os.environ, **german))
        check('the locale is one with commas', said.stdout == '1,5', said.stdout + said.stderr)
    write('tint.sl', 'surface tint(float k = 0.75;) { Ci = k * Cs * color(1.5, 0.25, 2.5e-1); Oi = Os; }')
    write('n.rib', scene('Surface "tint" "float k" [0.625]\nColor 0.25 0.5 0.75\nShadingRate 0.5\nSphere 1.25 -1.25 1.25 360.0'
                         '\n', 'PixelFilter "gaussian" 2.5 2.5\nExposure 1.25 1.5\n', name='n.exr'))
    expect('numbers', 0, 'n.rib', err='^$')
    os.rename('n.exr', 'plain.exr')
    text, _ = expect('cat', 0, 'cat', 'n.rib', out='0.625')
    os.mkdir('german')
    german['REYES_CACHE'] = os.path.abspath('german')
    expect('numbers under de_DE', 0, '--stats', 's.json', 'n.rib', out=r'^wrote n\.exr \(16 x 12, \d+\.\d+ s\)\n$', err='^$',
           env=german)
    check('the same picture under de_DE', same_pixels('plain.exr', 'n.exr'))
    check('the same RIB under de_DE', expect('cat under de_DE', 0, 'cat', 'n.rib', env=german)[0] == text)
    check('statistics under de_DE are JSON', json.load(open('s.json'))['status'] == 0)
    stats, _ = expect('statistics under de_DE', 0, '--stats', '-', 'n.rib', env=german)
    check('no comma in a number', not re.search(r'\d,\d', stats), stats)
    expect('flags under de_DE', 0, '-crop', '0.25', '0.75', '0', '1', '--scale', '2.0', 'n.rib', out='16 x 24', env=german)
    expect('shaderinfo under de_DE', 0, 'shaderinfo', 'tint', out=r'0\.75', env=german)
    expect('shade under de_DE', 0, 'shade', 'tint', '-res', '8', '8', '--set', 'k=0.5', out=r'\d\.\d\d s\)', env=german)


def places():
    """A scene is the same from wherever it is named."""
    os.makedirs('shots.v1/parts')
    write('shots.v1/parts/inner.rib', BALL)
    write('shots.v1/in.rib', scene('ReadArchive "parts/inner.rib"\n', name='in.exr'))
    here = os.getcwd()
    for cwd, name, flags in (('.', 'shots.v1/in.rib', []), ('shots.v1', 'in.rib', []), ('/', here + '/shots.v1/in.rib', []),
                             ('/', 'in.rib', ['-cwd', here + '/shots.v1'])):
        expect(f'{name} from {cwd}', 0, *flags, '-o', here + '/in.exr', name, cwd=cwd, err='^$', out='wrote')
    # Dots in folders and names are no endings; a backslash and n in a name is what RIB makes of it, one line all the same.
    write('shots.v1/sh.ader.sl', 'surface sh_ader() { Ci = 0.5; Oi = 1; }')
    expect('dots in names', 0, 'compile', 'shots.v1/sh.ader.sl', out=r'wrote .*\.slb')
    write('t.rib', scene('Surface "paintedplastic" "texturename" ["C:\\new\\t.tex"]\n' + BALL))
    expect('a path of Windows', 2, 't.rib', err=r'^\S+: Error: [^\n]*texture-missing\]\n(.*\n)?$')
    write('t.rib', scene('Attribute "identifier" "string name" ["Gebäude [1] #2 ß"]\n' + BALL))
    expect('an object of any name', 0, 't.rib', err='^$', out='wrote')


def windows():
    """Data and display windows of crops, and what lies in them."""
    write('w.rib', SCENE)
    expect('the whole', 0, '-o', 'full.exr', 'w.rib')
    for what, flags, origin, size, whole in (
            ('crop', ['-crop', '0.25', '0.75', '0.5', '1'], (8, 12), (16, 12), (32, 24)),
            ('region', ['--region', '3', '5', '20', '21'], (3, 5), (17, 16), (32, 24)),
            ('crop at half size', ['-crop', '0.25', '0.75', '0.5', '1', '-res', '16', '12'], (4, 6), (8, 6), (16, 12)),
            ('a crop shrunk and moved', ['-crop', '0.5', '0.75', '0', '0.25'], (16, 0), (8, 6), (32, 24))):
        expect(what, 0, *flags, '-o', 'crop.exr', 'w.rib')
        got = info('crop.exr')
        check(what + ': windows', (got['origin'], got['size'], got['whole']) == (origin, size, whole), str(got))
        if whole == (32, 24):
            x, y = origin
            subprocess.run(['oiiotool', 'full.exr', '--cut', f'{size[0]}x{size[1]}+{x}+{y}', '-o', 'cut.exr'])
            subprocess.run(['oiiotool', 'crop.exr', '--cut', f'{size[0]}x{size[1]}+{x}+{y}', '-o', 'mine.exr'])
            check(what + ': pixels of the whole', same_pixels('cut.exr', 'mine.exr'))
    write('q.rib', scene(BALL, 'Quantize "rgba" 255 0 255 0.5\nQuantize "z" 0 0 0 0\nDisplay "+z.exr" "exr" "rgbaz"\n'))
    expect('depth beside colour', 0, 'q.rib')
    check('depth keeps its floats', 'half' in info('z.exr')['type'] and 'float' in info('z.exr')['type'], str(info('z.exr')))


def overrides():
    """Flags do the same with frames and with a bare world, and leave passes alone."""
    pass_ = 'Display "map.z" "zfile" "z"\nFormat 8 8 1\nWorldBegin\n' + BALL + 'WorldEnd\nMakeShadow "map.z" "map.shd"\n'
    bare = scene(BALL, name='p.####.exr')
    framed = ''.join(f'FrameBegin {i}\n' + pass_ + bare + 'FrameEnd\n' for i in (1, 2, 3))
    for what, text, frames in (('frames', framed, (1, 2, 3)), ('a fragment', bare, (0,))):
        write('o.rib', text)
        for flags, size in (([], '16 x 12'), (['-res', '20', '10'], '20 x 10'), (['--scale', '0.5'], '8 x 6'),
                            (['-crop', '0', '0.5', '0', '1'], '8 x 12'), (['--region', '1', '1', '6', '9'], '5 x 8')):
            stdout, _ = expect(f'{what} {flags}', 0, *flags, 'o.rib', err='^$')
            for f in frames:
                check(f'{what} {flags}: size of {f}', f'wrote p.{f:04}.exr ({size}' in stdout, stdout)
            if what == 'frames':
                check(f'{what} {flags}: the pass keeps its size', 'map.z (8 x 8' in stdout, stdout)
        stdout, _ = expect(what + ' to -o', 0, '-o', 'q.##.png', 'o.rib')
        check(what + ' to -o: names', all(f'wrote q.{f:02}.png' in stdout for f in frames), stdout)
        stdout, _ = expect(what + ' to null', 0, '--display', 'null', 'o.rib')
        check(what + ' to null: nothing but passes', 'p.0' not in stdout, stdout)
    write('o.rib', framed)
    stdout, _ = expect('one frame', 0, '-frames', '2', '2', 'o.rib')
    check('one frame: only that', 'p.0002.exr' in stdout and 'p.0001' not in stdout and 'p.0003' not in stdout, stdout)


def writing():
    for what, name in (('a folder that nobody can write', '/proc/o.exr'), ('a full disk', '/dev/full'),
                       ('a folder in place of the file', 'shelf'), ('two folders missing', 'no/such/o.exr')):
        os.makedirs('shelf', exist_ok=True)
        write('t.rib', scene(BALL, name=name))
        expect(what, 10, 't.rib', out='^$', err='Error: .*write-failed')
    write('t.rib', scene(BALL, name='fresh/o.exr'))
    expect('one folder missing', 0, 't.rib')
    check('one folder missing is made', os.path.exists('fresh/o.exr'))
    # Killed half way, the old picture is whole under its name.
    write('t.rib', scene(BALL, name='old.exr'))
    expect('a first picture', 0, 't.rib')
    before = open('old.exr', 'rb').read()
    slow = [REYES, '-t:1', '-Progress', '--option', 'PixelSamples 64 64', '-res', '4000', '3000', 't.rib']
    p = subprocess.Popen(slow, stdout=subprocess.PIPE)
    first = p.stdout.readline()
    check('progress is seen while the frame runs', first.startswith(b'R90000') and p.poll() is None, str(first))
    p.send_signal(signal.SIGKILL)
    p.wait(timeout=60)
    check('killed: the old file is as it was', open('old.exr', 'rb').read() == before)
    check('killed: nothing but temporaries is left', all(f.endswith('.part') for f in os.listdir('.')
                                                         if f.startswith('old') and f != 'old.exr'))


def words():
    """Scanners of logs look for words: they stand in lines of that kind only, whatever files are called."""
    expect('a picture for the map', 0, '-o', 'source.png', 'w.rib')
    expect('a map', 0, 'maketx', 'source.png', 'Error SEVERE.tex')
    write('t.rib', scene('Surface "paintedplastic" "texturename" ["Error SEVERE.tex"]\n' + BALL, name='Warning.exr'))
    stdout, stderr = expect('files called Error', 0, '-v', '4', '--stats', '-', 't.rib')
    bad = [line for line in (stdout + stderr).splitlines() if re.search(r'Error:|Warning:|SEVERE(?!\.tex)', line)]
    check('no line sounds like a fault', not bad, str(bad))


def maps():
    """A texture whose edge tiles are not full gives its own value everywhere."""
    write('t.rib', 'Display "white.tif" "file" "rgb"\nFormat 65 33 1\nProjection "orthographic"\nWorldBegin\n'
                   'Surface "constant"\nTranslate 0 0 1\nDisk 0 9 360\nWorldEnd\n')
    expect('a white picture', 0, 't.rib')
    expect('its map', 0, 'maketx', '--wrap', 'clamp', 'white.tif', 'white.tex')
    write('look.sl', 'surface look() { Ci = texture("white.tex", s, t, "width", 3, "blur", 0.02); Oi = 1; }')
    write('t.rib', 'Display "look.exr" "exr" "rgb" "string exrpixeltype" ["float"]\nFormat 70 40 1\nPixelFilter "box" 1 1\nProjection "orthographic"\n'
                   'ScreenWindow -1 1 -1 1\nWorldBegin\nSurface "look"\nTranslate 0 0 1\n'
                   'Patch "bilinear" "P" [-1 1 0 1 1 0 -1 -1 0 1 -1 0]\nWorldEnd\n')
    expect('a look-up in it', 0, 't.rib', err='^$')
    stats = subprocess.run(['oiiotool', '--stats', 'look.exr'], capture_output=True, text=True).stdout
    low = re.search(r'Stats Min: ([\d.]+) ([\d.]+) ([\d.]+)', stats)
    check('white everywhere', low and min(map(float, low.groups())) > 0.999 and 'NanCount: 0 0 0' in stats, stats)


def prepare():
    write('w.rib', SCENE)


sys.exit(finish(prepare, [locale, places, windows, overrides, writing, words, maps], sys.argv[3:]))
