# SPDX-License-Identifier: Apache-2.0
"""How the tests of the command line run the program, and what they share: runs, checks, small scenes. The first argument
of each test is the program."""
import os, re, subprocess, sys, tempfile

REYES = os.path.abspath(sys.argv[1])
SCENE = '''Display "ball.exr" "file" "rgba"
Format 32 24 1
Projection "perspective" "fov" 40
FrameBegin 1
WorldBegin
LightSource "distantlight" 1
Surface "matte"
Translate 0 0 5
Sphere 1 -1 1 360
WorldEnd
FrameEnd
'''
BALL = 'Sphere 1 -1 1 360\n'
faults = []


def scene(body, head='', name='o.exr', frame=''):
    return (f'Display "{name}" "file" "rgba"\nFormat 16 12 1\nProjection "perspective" "fov" 40\n{head}{frame}'
            f'WorldBegin\nSurface "matte"\nTranslate 0 0 5\n{body}\nWorldEnd\n')


def run(*args, stdin=None, cwd=None, env=None):
    r = subprocess.run([REYES, *args], capture_output=True, input=stdin, timeout=300, cwd=cwd,
                       env=dict(os.environ, **env) if env else None)
    return r.returncode, r.stdout.decode(errors='replace'), r.stderr.decode(errors='replace')


def check(what, good, detail=''):
    if not good:
        faults.append(what)
        print(f'FAULT {what}: {detail}')


def expect(what, status, *args, out=None, err=None, **how):
    code, stdout, stderr = run(*args, **how)
    check(what, code == status, f'status {code}, not {status}: {stderr[:300]}')
    if out is not None:
        check(what + ', stdout', re.search(out, stdout), stdout[:300])
    if err is not None:
        check(what + ', stderr', re.search(err, stderr), stderr[:300])
    return stdout, stderr


def write(name, text):
    with open(name, 'wb') as f:
        f.write(text if isinstance(text, bytes) else text.encode())


def finish(prepare, groups, wanted):
    """Runs the groups (those named in `wanted`, if any) in a folder that goes away; the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        for group in groups:
            if not wanted or group.__name__ in wanted:
                group()
        os.chdir('/')
    print(f'{len(faults)} faults')
    return 1 if faults else 0
