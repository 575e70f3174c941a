#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where clang-format would change a C++ file of ours. With --fix, changes it. Without clang-format: skipped (77)."""
import glob, os, shutil, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    if not shutil.which('clang-format'):
        print('clang-format is not installed')
        return 77
    files = sorted(f for folder in ('reyes', 'tests') for end in ('h', 'cpp')
                   for f in glob.glob(os.path.join(ROOT, folder, '**', '*.' + end), recursive=True))
    if '--fix' in sys.argv:
        return subprocess.run(['clang-format', '-i', *files]).returncode
    bad = subprocess.run(['clang-format', '--dry-run', '-Werror', *files], capture_output=True, text=True)
    places = [line for line in bad.stderr.splitlines() if ': error: code should be clang-formatted' in line]
    for line in places[:20]:
        print(line.split(' [')[0].replace(ROOT + '/', ''))
    print(f'{len(places)} places to format in {len(files)} files (scripts/check_format.py --fix)')
    return 1 if places else 0


sys.exit(main())
