#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where docs/spec_coverage.md lacks a request (reyes/rib/requests.def, ri.h), an option or attribute
(reyes/session/*.def) or a built-in (reyes/vm/builtins.def); where its tier contradicts the tables; where it names a
thing that is gone; and where a file or test that it names does not exist."""
import os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TIERS = {'honoured', 'part', 'hint', 'not built'}


def read(path):
    return open(os.path.join(ROOT, path), encoding='utf-8').read()


def rows():
    """(chapter, first cell without quotes, cells) of every table row."""
    chapter = ''
    for line in read('docs/spec_coverage.md').split('\n'):
        if line.startswith('## '):
            chapter = line[3:].strip()
        cells = [c.strip() for c in line.strip().strip('|').split('|')]
        if line.startswith('| `'):
            yield chapter, cells[0].strip('`'), cells


def main():
    faults, seen = [], {}
    for chapter, name, cells in rows():
        tier = cells[5] if chapter == 'Built-in functions' else cells[4]
        files = cells[3:5] if chapter == 'Built-in functions' else cells[2:4]
        if (chapter, name) in seen:
            faults.append(f'{chapter}: {name} is listed twice')
        seen[chapter, name] = tier
        if tier not in TIERS:
            faults.append(f'{chapter}: {name}: "{tier}" is no tier')
        for f in files:
            if not os.path.exists(os.path.join(ROOT, f.strip('`'))):
                faults.append(f'{chapter}: {name}: {f} does not exist')

    def compare(chapter, wanted):
        for name, tier in wanted.items():
            have = seen.get((chapter, name))
            if have is None:
                faults.append(f'{chapter}: {name} is not listed')
            elif tier and have != tier:
                faults.append(f'{chapter}: {name} is "{tier}" in the tables, "{have}" in the document')
        for c, name in seen:
            if c == chapter and name not in wanted:
                faults.append(f'{chapter}: {name} is listed, but the tables have no such entry')

    requests = dict(re.findall(r'^RI_(?:REQUEST|SPECIAL)\((\w+), (\w+),', read('reyes/rib/requests.def'), re.M))
    for method in re.findall(r'virtual void (\w+)\(', read('reyes/rib/ri.h')):
        if method not in requests:
            faults.append(f'reyes/rib/ri.h: {method} is not in requests.def')
    compare('Requests', {name: None for name in requests.values()})
    words = {'kHonoured': 'honoured', 'kHint': 'hint', 'kMissing': 'not built'}
    for chapter, macro, path in (('Options', 'REYES_OPTION', 'options'), ('Attributes', 'REYES_ATTRIBUTE', 'attributes')):
        entries = re.findall(macro + r'\("([^"]*)", "([^"]*)", "[^"]*", (\w+)', read(f'reyes/session/{path}.def'))
        compare(chapter, {f'{c}:{n}': words[t] for c, n, t in entries})
    builtins = re.findall(r'^REYES_BUILTIN\((\w+), "[^"]*", "[^"]*", "[^"]*", "[^"]*", ([^)]*)\)', read('reyes/vm/builtins.def'), re.M)
    compare('Built-in functions', {n: 'not built' if 'Planned' in flags else 'honoured' for n, flags in builtins})
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == '__main__':
    sys.exit(main())
