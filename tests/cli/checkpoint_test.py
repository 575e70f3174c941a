#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: a frame that was stopped, killed or out of disk goes on with -recover 1 and is the picture of one run,
bit for bit; signals and statuses; checkpoints that are of something else or broken.
usage: checkpoint_test.py PATH/TO/reyes [group...]"""
import glob, os, random, resource, signal, subprocess, sys, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from program import REYES, check, expect, finish, run, write

# A surface whose cost is the test's to say; noise makes every pixel its own.
SHADER = '''surface slow(float rounds = 1) {
  float i; color c = 0;
  for (i = 0; i < rounds; i += 1) c += noise(P * 7 + i);
  Oi = Os; Ci = Os * c / rounds;
}
'''
SCENE = '''Display "a.exr" "file" "rgba" "string exrpixeltype" "float"
Display "+a.exr" "file" "N"
Display "+ids.exr" "file" "cryptomatte:object"
Display "+deep.exr" "deepexr" "rgba"
Format 160 120 1
PixelFilter "gaussian" 3 3
Projection "perspective" "fov" 40
Option "limits" "bucketsize" [16 16]
FrameBegin 1
WorldBegin
Surface "slow" "rounds" [ROUNDS]
Translate 0 0 5
Attribute "identifier" "name" "ball"
Sphere 1 -1 1 360
Opacity .5 .5 .5
Attribute "identifier" "name" "ring"
Torus 1.6 0.3 0 360 360
Procedural "DelayedReadArchive" ["far.rib"] [-2 2 -2 2 1 1]
WorldEnd
FrameEnd
'''
FAR = 'Attribute "identifier" "name" "far"\nOpacity 1 1 1\nPolygon "P" [-2 -2 1 2 -2 1 2 2 1 -2 2 1]\n'
FILES = ('a.exr', 'ids.exr', 'deep.exr')
CHECKPOINT = 'a.exr.checkpoint'


def prepare():
    write('slow.sl', SHADER)
    write('far.rib', FAR)
    write('fast.rib', SCENE.replace('ROUNDS', '1'))
    write('scene.rib', SCENE.replace('ROUNDS', '2500'))
    expect('a frame without', 0, 'scene.rib', '-t:2')
    for name in FILES:
        os.rename(name, 'whole_' + name)


def body(name):
    """What follows the header, which holds the date and seconds: and the header's manifests."""
    with open(name, 'rb') as f:
        data = f.read()
    at, manifests = 8, []
    while data[at] != 0:
        end = data.index(b'\0', at)
        key = data[at:end]
        at = data.index(b'\0', end + 1) + 1
        size = int.from_bytes(data[at:at + 4], 'little')
        if b'manifest' in key:
            manifests.append(data[at + 4:at + 4 + size])
        at += 4 + size
    # The table of offsets is relative to the header's length.
    rows = 120
    return data[at + 1 + 8 * rows:], manifests


def same(what):
    for name in FILES:
        there = os.path.exists(name)
        check(f'{what}: {name} is there', there)
        if there:
            check(f'{what}: {name} is the picture of one run', body(name) == body('whole_' + name))
            os.remove(name)
    check(f'{what}: nothing is left', not glob.glob('*.checkpoint') and not glob.glob('*.part'),
          str(glob.glob('*.checkpoint') + glob.glob('*.part')))


