#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/shading_language.md from the tables that the compiler itself uses.

  scripts/language_manual.py [--check]

Between the lines `<!-- made: NAME -->` and `<!-- end -->` of the manual stand the built-in functions
(reyes/vm/builtins.def), the predefined variables (reyes/sl/globals.cpp) and the warnings (reyes/sl/warnings.cpp).
--check (a test) fails where the manual is not what this script would write.
"""
import os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MANUAL = os.path.join(ROOT, 'docs/shading_language.md')

WORDS = {'f': 'float', 'c': 'color', 'p': 'point', 'v': 'vector', 'n': 'normal', 'm': 'matrix', 's': 'string',
         'g': 'spatial', 't': 'triple', 'T': 'triple', 'A': 'any', '-': 'void'}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def arguments(letters, flags):
    words, prefix = [], ''
    for c in letters:
        if c in '=+':
            prefix = 'output '
        elif c == '[':
            words[-1] += '[]'
        elif c != ']':
            words.append(prefix + WORDS[c])
            prefix = ''
    if 'Channel' in flags:
        words[0] += ' *name* `[`*channel*`]`'
    if 'Repeat' in flags:
        words.append('...')
    if 'Values' in flags:
        words.append('*values*...')
    if 'Tokens' in flags:
        words.append('*tokens*...')
    return ', '.join(words)


def builtins():
    lines, head = [], re.compile(r'^// --- (?:15\.\d )?(.*?) -+$')
    entry = re.compile(r'^REYES_BUILTIN\((\w+), "([^"]*)", "([^"]*)", "([^"]*)", "([^"]*)", ([^)]*)\)')
    forms = {}
    for line in read('reyes/vm/builtins.def').splitlines():
        if m := head.match(line):
            lines.append(('head', m.group(1)))
        elif m := entry.match(line):
            _, name, result, args, implicit, flags = m.groups()
            if ':' in name:
                continue
            if name not in forms:
                lines.append(('row', name))
            forms.setdefault(name, []).append((result, args, implicit, flags))
    out = []
    for kind, text in lines:
        if kind == 'head':
            out += ['', '### ' + text[0].upper() + text[1:], '', '| function | forms | |', '|---|---|---|']
            continue
        rows = forms[text]
        signatures = '<br>'.join('%s `%s`(%s)' % (WORDS[r], text, arguments(a, f)) for r, a, _, f in rows)
        notes = []
        if any('Derivative' in f for *_, f in rows):
            notes.append('takes differences between neighbours')
        implicit = {i for _, _, i, _ in rows if i}
        for i in sorted(implicit):
            notes.append('uses ' + i.replace(' ', ', '))
        if any('Planned' in f for *_, f in rows):
            notes.append('not built: gives what a scene without it has')
        out.append('| `%s` | %s | %s |' % (text, signatures, '; '.join(notes)))
    return out[1:]


def variables():
    row = re.compile(r'\{\{"(\w+)", Type::k(\w+), (true|false), \w+\}, ([A-Z |]+), ([A-Z0| ]+)\}')
    kinds = {'S': 'surface', 'L': 'light', 'D': 'displacement', 'V': 'volume', 'I': 'imager'}
    out = ['| variable | type | | in | may be changed in |', '|---|---|---|---|---|']
    for name, type_, varying, where, writable in row.findall(read('reyes/sl/globals.cpp')):
        words = lambda s: ', '.join(kinds[k] for k in s.replace(' ', '').split('|') if k in kinds)
        out.append('| `%s` | %s | %s | %s | %s |' % (name, type_.lower(), 'varying' if varying == 'true' else 'uniform',
                                                 words(where), words(writable)))
    return out


def warnings():
    row = re.compile(r'^    \{"([\w-]+)", "([^"]*)", (true|false)\},$', re.M)
    out = ['| name | given without being asked for | about |', '|---|---|---|']
    for name, about, standard in row.findall(read('reyes/sl/warnings.cpp')):
        out.append('| `%s` | %s | %s |' % (name, 'yes' if standard == 'true' else '', about))
    return out


def main():
    made = {'functions': builtins, 'variables': variables, 'warnings': warnings}
    old = read('docs/shading_language.md')
    new = re.sub(r'<!-- made: (\w+) -->\n.*?<!-- end -->',
                 lambda m: '<!-- made: %s -->\n%s\n<!-- end -->' % (m.group(1), '\n'.join(made[m.group(1)]())), old,
                 flags=re.S)
    if '--check' in sys.argv:
        if new != old:
            sys.exit('docs/shading_language.md is out of date: run scripts/language_manual.py')
        print('the manual is up to date')
    else:
        with open(MANUAL, 'w', encoding='utf-8') as f:
            f.write(new)


main()
