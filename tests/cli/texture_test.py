# SPDX-License-Identifier: Apache-2.0
"""Textures as users meet them: pictures that nobody made into maps and the cache of those, processes that race for it,
maps made and used in one run, missing and damaged files, sets by UDIM, previews.

  texture_test.py REYES [--race N]   with N: only N processes on one cold cache"""
import glob, json, os, re, shutil, subprocess, sys

from exr import Exr
from program import REYES, check, expect, finish, run, write

CARD = 'Patch "bilinear" "P" [-1 1 0 1 1 0 -1 -1 0 1 -1 0]\n'
LOOK = 'surface look(string map = "";) { Ci = texture(map, 0.25 + s / 2, 0.25 + t / 2); Oi = 1; }'


def world(surface, head='', name='o.exr'):
    return (f'Display "{name}" "exr" "rgb" "string exrpixeltype" ["float"]\nFormat 8 6 1\nPixelFilter "box" 1 1\n'
            f'Projection "orthographic"\nScreenWindow -1 1 -1 1\n{head}WorldBegin\n{surface}\nTranslate 0 0 1\n{CARD}'
            f'WorldEnd\n')


def look(map_name, **how):
    return world(f'Surface "look" "string map" ["{map_name}"]', **how)


def frames(worlds):
    """Worlds of one run, so that the program starts once."""
    return ''.join(f'FrameBegin {n + 1}\n{w}FrameEnd\n' for n, w in enumerate(worlds))


def oiiotool(*args):
    return subprocess.run(['oiiotool', *args], capture_output=True, text=True, check=True).stdout


def colour(name, r, g, b, size='40x24', kind='uint8'):
    oiiotool('--pattern', f'constant:color={r},{g},{b}', size, '3', '-d', kind, '-o', name)


