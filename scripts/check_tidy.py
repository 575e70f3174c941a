#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the names in our code with clang-tidy, by the rules of .clang-tidy.
usage: scripts/check_tidy.py [BUILD [FILE...]]

BUILD is a configured build folder (default build/release). A file is looked at anew only when it, a header of ours that
it includes, or the rules have changed: BUILD/tidy.json remembers the rest. Without clang-tidy: skipped (77)."""
import concurrent.futures, hashlib, json, os, re, shutil, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^#include "((?:reyes|tests)/[^"]+|[a-z_]+\.h)"', re.M)
FAULT = re.compile(r'^(.*?):(\d+):\d+: (?:error|warning): (.*?) \[.*\]$', re.M)


def read(path):
    with open(path, 'rb') as f:
        return f.read()


def closure(path, seen):
    """`path` and the headers of ours that it includes, in seen."""
    if path in seen or not os.path.exists(path):
        return seen
    seen[path] = read(path)
    for name in INCLUDE.findall(seen[path].decode()):
        closure(os.path.join(ROOT, name) if '/' in name else os.path.join(os.path.dirname(path), name), seen)
    return seen


def key(path, command, rules):
    h = hashlib.sha256(rules + command.encode())
    for name, content in sorted(closure(path, {}).items()):
        h.update(name.encode() + b'\0' + content)
    return h.hexdigest()


def check(build, path):
    r = subprocess.run(['clang-tidy', '--quiet', '-p', build, '--extra-arg=-Wno-unknown-warning-option', path],
                       capture_output=True, text=True)
    faults = sorted({f'{os.path.relpath(f, ROOT)}:{line}: {what}' for f, line, what in FAULT.findall(r.stdout)})
    if r.returncode and not faults:
        faults = [f'{os.path.relpath(path, ROOT)}: clang-tidy fails: {(r.stdout + r.stderr)[-500:]}']
    return faults


def main():
    if not shutil.which('clang-tidy'):
        print('clang-tidy is not installed')
        return 77
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'build/release'))
    wanted = {os.path.abspath(f) for f in sys.argv[2:]}
    # 1. One command a file: kernels are compiled once per instruction set, their names are the same.
    commands = {}
    for entry in json.loads(read(os.path.join(build, 'compile_commands.json'))):
        path = os.path.join(entry['directory'], entry['file'])
        if path.startswith((ROOT + '/reyes/', ROOT + '/tests/')) and (not wanted or path in wanted):
            commands.setdefault(path, entry.get('command', ''))
    # 2. Those that nothing is known of.
    memory = os.path.join(build, 'tidy.json')
    clean = json.loads(read(memory)) if os.path.exists(memory) else {}
    version = subprocess.run(['clang-tidy', '--version'], capture_output=True).stdout
    rules = read(os.path.join(ROOT, '.clang-tidy')) + version
    keys = {path: key(path, command, rules) for path, command in commands.items()}
    todo = sorted(path for path in keys if clean.get(path) != keys[path])
    # 3. Several at a time; what is clean is remembered as soon as it is known.
    faults = set()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for path, found in zip(todo, pool.map(lambda p: check(build, p), todo)):
            faults.update(found)
            if not found:
                clean[path] = keys[path]
                with open(memory + '.new', 'w') as f:
                    json.dump(clean, f)
                os.replace(memory + '.new', memory)
    for fault in sorted(faults):
        print(fault)
    print(f'{len(faults)} names against the rules; looked at {len(todo)} of {len(keys)} files')
    return 1 if faults else 0


sys.exit(main())
