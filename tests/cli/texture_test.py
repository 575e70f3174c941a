# SPDX-License-Identifier: Apache-2.0
"""Textures as users meet them: pictures that nobody made into maps and the cache of those, processes that race for it,
maps made and used in one run, missing and damaged files, sets by UDIM, previews.

  texture_test.py REYES [--race N]   with N: only N processes on one cold cache"""
import glob, json, os, re, shutil, subprocess, sys

from program import BALL, REYES, check, expect, finish, run, scene, write

CARD = 'Patch "bilinear" "P" [-1 1 0 1 1 0 -1 -1 0 1 -1 0]\n'
LOOK = 'surface look(string map = "";) { Ci = texture(map, 0.25 + s / 2, 0.25 + t / 2); Oi = 1; }'


def world(surface, head='', name='o.exr'):
    return (f'Display "{name}" "exr" "rgb" "string exrpixeltype" ["float"]\nFormat 8 6 1\nPixelFilter "box" 1 1\n'
            f'Projection "orthographic"\nScreenWindow -1 1 -1 1\n{head}WorldBegin\n{surface}\nTranslate 0 0 1\n{CARD}'
            f'WorldEnd\n')


def look(map_name, **how):
    return world(f'Surface "look" "string map" ["{map_name}"]', **how)


def colour(name, r, g, b, size='40x24', kind='uint8'):
    subprocess.run(['oiiotool', '--pattern', f'constant:color={r},{g},{b}', size, '3', '-d', kind, '-o', name], check=True)


def mean(name):
    text = subprocess.run(['oiiotool', '--stats', name], capture_output=True, text=True).stdout
    found = re.search(r'Stats Avg: ([\d.]+) ([\d.]+) ([\d.]+)', text)
    one = 255 if ', uint8' in text else 65535 if ', uint16' in text else 1
    return [float(v) / one for v in found.groups()] if found else [-1, -1, -1]


def near(what, name, wanted, tolerance=0.005):
    got = mean(name)
    check(what, all(abs(a - b) < tolerance for a, b in zip(got, wanted)), f'{got}, not {wanted}')


def cached(folder):
    return sorted(glob.glob(os.path.join(folder, 'textures', '*.tx')))


def unmade():
    """A map is made once of a picture, known by its content."""
    cache = {'REYES_CACHE': os.path.abspath('cache')}
    for ending, kind, wanted in (('png', 'uint8', 0.2), ('tif', 'uint16', 0.2), ('jpg', 'uint8', 0.2), ('exr', 'half', 0.2),
                                 ('tiff', 'float', 0.2)):
        colour('red.' + ending, 0.2, 0.6, 0.4, kind=kind)
        write('t.rib', look('red.' + ending))
        before = len(cached('cache'))
        expect(ending + ' as it is', 0, 't.rib', env=cache,
               err='Info: "red.' + ending + '".*texture-converted')
        near(ending + ': its own colour', 'o.exr', [wanted, 0.6, 0.4])
        check(ending + ': one map', len(cached('cache')) == before + 1, str(cached('cache')))
        expect(ending + ' again', 0, 't.rib', env=cache, err='^$')
    maps = cached('cache')
    shutil.copy('red.png', 'other.png')
    os.utime('red.png', (1, 1))
    for name in ('other.png', 'red.png'):
        write('t.rib', look(name))
        expect('the same content under ' + name, 0, 't.rib', env=cache, err='^$')
    check('is no new map', cached('cache') == maps)
    # Other content under the old name and time.
    stat = os.stat('other.png')
    colour('other.png', 0.8, 0.6, 0.4)
    os.utime('other.png', (stat.st_atime, stat.st_mtime))
    write('t.rib', look('other.png'))
    expect('another content', 0, 't.rib', env=cache)
    near('is seen', 'o.exr', [0.8, 0.6, 0.4])
    for damage in (b'', b'no map', open(cached('cache')[0], 'rb').read()[:300]):
        for name in cached('cache'):
            write(name, damage)
        expect('a damaged map is made again', 0, 't.rib', env=cache, err='texture-converted')
        near('and good', 'o.exr', [0.8, 0.6, 0.4])
        shutil.rmtree('cache')
    os.mkdir('tmp')
    nowhere = {'REYES_CACHE': '/proc/none', 'TMPDIR': os.path.abspath('tmp')}
    expect('no cache folder', 0, 't.rib', env=nowhere, err='for this run alone')
    near('no cache folder: still seen', 'o.exr', [0.8, 0.6, 0.4])
    check('no cache folder: nothing is left', not os.listdir('tmp'), str(os.listdir('tmp')))


