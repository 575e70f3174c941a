#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program as users do and checks exit statuses, what is said where, and which files are there afterwards.
usage: cli_test.py PATH/TO/reyes [GROUP...]"""
import gzip, json, os, re, signal, subprocess, sys, time
from program import BALL, REYES, SCENE, check, expect, finish, run, scene, write


def usage():
    expect('no arguments', 1)
    expect('help', 0, '--help', out='examples:')
    for command in ('render', 'compile', 'shaderinfo', 'shade', 'maketx', 'makeshadow', 'cat', 'check', 'merge'):
        expect(f'{command} --help', 0, command, '--help', out='(?i)example')
    expect('version', 0, '--version', out='instruction sets:.*\n.*OpenEXR')
    expect('misspelt command', 1, 'rendr', err='did you mean render')
    expect('misspelt flag', 1, 'render', '--treads', '2', 'ball.rib', err='did you mean --threads')
    expect('bad crop', 1, 'render', '-crop', '1', '0', '0', '1', 'ball.rib')
    expect('bad number', 1, 'render', '-res', '12x', '10', 'ball.rib')
    for flag in (['--debug-pixel', '1', '1'], ['--stats', 'x.html']):
        expect(f'{flag[0]} says that it is not built', 1, 'render', *flag, 'ball.rib', err='not built')
    expect('farm says that it is not built', 1, 'farm', err='not built')
    expect('merge without tiles', 1, 'merge', err='usage')
    expect('an ending that names no format', 1, 'render', '-o', 'q.xyz', 'ball.rib', err='known by the ending .xyz')
    expect('a name without an ending', 1, 'check', '-o', 'q', 'ball.rib', err='a name without an ending')


def rendering():
    stdout, stderr = expect('render', 0, 'ball.rib', out=r'^wrote ball\.exr \(32 x 24, [\d.]+ s\)\n$')
    check('nothing on stderr', stderr == '', stderr)
    check('the picture is there', os.path.exists('ball.exr'))
    check('no temporaries left', not [f for f in os.listdir('.') if f.endswith('.part')])
    expect('RenderMan flags', 0, 'render', '-t:2', '-Progress', '-recover', '0', '-res', '16', '12', '-o', 'a.exr',
           'ball.rib', out=r'R90000 +\d+%\n(.*\n)*R90000  100%\nwrote a\.exr \(16 x 12')
    expect('openjd', 0, 'render', '--progress=openjd', '-o', 'a.exr', 'ball.rib', out='openjd_progress: 100')
    expect('crop', 0, 'render', '-crop', '0', '0.5', '0', '1', '-o', 'a.exr', 'ball.rib', out=r'16 x 24')
    expect('region', 0, 'render', '--region', '2', '3', '12', '10', '-o', 'a.exr', 'ball.rib', out=r'10 x 7')
    expect('display type', 0, 'render', '--display', 'png', '-o', 'a.png', 'ball.rib', out='wrote a.png')
    expect('any ending beside a display type', 0, 'render', '--display', 'tiff', '-o', 'a.xyz', 'ball.rib', out='wrote a.xyz')
    expect('standard input', 0, 'render', '-o', 'a.exr', '-', stdin=SCENE.encode(), out='wrote a.exr')
    os.mkfifo('pipe')
    feeder = subprocess.Popen(['sh', '-c', 'cat ball.rib > pipe'])
    expect('a named pipe', 0, 'render', '-o', 'a.exr', 'pipe', out='wrote a.exr')
    feeder.wait(timeout=10)
    expect('two files are one stream', 0, 'render', 'head.rib', 'tail.rib', out='wrote ball.exr')
    expect('frames left out', 0, 'render', '-frames', '5', '6', 'ball.rib', out='^$', err='frames-none')
    expect('plan', 0, 'render', '-n', 'ball.rib', out='would write ball.exr')
    expect('option text', 0, 'render', '--option', 'Format 8 8 1', '-o', 'a.exr', 'ball.rib', out=r'8 x 8')
    expect('statistics', 0, 'render', '--stats', 's.json', 'ball.rib')
    stats = json.load(open('s.json'))
    check('statistics hold what they promise',
          stats['frames'][0]['counts']['micropolygons'] > 0 and stats['peakMemoryBytes'] > 0 and
          stats['frames'][0]['bytesAMicropolygon'] > 0 and stats['status'] == 0, str(stats)[:300])
    check('a frame has its seconds, and those of its stages',
          0 < stats['frames'][0]['seconds'] <= stats['seconds'] and stats['frames'][0]['stages']['sample'] > 0 and
          stats['total']['stages']['parse'] > 0, str(stats)[:300])
    for motion, limit in (('', 30), ('MotionBegin [0 1] Translate 0 0 0 Translate .1 0 0 MotionEnd', 48)):
        write('grids.rib', f'''Format 512 512 1 Shutter 0 1 Option "limits" "bucketsize" [512 512] Display "x" "null" "rgba"
            WorldBegin Surface "matte" Translate 0 0 5 {motion} Sphere 0.9 -0.9 0.9 360 WorldEnd''')
        expect('grids', 0, 'render', '--stats', 's.json', 'grids.rib')
        with open('s.json') as f:
            used = json.load(f)['frames'][0]['bytesAMicropolygon']
        check(f'bytes a micropolygon, {motion or "still"}', used < limit, str(used))
    expect('statistics as text', 0, 'render', '--stats', '-', 'ball.rib', out='bytes a micropolygon')


def failing():
    expect('no such file', 3, 'nofile.rib', err='rib-cannot-open')
    expect('a folder', 3, 'render', '.')
    expect('a picture in place of RIB', 3, 'render', 'noise.bin')
    expect('truncated gzip', 3, 'render', 'cut.rib.gz', err='rib-gzip-truncated')
    expect('unknown request', 2, 'render', 'bad.rib', err=r'bad\.rib:5:1: Error: unknown request WorldBegni; did you mean WorldBegin\? \[rib-unknown-request\]')
    expect('prman log', 2, 'render', '--log-format=prman', 'bad.rib', err=r'R12001 \{ERROR\} unknown request')
    expect('missing shader', 2, 'render', 'lost.rib', out='wrote ball.exr', err='shader')
    expect('missing is an error', 3, 'render', '--missing', 'error', 'lost.rib', out='^$')
    expect('quiet', 2, 'render', '-q', '--logfile', 'log.txt', 'bad.rib')
    check('log file', 'WorldBegni' in open('log.txt').read())
    expect('no folder to write to', 10, 'render', '-o', 'no/such/a.exr', 'ball.rib')
    expect('working folder', 0, 'render', '-cwd', 'sub', '../ball.rib')
    check('written in the working folder', os.path.exists('sub/ball.exr'))


DEEP = 20000


def bomb(begin, play, end, levels=40, times=2):
    """Each of these plays the one before it `times` times."""
    inner = ''.join(begin.format(i) + play.format(i - 1) * times + end for i in range(1, levels))
    return begin.format(0) + end + inner + play.format(levels - 1)


def hostile():
    """Input that is wrong in every way: a message with a place, the documented status, and soon."""
    write('self.rib', BALL + 'ReadArchive "self.rib"\n')
    write('one.rib', 'ReadArchive "other.rib"\n')
    write('other.rib', 'ReadArchive "one.rib"\n')
    write('garbage.tex', bytes(i * 73 % 256 for i in range(3000)))
    write('loop.sl', 'surface loop() { float x = 0; while (x < 1) x = x * 0; Ci = x; Oi = 1; }')
    write('parens.sl', 'surface parens() { Ci = ' + '(' * 10000 + '1' + ')' * 10000 + '; Oi = 1; }')
    write('nans.sl', 'surface nans() { float z = 0; Ci = color(z / z, 1 / z, 1); Oi = 1; }')
    write('away.sl', 'displacement away() { float z = 0; P = P + N * (z / z); }')
    cases = [
        ('a picture too large', 33, scene(BALL, 'Format 100000 100000 1\n'), r't\.rib:1:1: Error: .*no memory'),
        ('a format beyond the most', 2, scene(BALL, 'Format 2000000000 1 1\n'), r't\.rib:4:1: .*\[rib-bad-argument'),
        ('one file by two names', 3, scene(BALL, 'Display "+./o.exr" "file" "z"\n'), r't\.rib:4:1: .*display-clash'),
        ('no disk left', 10, scene(BALL, name='/dev/full'), r't\.rib:1:1: .*write-failed'),
        ('no folder', 10, scene(BALL, name='no/such/o.exr'), r't\.rib:1:1: .*write-failed'),
        ('a file as a folder', 10, scene(BALL, name='self.rib/o.exr'), r't\.rib:1:1: .*write-failed'),
        ('PixelSamples 0', 2, scene(BALL, 'PixelSamples 0 -1\n'), r't\.rib:4:1: Error: PixelSamples'),
        ('ShadingRate -1', 2, scene('ShadingRate -1\n' + BALL), r't\.rib:7:1: Error: ShadingRate'),
        ('not a number', 2, scene('Sphere nan -1 1 360\n' + BALL), r't\.rib:7:8: .*rib-bad-argument'),
        ('a mirrored screen window', 0, scene(BALL, 'ScreenWindow 1 -1 -1 1\n'), '^$'),
        ('no P', 2, scene('Polygon "Cs" [1 0 0 0 1 0 0 0 1]'), r't\.rib:7:1: .*rib-missing-P'),
        ('an index outside', 2, scene('PointsPolygons [3] [0 1 9] "P" [0 0 0 1 0 0 0 1 0]'), 'geom-bad-index'),
        ('an empty object', 0, scene('ObjectBegin 1\nObjectEnd\nObjectInstance 1'), '^$'),
        ('an object in itself', 2, scene('ObjectBegin 1\nObjectInstance 1\nObjectEnd\nObjectInstance 1'),
         r't\.rib:8:1: .*contains itself'),
        ('an archive in itself', 2, scene('ReadArchive "self.rib"'), r'self\.rib:2:1: .*rib-archive-recursion'),
        ('archives that double forty times', 2, scene(bomb('ArchiveBegin "a{}"\n', 'ReadArchive "a{}"\n', 'ArchiveEnd\n')),
         r't\.rib:\d+:1: Error: .*rib-archive-count'),
        ('objects that double forty times', 2, scene(bomb('ObjectBegin {}\n', 'ObjectInstance {}\n', 'ObjectEnd\n')),
         'rib-archive-count'),
        ('a long chain of archives', 2, scene(bomb('ArchiveBegin "a{}"\n', 'ReadArchive "a{}"\n', 'ArchiveEnd\n', 9000, 1)),
         r't\.rib:\d+:1: Error: .*64 deep.*rib-archive-depth'),
        ('an ending that names no format', 0, scene(BALL, name='o.xyz'), r't\.rib:1:1: Warning: .*display-unknown-ending'),
        ('a frame number as an ending', 0, scene(BALL, name='o.0010'), '^$'),
        ('no world', 0, 'Format 16 12 1\nTranslate 0 0 5\n', r't\.rib: Warning: .*rib-no-world'),
        ('a huge thing around the camera', 0, scene('Scale 1e14 1e14 1e14\n' + BALL), '^$'),
        ('a corner of a patch far away', 0, scene('Patch "bicubic" "P" [1e6 -1e6 0 .7 -.7 .7 .3 -1 1 0 -1 1 1 -.5 0 '
         '.7 -.5 .7 .3 -.5 1 0 -.5 1 1 .5 0 .7 .5 .7 .3 .5 1 0 .5 1 1 1 0 .7 1 .7 .3 1 1 0 1 1]'), '^$'),
        ('a vertex of a mesh farther away', 0, scene('SubdivisionMesh "catmull-clark" [4 4 4] [0 1 2 3 1 4 5 2 3 2 5 6] '
         '["interpolateboundary"] [0 0] [] [] "P" [-1 -1 0 0 -1 .5 0 0 0 -1e17 1e17 0 1 -1 0 1 0 0 1 1 .5]'), '^$'),
        ('a rational corner far away', 0, scene('NuPatch 3 3 [0 0 0 1 1 1] 0 1 2 2 [0 0 1 1] 0 1 "Pw" [1e6 -1e6 0 1 '
         '.7071 -1 .7071 .7071 0 -1 1 1 1 1 0 1 .7071 1 .7071 .7071 0 1 1 1]'), '^$'),
        ('a curve of any length', 0, scene('Curves "linear" [2] "nonperiodic" "P" [-1e17 0 0 1e17 0 0]'), '^$'),
        ('a moving sphere around a lens', 0, 'Format 32 24 1\nDisplay "o.exr" "file" "rgba"\nShutter 0 1\n'
         'DepthOfField 8 .05 5\nProjection "perspective" "fov" [50]\n'
         'MotionBegin [0 1] Translate 0 0 0 Translate 0 0 .5 MotionEnd\nWorldBegin\nSphere 1 -1 1 360\nWorldEnd\n', '^$'),
        ('trim curves in a motion block', 2, scene('MotionBegin [0 1]\nTrimCurve [1] [2] [0 0 1 1] [0] [1] [2] [0 1] '
         '[0 1] [1 1]\nMotionEnd\n' + BALL), r't\.rib:8:1: Error: TrimCurve inside MotionBegin'),
        ('a scale beyond floats', 2, scene('Scale 1e38 1e38 1e38\n' + BALL), r't\.rib:7:1: Error: Scale: .*beyond 1e18'),
        ('scales beyond floats together', 2, scene('Scale 1e12 1e12 1e12\nScale 1e12 1 1\n' + BALL), r't\.rib:8:1: Error: Scale'),
        ('two archives in each other', 2, scene('ReadArchive "one.rib"'), 'rib-archive-recursion'),
        ('an endless archive', 2, scene('ReadArchive "/dev/zero"'), r't\.rib:7:1: .*rib-archive-missing'),
        ('deep nesting', 0, scene('AttributeBegin\n' * DEEP + BALL + 'AttributeEnd\n' * DEEP), '^$'),
        ('blocks left open', 2, scene('AttributeBegin\nTransformBegin\n' + BALL), r't\.rib:8:1: .*rib-bad-nesting'),
        ('a shader that never ends', 2, scene('Surface "loop"\n' + BALL), r'loop\.sl:1: Error: .*vm-loop-limit'),
        ('ten thousand parentheses', 2, scene('Surface "parens"\n' + BALL), r'parens\.sl:1:\d+: .*sl-too-deep'),
        ('a shader of nans', 0, scene('Surface "nans"\n' + BALL), r't\.rib:8:1: Warning: .*nan-repaired'),
        ('points moved nowhere', 2, scene('Displacement "away"\n' + BALL), r't\.rib:8:1: Error: .*not-finite'),
        ('a texture of noise', 2, scene('Surface "paintedplastic" "texturename" ["garbage.tex"]\n' + BALL),
         'Error: .*garbage.tex.*texture-missing'),
        ('a name of two lines', 2, scene('Surface "lo\nst"\n' + BALL), r"^t\.rib:7:1: Error: .*'lo st'.*\n"),
    ]
    for what, status, text, err in cases:
        write('t.rib', text)
        expect(what, status, 't.rib', err=err)
    write('t.rib', scene('AttributeEnd\n' * DEEP + BALL))
    _, stderr = expect('twenty thousand faults', 2, 't.rib', err=r'19950 more of this kind \[rib-bad-nesting\]')
    check('do not fill the log', stderr.count('\n') < 60, str(stderr.count('\n')))
    for name in ('a b.exr', "it's.exr", 'Gebäude ß €.exr', '$HOME.exr', 'v1.2/o.x.exr', '[1] #2.exr'):
        write('t.rib', scene(BALL, name=name))
        expect(f'named {name}', 0, 't.rib')
        check(f'{name} is there', os.path.exists(name.replace('#', '0')))
    whole = gzip.compress((SCENE + '# ' + ' '.join(str(i * i) for i in range(3000))).encode())
    for part in range(0, len(whole) - 1, len(whole) // 9):
        write('t.rib', whole[:part])
        code, _, stderr = run('t.rib')
        check(f'gzip cut at {part}', code == (0 if part == 0 else 3), f'{code} {stderr[:200]}')


def frames():
    """A frame that is broken leaves the others whole."""
    def three(second, name='f2.exr'):
        return ''.join(f'FrameBegin {i}\n' + scene(second if i == 2 else BALL, name=name if i == 2 else f'f{i}.exr') +
                       'FrameEnd\n' for i in (1, 2, 3))
    for what, status, text in (('a frame with an unknown request', 2, three('Sfere 1\n')),
                               ('a frame with an open block', 2, three('AttributeBegin\n' + BALL)),
                               ('a frame that cannot be written', 10, three(BALL, 'no/such/f2.exr'))):
        write('t.rib', text)
        expect(what, status, 't.rib', out=r'wrote f1\.exr(.*\n)+wrote f3\.exr')
        check(what + ': the others are there', os.path.exists('f1.exr') and os.path.exists('f3.exr'))
        os.remove('f1.exr')
        os.remove('f3.exr')


def dying():
    # Big enough not to be done before the signal.
    p = subprocess.Popen([REYES, 'render', '-t:1', '-q', '--option', 'PixelSamples 64 64', '-res', '4000', '3000', '-o',
                          'big.exr', 'ball.rib'])
    time.sleep(0.7)
    p.send_signal(signal.SIGTERM)
    check('dies of TERM', p.wait(timeout=60) == -signal.SIGTERM, str(p.returncode))
    check('TERM leaves no temporaries', not [f for f in os.listdir('.') if f.startswith('big')])


def cat_and_check():
    stdout, _ = expect('cat', 0, 'cat', 'ball.rib', out='WorldBegin\n')
    expect('cat binary gzip', 0, 'cat', '--binary', '--gzip', '-o', 'b.rib.gz', 'ball.rib')
    again, _ = expect('cat back', 0, 'cat', 'b.rib.gz')
    check('cat is the identity', again == stdout, again[:200])
    expect('render of binary gzip', 0, 'render', 'b.rib.gz', out='wrote ball.exr')
    expect('cat --expand', 0, 'cat', '--expand', 'outer.rib', out='Sphere 1 -1 1 360')
    expect('cat without', 0, 'cat', 'outer.rib', out='ReadArchive "inner.rib"')
    expect('check', 0, 'check', 'ball.rib', out='0 not found, 0 errors')
    expect('check of frames', 0, 'check', '-frames', '5', '6', 'ball.rib', out='^0 frames and passes')
    expect('check of an output', 0, 'check', '--deps', '-o', 'zz.exr', 'ball.rib', out='output +zz.exr')
    expect('check with an option', 2, 'check', '--option', 'Fromat 8 8 1', 'ball.rib', err='--option:1:1: Error: unknown')
    expect('check finds faults', 2, 'check', 'lost.rib')
    stdout, _ = expect('check --deps --json', 2, 'check', '--deps', '--json', 'lost.rib')
    check('check gives levels', 'error' in {m['level'] for m in json.loads(stdout)['messages']}, stdout[-300:])
    kinds = {(d['kind'], d['name'], d['found']) for d in json.loads(stdout)['dependencies']}
    check('check lists needs', ('shader', 'nosuch', False) in kinds and ('output', 'ball.exr', True) in kinds, str(kinds))


def shading():
    write('dim.sl', '#ifdef HALF\nsurface dim() { Ci = HALF; Oi = 1; }\n#else\nsurface dim() { Ci = nothing; }\n#endif\n')
    expect('compile with a define', 0, 'compile', '-DHALF=0.5', 'dim.sl')
    expect('shade of a compiled file as it is', 0, 'shade', 'dim.slb', '-res', '8', '8', out='wrote dim.png')
    expect('shade of a source that needs the define', 3, 'shade', 'dim.sl', '-res', '8', '8')
    expect('shade with a misspelt parameter', 0, 'shade', 'matte', '--set', 'Kq=1', '-res', '8', '8',
           err='^preview:.*no parameter')
    expect('shade of a light', 0, 'shade', 'pointlight', '-res', '8', '8', out='wrote pointlight.png')
    expect('shade of a header user', 0, 'shade', 'marble', '-res', '8', '8', out='wrote marble.png')
    expect('shade with a profile', 0, 'shade', 'plastic', '-res', '16', '16', '--profile',
           out=r'surface plastic: \d+ runs.*(?s:.*)specular\n(?s:.*)\| .*specular\(Nf, V, roughness\)')


def shader_messages():
    write('wrong.sl', 'surface wrong()\n{\n    float u2 = cos(u);\n    Ci = colr(1) * noize(P);\n    Oi = Os\n}\n')
    _, err = expect('several errors, each with its line', 3, 'compile', 'wrong.sl')
    check('a caret below the column', re.search(r"wrong\.sl:6:1: Error.*\n +6 \| }\n +\| \^", err), err)
    write('broken.rib', SCENE.replace('"matte"', '"wrong"'))
    expect('a bad shader in a scene', 2, 'render', 'broken.rib', err=r"noize.*\n +4 \|     Ci = colr\(1\) \* noize\(P\);\n +\| +\^")
    check('no .slb of a bad shader', not os.path.exists('wrong.slb'))
    write('odd.sl', 'surface odd()\n{\n    vector z = P - P;\n    Ci = 1 + zcomp(normalize(z));\n    Oi = 1;\n}\n')
    write('odd.rib', SCENE.replace('"matte"', '"odd"'))
    expect('numbers without a result are counted', 0, 'render', 'odd.rib',
           err=r'odd\.sl:4: Warning: normalize\(\) of the zero vector.*\(in \d+ points\) \[vm-normalize-zero\]')
    write('warned.sl', 'surface warned(float gain = 1;)\n{\n    float a;\n    Ci = a;\n}\n')
    expect('a warning by default', 0, 'compile', 'warned.sl', err='sl-uninitialised')
    _, err = expect('a warning that is turned off', 0, 'compile', '-Wno-uninitialised', 'warned.sl')
    check('nothing is said', err == '', err)
    _, err = expect('all warnings', 0, 'compile', '-Wall', 'warned.sl', err='sl-unused')
    check('Oi is missed', 'sl-missing-oi' in err, err)
    os.remove('warned.slb')
    expect('-Werror', 3, 'compile', '-Werror', 'warned.sl', err='Error: .*sl-uninitialised')
    check('no .slb with -Werror', not os.path.exists('warned.slb'))
    expect('a warning that is none', 1, 'compile', '-Wfancy', 'warned.sl')
    _, err = expect('messages as JSON', 3, 'compile', '--diagnostics=json', 'wrong.sl', 'warned.sl')
    objects = [json.loads(line) for line in err.splitlines()]
    check('JSON has places', [o for o in objects if o['file'] == 'warned.sl' and o['line'] == 4 and o['column'] == 10 and
                              o['severity'] == 'warning' and o['code'] == 'sl-uninitialised' and
                              o['context'][0].endswith('Ci = a;')], err)


def watched(what, args, picture, changes):
    """Starts the command with --watch and saves each of the changes (file, text): a new picture must come, soon."""
    p = subprocess.Popen([REYES, *args, '--watch'], stdout=subprocess.PIPE, text=True)
    for line in p.stdout:
        if line.startswith('watching') or args[0] == 'shade':
            break
    for file, text in changes:
        before, start = os.stat(picture).st_mtime_ns, time.monotonic()
        write(file, text)
        p.stdout.readline()
        check(f'{what}: a new picture after a save of {file}', os.stat(picture).st_mtime_ns > before)
        check(f'{what}: soon after a save of {file}', time.monotonic() - start < 5)
    p.terminate()
    p.wait()


def watching():
    write('live.sl', 'surface live() { Ci = 1; Oi = 1; }\n')
    watched('shade', ['shade', 'live.sl', '-res', '16', '16'], 'live.png',
            [('live.sl', 'surface live() { Ci = 0.5; Oi = 1; }\n')])
    write('tone.h', '#define TONE 1\n')
    write('live.sl', '#include "tone.h"\nsurface live() { Ci = TONE; Oi = 1; }\n')
    write('part.rib', BALL)
    text = scene('ReadArchive "part.rib"', name='live.exr').replace('matte', 'live')
    write('live.rib', text)
    watched('render', ['render', 'live.rib'], 'live.exr',
            [('live.sl', '#include "tone.h"\nsurface live() { Ci = TONE / 2; Oi = 1; }\n'),
             ('tone.h', '#define TONE 3\n'), ('part.rib', BALL + '# larger\n'), ('live.rib', text + '# the end\n')])
    expect('watching standard input', 1, 'render', '--watch', '-', stdin=SCENE.encode(), err='needs files')


def prepare():
    os.mkdir('sub')
    write('ball.rib', SCENE)
    lines = SCENE.splitlines(keepends=True)
    write('head.rib', ''.join(lines[:4]))
    write('tail.rib', ''.join(lines[4:]))
    write('bad.rib', SCENE.replace('WorldBegin', 'WorldBegni\nWorldBegin'))
    write('lost.rib', SCENE.replace('matte', 'nosuch'))
    write('inner.rib', 'Sphere 1 -1 1 360\n')
    write('outer.rib', 'WorldBegin\nReadArchive "inner.rib"\nWorldEnd\n')
    write('noise.bin', b'\x89PNG\r\n\x1a\n' + bytes(i * 37 % 251 for i in range(20000)))
    write('cut.rib.gz', gzip.compress((SCENE + '# ' + 'x ' * 5000).encode())[:120])


sys.exit(finish(prepare, [usage, rendering, failing, hostile, frames, dying, cat_and_check, shading, shader_messages,
                           watching], sys.argv[2:]))