def mean(name):
    if name.endswith('.exr'):
        picture = Exr(name)
        return [sum(map(sum, picture.channels[c])) / (picture.width * picture.height) for c in 'RGB']
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
    endings = ('png', 'tif', 'jpg', 'exr', 'tiff', 'double.tif', 'one.png')
    oiiotool('--pattern', 'constant:color=0.2,0.6,0.4', '40x24', '3', '-d', 'uint8', '-o', 'red.png', '-o', 'red.jpg',
             '-d', 'uint16', '-o', 'red.tif', '-d', 'half', '-o', 'red.exr', '-d', 'float', '-o', 'red.tiff',
             '-d', 'double', '-o', 'red.double.tif', '--crop', '1x1', '--fullpixels', '-d', 'uint8', '-o', 'red.one.png')
    write('t.rib', frames(look('red.' + e, name=f'{e}.exr') for e in endings))
    _, err = expect('pictures as they are', 0, 't.rib', env=cache)
    for ending in endings:
        check(ending + ': said once', len(re.findall(f'Info: "red.{ending}".*texture-converted', err)) == 1, err)
        near(ending + ': its own colour', ending + '.exr', [0.2, 0.6, 0.4])
    check('one map each', len(cached('cache')) == len(endings), str(cached('cache')))
    expect('pictures again', 0, 't.rib', env=cache, err='^$')
    maps = cached('cache')
    shutil.copy('red.png', 'other.png')
    os.utime('red.png', (1, 1))
    write('t.rib', frames([look('other.png', name='a.exr'), look('red.png', name='b.exr')]))
    expect('the same content under another name and time', 0, 't.rib', env=cache, err='^$')
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
    oiiotool('--pattern', 'noise:type=uniform:min=0:max=1:mono=1', '400x300', '3', '-d', 'uint8', '-o', 'noise.tif')
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
    oiiotool('--pattern', 'noise:type=uniform', '300x300', '3', '-d', 'uint8', '-o', 'n.tif')
    expect('a map', 0, 'maketx', 'n.tif', 'n.tx')
    whole = open('n.tx', 'rb').read()
    picture = open('n.tif', 'rb').read()
    magenta = 'Option "texture" "color missingcolor" [1 0 1]\n'
    names = []
    for part in (1, 50, 95):
        for ending, content in (('tx', whole), ('tif', picture)):
            names.append(f'cut{part}.{ending}')
            write(names[-1], content[:len(content) * part // 100])
    write('t.rib', frames(look(name, head=magenta, name=f'{name}.exr') for name in names))
    code, _, err = run('t.rib')
    check('cut files', code == 2, f'{code} {err}')
    for name in names:
        said = err.count(f'texture "{name}"')
        check(f'{name}: one message at most', said <= 1, err)
        # Whoever reads less than all of it may find nothing wrong.
        if said:
            near(f'{name}: magenta', f'{name}.exr', [1, 0, 1], 0.8 if name.endswith('tx') else 0.005)
    check('damaged: no shreds in the cache', not glob.glob(os.path.join(os.environ['REYES_CACHE'], '**/*.part'), recursive=True))
    names = []
    for k in range(0, len(whole), max(1, len(whole) // 9)):
        names.append(f'flip{k}.tx')
        write(names[-1], whole[:k] + bytes([whole[k] ^ 0xff]) + whole[k + 1:])
    write('t.rib', frames(look(name, name=f'{name}.exr') for name in names))
    code, _, err = run('t.rib')
    check('one byte of a map is another', code in (0, 2), f'{code} {err}')
    for name in names:
        check(f'{name}: one message at most', err.count(f'texture "{name}"') <= 1, err)
        check(f'{name}: a picture', os.path.exists(f'{name}.exr'), err)


def wraps():
    """How a picture goes on: as the look-up says, else the file, else the option, else black."""
    oiiotool('--pattern', 'constant:color=0.2,0.4,0.6', '32x32', '3', '-d', 'uint8', '-o', 'w.png', '-d', 'half',
             '--attrib', 'wrapmodes', 'periodic,periodic', '-o', 'w.exr')
    write('beyond.sl', 'surface beyond(string map = "", mode = "default";) '
                       '{ Ci = texture(map, 1.25 + s / 2, 0.25 + t / 2, "swrap", mode); Oi = 1; }')
    option = 'Option "texture" "string defaultwrap" ["periodic,black"]\n'
    seen, unseen = [0.2, 0.4, 0.6], [0, 0, 0]
    cases = (('w.png', '', 'default', unseen), ('w.exr', '', 'default', seen), ('w.png', option, 'default', seen),
             ('w.exr', option, 'black', unseen), ('w.png', '', 'mirror', seen))
    write('t.rib', frames(world(f'Surface "beyond" "map" ["{name}"] "mode" ["{mode}"]', head=head, name=f'wrap{n}.exr')
                          for n, (name, head, mode, _) in enumerate(cases)))
    expect('wraps', 0, 't.rib')
    for n, (name, head, mode, wanted) in enumerate(cases):
        near(f'wraps: {name} {mode} {head}', f'wrap{n}.exr', wanted)
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
    def square(u, v, name):
        return world(f'Surface "square" "map" ["set.<UDIM>.tif"] "u0" [{u}] "v0" [{v}] "there" [1]', name=name)

    write('t.rib', frames([square(1, 0, 'a.exr'), square(1, 1, 'b.exr')]))
    expect('squares', 0, 't.rib')
    write('none.rib', square(0, 0, 'c.exr'))
    expect('a square without a picture', 2, 'none.rib')
    for name, wanted in (('a.exr', [0.1, 0.2, 0.3]), ('b.exr', [0.7, 0.8, 0.9]), ('c.exr', [0, 0, 0])):
        near(f'square of {name}: its colour', name, wanted)
    expect('the set is found', 0, 'check', 't.rib')
    write('t.rib', world('Surface "square" "map" ["nowhere.<UDIM>.tif"]'))
    expect('a set is missing', 2, 't.rib', err='nowhere.1001.tif')


def threads():
    """The same bits for any number of threads and instruction set, whoever reads a tile first."""
    oiiotool('--pattern', 'noise:type=uniform:min=0:max=1', '700x500', '3', '-d', 'uint8', '-o', 'n.png',
             '--pattern', 'noise:type=uniform:min=0:max=1:seed=3', '256x128', '3', '-d', 'half', '-o', 'e.exr')
    expect('environment', 0, 'maketx', '--latlong', 'e.exr', 'e.env')
    write('both.sl', 'surface both() { normal h = bump("n.png", normalize(N), dPdu, dPdv, "blur", 0.02);'
                     'Ci = texture("n.png", s * 3, t * 3, "sblur", 0.01) + environment("e.env", reflect(I, h), "width", 2); Oi = 1; }')
    write('t.rib', 'Display "t.exr" "exr" "rgb" "string exrpixeltype" ["float"]\nFormat 120 90 1\nProjection "perspective" "fov" 40\n'
                   'WorldBegin\nSurface "both"\nTranslate 0 0 5\nSphere 1 -1 1 360\nTranslate 0 -1 0\nRotate 90 1 0 0\nDisk 0 40 360\nWorldEnd\n')
    for n, flags in enumerate((['-t:1'], ['-t:2'], ['-t:4'], ['-t:3', '--isa', 'sse4'], ['-t:2', '--option', 'Option "limits" "bucketsize" [9 7]'])):
        expect('threads ' + ' '.join(flags), 0, *flags, '-o', f't{n}.exr', 't.rib')
        check('threads ' + ' '.join(flags) + ': the same', Exr(f't{n}.exr').channels == Exr('t0.exr').channels)


def preview():
    """The curve of sRGB is for the eye alone; EXR says what its numbers are."""
    write('grey.rib', world('Color [0.5 0.25 1]\nSurface "constant"'))
    expect('preview', 0, '--preview', 'eye.png', 'grey.rib', out=r'wrote eye\.png')
    near('preview: by the curve', 'eye.png', [0.735, 0.537, 1])
    near('preview: the picture itself', 'o.exr', [0.5, 0.25, 1])
    info = oiiotool('--info', '-v', 'o.exr')
    check('chromaticities', 'chromaticities: 0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329' in info, info)
    expect('preview of no format', 1, '--preview', 'eye.nothing', 'grey.rib', err='--preview eye.nothing')
    write('two.rib', 'FrameBegin 1\n' + world('Surface "constant"', name='f1.exr') + 'FrameEnd\nFrameBegin 2\n'
          + world('Surface "constant"', name='f2.exr') + 'FrameEnd\n')
    expect('preview of two frames', 0, '--preview', 'eye.####.png', 'two.rib', out=r'eye\.0002\.png')


def module():
    """A program beside a module of another build, of a broken one, of none: said, and never a crash."""
    colour('m.png', 0.2, 0.4, 0.6)
    write('t.rib', look('m.png'))
    os.makedirs('other/bin')
    os.makedirs('other/lib')
    shutil.copy(REYES, 'other/bin/reyes')
    with open(os.path.join(os.path.dirname(REYES), '..', 'lib', 'reyes_oiio.so'), 'rb') as f:
        good = f.read()
    at = good.index(b'reyes-module ') + 13
    stamp = bytes([good[at] ^ 1])
    for what, content, said in (('another build', good[:at] + stamp + good[at + 1:], 'belongs to another build'),
                                ('not a library', b'no library', 'is no library'),
                                ('cut', good[:len(good) // 2], 'is cut short')):
        write('other/lib/reyes_oiio.so', content)
        r = subprocess.run(['other/bin/reyes', 't.rib'], capture_output=True, text=True, timeout=100)
        check(f'module: {what}', r.returncode == 2 and re.search(said, r.stderr), f'{r.returncode} {r.stderr}')


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
    kinds = (('uint8', 'tif'), ('uint16', 'tiff'), ('half', 'exr'), ('float', 'float.tif'))
    oiiotool('--pattern', 'constant:color=0.2,0.5,0.7', '40x24', '3',
             *[word for kind, ending in kinds for word in ('-d', kind, '-o', 'a.' + ending)])
    for kind, ending in kinds:
        expect(f'maketx {kind}', 0, 'maketx', '--wrap', 'periodic', 'a.' + ending, f'{kind}.tx')
        info = oiiotool('--info', '-v', f'{kind}.tx')
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


def makeshadow():
    """One map of a depth picture, of a deep one, and of six around a lamp."""
    for kind in ('zfile', 'deepshad'):
        for face in range(6):
            write('z.rib', f'Display "{kind}{face}.z" "{kind}" "z"\nFormat 16 16 1\nProjection "perspective" "fov" 90\n'
                           f'WorldBegin\nTranslate 0 0 3\n{CARD}WorldEnd\n')
            expect(f'{kind} {face}', 0, 'z.rib')
        faces = [f'{kind}{face}.z' for face in range(6)]
        expect(f'{kind}: one', 0, 'makeshadow', faces[0], 'one.shd', out='wrote one.shd')
        expect(f'{kind}: six', 0, 'makeshadow', *faces, 'six.shd', out='wrote six.shd')
        info = subprocess.run(['oiiotool', '--info', '-v', 'six.shd'], capture_output=True, text=True).stdout
        check(f'{kind}: a cube', '16 x   96' in info and 'cubeshadow' in info, info)
    expect('makeshadow: five', 1, 'makeshadow', *faces[:5], 'x.shd', err='usage')
    expect('makeshadow: none', 3, 'makeshadow', *faces[:5], 'none.z', 'x.shd', err='none.z')
    expect('makeshadow: mixed', 3, 'makeshadow', *faces[:5], 'zfile0.z', 'x.shd', err='zfile0.z.*not deep')
    check('makeshadow: nothing half made', not os.path.exists('x.shd') and not glob.glob('*.part'))


def prepare():
    os.environ['REYES_CACHE'] = os.path.abspath('shaders')
    write('look.sl', LOOK)
    expect('look.sl', 0, 'compile', 'look.sl')


if '--race' in sys.argv:
    def many():
        race(int(sys.argv[sys.argv.index('--race') + 1]))
    sys.exit(finish(prepare, [many], []))
sys.exit(finish(prepare, [unmade, race, passes, missing, wraps, udim, threads, preview, module, report, maketx, makeshadow],
                sys.argv[2:]))