def race(count=12):
    """Processes that start at once on a cold cache leave one good map."""
    cache = dict(os.environ, REYES_CACHE=os.path.abspath('race'))
    subprocess.run(['oiiotool', '--pattern', 'noise:type=uniform:min=0:max=1:mono=1', '400x300', '3', '-d', 'uint8', '-o',
                    'noise.tif'], check=True)
    for i in range(count):
        write(f'r{i}.rib', look('noise.tif', name=f'r{i}.exr'))
    runs = [subprocess.Popen([REYES, '-t:1', '-q', f'r{i}.rib'], env=cache, stderr=subprocess.PIPE) for i in range(count)]
    texts = [r.communicate()[1].decode() for r in runs]
    check('race: all are well', all(r.returncode == 0 for r in runs), str([r.returncode for r in runs]) + texts[0])
    check('race: one map', len(cached('race')) == 1, str(os.listdir('race/textures')))
    check('race: no temporaries', not glob.glob('race/**/*.part', recursive=True))
    first = mean('r0.exr')
    check('race: one picture', all(mean(f'r{i}.exr') == first for i in range(count)))
    expect('race: the map is good', 0, 'r0.rib', env={'REYES_CACHE': os.path.abspath('race')}, err='^$')


def passes():
    """Worlds of one file make a map, use it, make it again."""
    text, colours = '', ([0.75, 0.25, 0.5], [0.25, 0.5, 0.75], [0.5, 0.75, 0.25])
    for n, c in enumerate(colours):
        text += (f'Display "plain{n}.tif" "file" "rgb"\nFormat 64 64 1\nProjection "orthographic"\nScreenWindow -1 1 -1 1\n'
                 f'WorldBegin\nColor {c}\nSurface "constant"\nTranslate 0 0 1\nDisk 0 9 360\nWorldEnd\n'
                 f'MakeTexture "plain{n}.tif" "plain.tx" "periodic" "periodic" "gaussian" 2 2\n'
                 + look('plain.tx', name=f'used{n}.exr'))
    write('p.rib', text.replace(',', ''))
    expect('passes', 0, 'p.rib', err='^$')
    for n, c in enumerate(colours):
        near(f'passes: map {n}', f'used{n}.exr', c)