def started(*args, **how):
    return subprocess.Popen([REYES, *args, '-Progress'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def at(process, percent):
    """Waits until the frame is so far."""
    for line in process.stdout:
        if line.startswith(b'R90000') and int(line[6:].strip(b' %\n')) >= percent:
            return


def wait(process):
    out, err = process.communicate(timeout=120)
    return process.returncode, out.decode(), err.decode()


def clear():
    for name in glob.glob('*.checkpoint') + glob.glob('*.part') + [f for f in FILES if os.path.exists(f)]:
        os.remove(name)


def stopping():
    """Each signal stops with status 75 and a checkpoint; the frame goes on with another number of threads."""
    for number, threads in ((signal.SIGINT, 1), (signal.SIGTERM, 3), (signal.SIGUSR1, 2)):
        p = started('render', '--checkpoint', '10m', '-t:2', 'scene.rib')
        at(p, 35)
        p.send_signal(number)
        begin = time.time()
        status, out, err = wait(p)
        check(f'{number.name}: status 75', status == 75, f'{status} {err}')
        check(f'{number.name}: within 10 s', time.time() - begin < 10)
        check(f'{number.name}: a checkpoint', os.path.exists(CHECKPOINT) and not glob.glob('*.part'), err)
        check(f'{number.name}: no picture', not os.path.exists('a.exr') and 'wrote' not in out)
        expect(f'{number.name}: recovered', 0, 'render', '-recover', '1', f'-t:{threads}', 'scene.rib',
               err='% of the frame is there')
        same(number.name)


def asking():
    """HUP writes one and the frame goes on to its end."""
    p = started('render', '--checkpoint', '10m', '-t:2', 'scene.rib')
    at(p, 20)
    p.send_signal(signal.SIGHUP)
    seen = False
    while p.poll() is None and not seen:
        seen = os.path.exists(CHECKPOINT)
        time.sleep(0.005)
    status, _, err = wait(p)
    check('HUP: a checkpoint while the frame goes on', seen, err)
    check('HUP: status 0', status == 0, err)
    same('HUP')


def killing():
    """Killed again and again, at any moment: each time what is on disk is good, and the frame comes to its end."""
    dice = random.Random(5)
    clear()
    for attempt in range(40):
        p = started('render', '--checkpoint', '0.05s', '-recover', '1', f'-t:{1 + attempt % 3}', 'scene.rib')
        at(p, dice.uniform(0, 20 + 4 * attempt))
        time.sleep(dice.uniform(0, 0.1))
        p.kill()
        status, _, err = wait(p)
        check('a kill leaves a good checkpoint', 'broken' not in err and 'damaged' not in err, err)
        if status == 0:
            break
    else:
        check('killed at last: status 0', False, 'never')
    for name in glob.glob('*.part'):
        os.remove(name)
    same('killed')


def crossing():
    """Checkpoints of something else, and broken ones: a warning, and the whole frame."""
    def stopped():
        clear()
        p = started('render', '--checkpoint', '10m', '-t:2', 'scene.rib')
        at(p, 35)
        p.send_signal(signal.SIGTERM)
        check('stopped', wait(p)[0] == 75)
        with open(CHECKPOINT, 'rb') as f:
            return f.read()

    data = stopped()
    expect('another scene', 0, 'render', '-recover', '1', '-o', 'a.exr', 'fast.rib', err='is of another frame.*scene')
    for name in FILES:
        os.remove(name)
    check('a checkpoint of another frame stays', os.path.exists(CHECKPOINT))
    expect('another rate', 0, 'render', '-recover', '1', '--rate', '9', 'scene.rib', err='is of another frame')
    os.utime('slow.sl', (1, 1))
    expect('another shader', 0, 'render', '-recover', '1', 'scene.rib', err='is of another frame.*files')
    same_files = [b'', b'no checkpoint', data[:40]]
    for text in same_files:
        write(CHECKPOINT, text)
        expect('no checkpoint at all', 0, 'render', '-recover', '1', 'scene.rib', err='is no checkpoint')
    expect('none', 0, 'render', '--checkpoint', '10m', '-recover', '1', 'fast.rib', err='is no checkpoint|there is no')
    data = stopped()
    middle = len(data) * 2 // 3
    for what, text, says in (('cut', data[:middle], '% of the frame is there'),
                             ('damaged', data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1:], 'is damaged')):
        write(CHECKPOINT, text)
        expect(what, 0, 'render', '-recover', '1', 'scene.rib', err=says)
        same(what)
    expect('standard input', 0, 'render', '--checkpoint', '10m', '-', stdin=open('fast.rib', 'rb').read(),
           err='checkpoint-input')
    clear()


def full():
    """No room for the checkpoint: it is said, and the frame goes on to its end."""
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (500000, 500000))

    write('small.rib', open('scene.rib').read().replace('"+deep.exr" "deepexr"', '"+deep.exr" "null"')
          .replace('"a.exr" "file"', '"a.exr" "null"').replace('"+a.exr" "file"', '"+a.exr" "null"'))
    status, _, err = wait(started('render', '--checkpoint', '0.1s', '-t:2', 'small.rib', preexec_fn=small))
    check('no room: said', 'checkpoint-cannot-write' in err, err)
    check('no room: the frame goes on', status == 0 and os.path.exists('ids.exr'), f'{status} {err}')
    p = started('render', '--checkpoint', '10m', '-t:2', 'small.rib', preexec_fn=small)
    at(p, 35)
    p.send_signal(signal.SIGTERM)
    status, _, err = wait(p)
    check('no room and stopped: retry', status == 10, f'{status} {err}')
    # A picture that could not be written is not rendered again.
    clear()
    status, _, err = wait(started('render', '--checkpoint', '10m', '-t:2', 'scene.rib', preexec_fn=lambda: (
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20)))))
    check('room enough', status == 0, err)
    clear()


