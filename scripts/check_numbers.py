#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails where our code reads or writes a number that may have a decimal point in a way that the locale changes
(strtod, std::stof, printf of a float ...), or sets a locale. from_chars, to_chars and reyes::format() do not."""
import glob, os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FORBIDDEN = [
    (re.compile(r'\b(?:strto(?:f|d|ld)|atof|sto(?:f|d|ld)|wcstod)\s*\('), 'reads a float by the locale'),
    (re.compile(r'\b(?:v?s?n?f?printf)\s*\([^;]*"[^"]*%[-+ #0-9.*]*[aefgAEFG]'), 'prints a float by the locale'),
    (re.compile(r'\bv?f?s?scanf\s*\([^;]*"[^"]*%[0-9*]*l?[aefgAEFG]'), 'reads a float by the locale'),
    (re.compile(r'\bsetlocale\b|\bstd::locale\b|\bimbue\b'), 'sets a locale'),
]


def main():
    faults, files = [], 0
    for path in sorted(glob.glob(os.path.join(ROOT, 'reyes', '**', '*.[hc]*'), recursive=True)):
        files += 1
        with open(path) as f:
            # Statements may run over lines; comments say what they like.
            text = re.sub(r'//[^\n]*', '', f.read())
        for pattern, what in FORBIDDEN:
            for hit in pattern.finditer(text):
                line = text.count('\n', 0, hit.start()) + 1
                faults.append(f'{os.path.relpath(path, ROOT)}:{line}: {what}: {hit.group(0).strip()[:60]}')
    for fault in faults:
        print(fault)
    print(f'{len(faults)} uses of the locale in {files} files')
    return 1 if faults else 0


sys.exit(main())