def missing():
    """A texture that is not there, or is damaged: one message with the shader's line, a visible colour if wanted."""
    write('t.rib', look('none.tx', head='Option "texture" "color missingcolor" [1 0 1]\n'))
    _, err = expect('missing', 2, 't.rib', err=r'look\.sl:1: Error: texture "none.tx": not found \[texture-missing\]')
    check('missing: once', err.count('texture-missing') == 1, err)
    near('missing: magenta', 'o.exr', [1, 0, 1])
    write('t.rib', look('none.tx'))
    expect('missing, plain', 2, 't.rib')
    near('missing: black', 'o.exr', [0, 0, 0])
    subprocess.run(['oiiotool', '--pattern', 'noise:type=uniform', '300x300', '3', '-d', 'uint8', '-o', 'n.tif'], check=True)
    expect('a map', 0, 'maketx', 'n.tif', 'n.tx')
    whole = open('n.tx', 'rb').read()
    picture = open('n.tif', 'rb').read()
    for part in (0.01, 0.5, 0.95):
        write('cut.tx', whole[:int(len(whole) * part)])
        write('cut.tif', picture[:int(len(picture) * part)])
        for name in ('cut.tx', 'cut.tif'):
            write('t.rib', look(name, head='Option "texture" "color missingcolor" [1 0 1]\n'))
            code, _, err = run('t.rib')
            check(f'{part} of {name}', code in (0, 2) and (code == 0 or err.count('texture-missing') == 1), f'{code} {err}')
        check('damaged: no shreds in the cache', not glob.glob(os.path.join(os.environ['REYES_CACHE'], '**/*.part'), recursive=True))
    for k in range(0, len(whole), max(1, len(whole) // 9)):
        write('flip.tx', whole[:k] + bytes([whole[k] ^ 0xff]) + whole[k + 1:])
        write('t.rib', look('flip.tx'))
        code, _, err = run('t.rib')
        check(f'byte {k} of a map', code in (0, 2), f'{code} {err}')


def wraps():
    """How a picture goes on: as the look-up says, else the file, else the option, else black."""
    subprocess.run(['oiiotool', '--pattern', 'constant:color=0.2,0.4,0.6', '32x32', '3', '-d', 'uint8', '-o', 'w.png',
                    '-d', 'half', '--attrib', 'wrapmodes', 'periodic,periodic', '-o', 'w.exr'], check=True)
    write('beyond.sl', 'surface beyond(string map = "", mode = "default";) '
                       '{ Ci = texture(map, 1.25 + s / 2, 0.25 + t / 2, "swrap", mode); Oi = 1; }')
    option = 'Option "texture" "string defaultwrap" ["periodic,black"]\n'
    seen, unseen = [0.2, 0.4, 0.6], [0, 0, 0]
    for name, head, mode, wanted in (('w.png', '', 'default', unseen), ('w.exr', '', 'default', seen),
                                     ('w.png', option, 'default', seen), ('w.exr', option, 'black', unseen),
                                     ('w.png', '', 'mirror', seen)):
        write('t.rib', world(f'Surface "beyond" "map" ["{name}"] "mode" ["{mode}"]', head=head))
        expect(f'wraps: {name} {mode} {head}', 0, 't.rib')
        near(f'wraps: {name} {mode} {head}: what is seen', 'o.exr', wanted)
    write('t.rib', world('Surface "beyond" "map" ["w.png"]', head='Option "texture" "string defaultwrap" ["round"]\n'))
    expect('wraps: no such mode', 2, 't.rib', err='defaultwrap "round"')
    write('odd.sl', 'surface odd(string map = "";) { Ci = texture(map, s, t, "colour", 3); Oi = 1; }')
    write('t.rib', world('Surface "odd" "map" ["w.png"]'))
    _, err = expect('a token that nothing knows', 0, 't.rib', err=r'odd\.sl:1: Warning: .*"colour"')
    check('is said once', err.count('look-ups know no') == 1, err)


def udim():
    """A set of pictures of which some squares are not there."""
    colour('set.1002.tif', 0.1, 0.2, 0.3)
    colour('set.1012.tif', 0.7, 0.8, 0.9)
    write('square.sl', 'surface square(string map = ""; float u0 = 0, v0 = 0, there = 0;) '
                       '{ float n[2]; Ci = texture(map, 0.25 + s / 2 + u0, 0.25 + t / 2 + v0); Oi = 1; '
                       'if (textureinfo(map, "resolution", n) != there || (there != 0 && n[0] != 40)) Ci = 9; }')
    for u, v, status, wanted in ((1, 0, 0, [0.1, 0.2, 0.3]), (1, 1, 0, [0.7, 0.8, 0.9]), (0, 0, 2, [0, 0, 0])):
        write('t.rib', world(f'Surface "square" "map" ["set.<UDIM>.tif"] "u0" [{u}] "v0" [{v}] "there" [1]'))
        expect(f'square {u} {v}', status, 't.rib')
        near(f'square {u} {v}: its colour', 'o.exr', wanted)


    expect('the set is found', 0, 'check', 't.rib')
    write('t.rib', world('Surface "square" "map" ["nowhere.<UDIM>.tif"]'))
    expect('a set is missing', 2, 't.rib', err='nowhere.1001.tif')


def threads():
    """The same bits for any number of threads and instruction set, whoever reads a tile first."""
    subprocess.run(['oiiotool', '--pattern', 'noise:type=uniform:min=0:max=1', '700x500', '3', '-d', 'uint8', '-o', 'n.png'],
                   check=True)
    subprocess.run(['oiiotool', '--pattern', 'noise:type=uniform:min=0:max=1:seed=3', '256x128', '3', '-d', 'half', '-o', 'e.exr'],
                   check=True)
    expect('environment', 0, 'maketx', '--latlong', 'e.exr', 'e.env')
    write('both.sl', 'surface both() { normal h = bump("n.png", normalize(N), dPdu, dPdv, "blur", 0.02);'
                     'Ci = texture("n.png", s * 3, t * 3, "sblur", 0.01) + environment("e.env", reflect(I, h), "width", 2); Oi = 1; }')
    write('t.rib', 'Display "t.exr" "exr" "rgb" "string exrpixeltype" ["float"]\nFormat 120 90 1\nProjection "perspective" "fov" 40\n'
                   'WorldBegin\nSurface "both"\nTranslate 0 0 5\nSphere 1 -1 1 360\nTranslate 0 -1 0\nRotate 90 1 0 0\nDisk 0 40 360\nWorldEnd\n')
    for n, flags in enumerate((['-t:1'], ['-t:2'], ['-t:4'], ['-t:3', '--isa', 'sse4'], ['-t:2', '--option', 'Option "limits" "bucketsize" [9 7]'])):
        expect('threads ' + ' '.join(flags), 0, *flags, '-o', f't{n}.exr', 't.rib')
        same = subprocess.run(['idiff', '-fail', '0', '-warn', '0', 't0.exr', f't{n}.exr'], capture_output=True, text=True)
        check('threads ' + ' '.join(flags) + ': the same', same.returncode == 0, same.stdout)


def preview():
    """The curve of sRGB is for the eye alone; EXR says what its numbers are."""
    write('grey.rib', world('Color [0.5 0.25 1]\nSurface "constant"'))
    expect('preview', 0, '--preview', 'eye.png', 'grey.rib', out=r'wrote eye\.png')
    near('preview: by the curve', 'eye.png', [0.735, 0.537, 1])
    near('preview: the picture itself', 'o.exr', [0.5, 0.25, 1])
    info = subprocess.run(['oiiotool', '--info', '-v', 'o.exr'], capture_output=True, text=True).stdout
    check('chromaticities', 'chromaticities: 0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329' in info, info)
    expect('preview of no format', 1, '--preview', 'eye.nothing', 'grey.rib', err='--preview eye.nothing')
    write('two.rib', 'FrameBegin 1\n' + world('Surface "constant"', name='f1.exr') + 'FrameEnd\nFrameBegin 2\n'
          + world('Surface "constant"', name='f2.exr') + 'FrameEnd\n')
    expect('preview of two frames', 0, '--preview', 'eye.####.png', 'two.rib', out=r'eye\.0002\.png')


def report():
    colour('c.tif', 0.3, 0.3, 0.3)
    expect('a map', 0, 'maketx', 'c.tif', 'c.tx')
    write('t.rib', look('c.tx'))
    expect('report', 0, '--stats', 's.json', 't.rib')
    with open('s.json', encoding='utf-8') as f:
        counts = json.load(f)['textures']
    check('report: look-ups', counts['texture_lookups'] > 0 and counts['texture_tiles_read'] > 0
          and counts['texture_redundant_tiles'] == 0, str(counts))


def maketx():
    """Types, colour spaces and wraps of what maketx writes."""
    for kind, ending in (('uint8', 'tif'), ('uint16', 'tif'), ('half', 'exr'), ('float', 'tif')):
        colour('a.' + ending, 0.2, 0.5, 0.7, kind=kind)
        expect(f'maketx {kind}', 0, 'maketx', '--wrap', 'periodic', 'a.' + ending, 'a.tx')
        info = subprocess.run(['oiiotool', '--info', '-v', 'a.tx'], capture_output=True, text=True).stdout
        check(f'maketx {kind}: kept', f'3 channel, {kind}' in info and 'tile size: 64 x 64' in info
              and 'periodic,periodic' in info, info)
    colour('s.png', 0.5, 0.5, 0.5)
    expect('as stored', 0, 'maketx', 's.png', 's.tx')
    near('as stored: the number itself', 's.tx', [0.5, 0.5, 0.5])
    expect('from sRGB', 0, 'maketx', '--colorspace', 'sRGB', 's.png', 's.tx')
    near('from sRGB: linear', 's.tx', [0.2140, 0.2140, 0.2140])
    expect('no such filter', 1, 'maketx', '--filter', 'fog', 's.png', 'x.tx', err='"fog"')
    expect('no such colour space', 1, 'maketx', '--colorspace', 'fog', 's.png', 'x.tx', err='fog')
    expect('no such picture', 3, 'maketx', 'none.png', 'x.tx', err='none.png')
    check('nothing half made', not os.path.exists('x.tx') and not glob.glob('*.part'))


def prepare():
    os.environ['REYES_CACHE'] = os.path.abspath('shaders')
    write('look.sl', LOOK)
    expect('look.sl', 0, 'compile', 'look.sl')


if '--race' in sys.argv:
    def many():
        race(int(sys.argv[sys.argv.index('--race') + 1]))
    sys.exit(finish(prepare, [many], []))
sys.exit(finish(prepare, [unmade, race, passes, missing, wraps, udim, threads, preview, report, maketx], sys.argv[2:]))