def frames():
    """A job of several frames, stopped in its second: what is written is passed over."""
    text = open('scene.rib').read()
    head, frame = text[:text.index('FrameBegin')], text[text.index('FrameBegin'):]
    head = head.replace('a.exr', 'a.##.exr').replace('ids.exr', 'ids.##.exr').replace('deep.exr', 'deep.##.exr')
    write('job.rib', head + frame + frame.replace('FrameBegin 1', 'FrameBegin 2'))
    p = started('render', '--checkpoint', '10m', '-t:2', 'job.rib')
    at(p, 100)
    at(p, 35)
    p.send_signal(signal.SIGTERM)
    status, _, err = wait(p)
    check('a job stops', status == 75, err)
    check('word of each frame', len(glob.glob('*.checkpoint')) == 2, str(glob.glob('*.checkpoint')))
    before = os.stat('a.01.exr').st_mtime_ns
    expect('a job goes on', 0, 'render', '--checkpoint', '10m', '-recover', '1', 'job.rib', err='frame 1 is written')
    check('its first frame is as it was', os.stat('a.01.exr').st_mtime_ns == before)
    for name in FILES:
        check(f'{name} of frame 2', body(name.replace('.', '.02.')) == body('whole_' + name))
    check('a job leaves nothing', not glob.glob('*.checkpoint'), str(glob.glob('*.checkpoint')))


def passes():
    """Stopped in a pass: what the pass would have made is not missed aloud, and the next run makes it again."""
    spheres = ''.join('Translate 0.01 0 0\nSphere 1 -1 1 360\n' for _ in range(300))
    write('pass.rib', 'Display "d.z" "zfile" "z"\nFormat 500 500 1\nPixelSamples 4 4\nWorldBegin\nTranslate -1 0 5\n'
          + spheres + 'WorldEnd\nMakeShadow "d.z" "d.shd"\n' + open('fast.rib').read())
    p = started('render', '--checkpoint', '10m', '-t:2', 'pass.rib')
    at(p, 1)
    p.send_signal(signal.SIGTERM)
    status, out, err = wait(p)
    check('stopped in a pass: status 75', status == 75 and 'Error' not in err, f'{status} {err}')
    check('stopped in a pass: no map', not os.path.exists('d.shd'))
    expect('and again', 0, 'render', '--checkpoint', '10m', '-recover', '1', 'pass.rib', out='wrote d.z')
    check('the pass and its map are there', os.path.exists('d.z') and os.path.exists('d.shd'))
    clear()


def flags():
    for wrong in ('0', '-3m', '10x', 'soon', ''):
        expect(f'--checkpoint {wrong}', 1, 'render', '--checkpoint', wrong, 'fast.rib', err='is no time')
    expect('-recover 2', 1, 'render', '-recover', '2', 'fast.rib', err='wants 0 or 1')
    expect('--watch', 1, 'render', '--watch', '--checkpoint', '1m', 'fast.rib', err='no checkpoints')
    expect('-recover 1 without any', 0, 'render', '-recover', '1', 'fast.rib', err='there is no a.exr.checkpoint')
    for signals in ((signal.SIGTERM,), (signal.SIGHUP,)):
        p = started('render', '-t:2', 'scene.rib')
        at(p, 10)
        p.send_signal(signals[0])
        check('without checkpoints: dies of it', wait(p)[0] == -signals[0])
        check('and leaves nothing', not glob.glob('*.part') and not glob.glob('*.checkpoint'))


sys.exit(finish(prepare, (stopping, asking, killing, crossing, full, frames, passes, flags), sys.argv[2:]))
