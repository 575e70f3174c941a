#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that the table of docs/architecture.md does not allow, on a file of ours without an SPDX line in
its first two lines, and on a room that the table lacks."""
import os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
THIRD = ['oneapi', 'tbb', 'fmt', 'OpenEXR', 'Imath', 'OpenImageIO', 'boost/iostreams', 'boost/wave', 'boost/filesystem',
         'boost/process', 'boost/program_options', 'opensubdiv', 'nlohmann', 'hwy', 'libdeflate.h', 'yaml-cpp', 'embree']


def table():
    rooms = {}
    for line in open(os.path.join(ROOT, 'docs/architecture.md'), encoding='utf-8'):
        cells = [c.strip() for c in line.strip().strip('|').split('|')]
        m = re.match(r'`(\w+)/`$', cells[0]) if cells else None
        if m and len(cells) >= 4:
            rooms[m.group(1)] = (set(cells[2].split()) | {m.group(1)}, set(cells[3].split()))
    return rooms


def main():
    rooms, faults = table(), []
    for folder, dirs, files in os.walk(os.path.join(ROOT, 'reyes')):
        room = os.path.relpath(folder, os.path.join(ROOT, 'reyes')).split(os.sep)[0]
        for name in files:
            if not re.search(r'\.(h|cpp|def)$', name):
                continue
            path = os.path.join(folder, name)
            rel = os.path.relpath(path, ROOT)
            if room not in rooms:
                faults.append(f'{rel}: room {room} is not in docs/architecture.md')
                continue
            own, third = rooms[room]
            lines = open(path, encoding='utf-8').read().split('\n')
            if not any('SPDX-License-Identifier: Apache-2.0' in l for l in lines[:2]):
                faults.append(f'{rel}:1: no SPDX line')
            for i, line in enumerate(lines, 1):
                m = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
                if not m:
                    continue
                target = m.group(1)
                if target.startswith('reyes/'):
                    if target.split('/')[1] not in own:
                        faults.append(f'{rel}:{i}: {room} may not include {target}')
                else:
                    for lib in THIRD:
                        if target.startswith(lib) and lib not in third:
                            faults.append(f'{rel}:{i}: {room} may not include {target}')
    for fault in faults:
        print(fault)
    print(f'{len(faults)} faults in {len(rooms)} rooms')
    return 1 if faults else 0


sys.exit(main())
