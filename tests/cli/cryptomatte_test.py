#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Id mattes as a compositor reads them: a decoder written from Psyop's public Cryptomatte specification finds the layers
by their header, the names by the manifest, and the mattes by rehashing names.
usage: cryptomatte_test.py PATH/TO/reyes"""
import json, math, re, shutil, struct, sys
from program import check, expect, finish, write
from exr import Exr

CAMERA = '''Format 40 30 1
Projection "perspective" "fov" 40
PixelSamples 3 3
Option "searchpath" "string archive" ["."]
'''
NAMES = ['ball', 'Gebäude [1] #2', 'C:\\props\\a "quoted" name', 'tab\there']


def rib_string(text):
    return text.replace('\\', '\\\\').replace('"', '\\"').replace('\t', '\\t')


def named(name, body, more=''):
    return f'AttributeBegin\nAttribute "identifier" "string name" ["{rib_string(name)}"] {more}\n{body}\nAttributeEnd\n'


def disk(x, y, radius=1):
    return f'Translate {x} {y} 0 Disk 0 {radius} 360'


def scene(name, body, display='"cryptomatte:object"', head=''):
    return (f'{CAMERA}Display "{name}.exr" "exr" "rgba" "string exrpixeltype" ["float"]\n{head}'
            f'Display "+{name}_ids.exr" "exr" {display}\nWorldBegin\nSurface "constant"\nTranslate 0 0 5\n'
            f'{body}\nWorldEnd\n')


# The decoder.
def murmur3(data):
    def rotated(v, n):
        return (v << n | v >> 32 - n) & 0xffffffff

    h, full = 0, len(data) // 4 * 4
    for at in range(0, full, 4):
        k = int.from_bytes(data[at:at + 4], 'little') * 0xcc9e2d51 & 0xffffffff
        h ^= rotated(k, 15) * 0x1b873593 & 0xffffffff
        h = (rotated(h, 13) * 5 + 0xe6546b64) & 0xffffffff
    if data[full:]:
        k = int.from_bytes(data[full:], 'little') * 0xcc9e2d51 & 0xffffffff
        h ^= rotated(k, 15) * 0x1b873593 & 0xffffffff
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85ebca6b & 0xffffffff
    h = (h ^ h >> 13) * 0xc2b2ae35 & 0xffffffff
    return h ^ h >> 16


def id_of(name):
    h = murmur3(name.encode('utf-8'))
    return h ^ 1 << 23 if h >> 23 & 255 in (0, 255) else h


def bits(value):
    return struct.unpack('<I', struct.pack('<f', value))[0]


class Decoder:
    """One Cryptomatte of a file: names, and coverage by name."""

    def __init__(self, path, layer):
        self.exr = Exr(path)
        found = [m.group(1) for m in (re.fullmatch('cryptomatte/([^/]+)/name', k) for k in self.exr.attributes)
                 if m and self.exr.attributes[m.group(0)] == layer]
        assert len(found) == 1, f'{path}: {len(found)} of {layer}'
        self.key = found[0]
        self.meta = {k.split('/')[2]: v for k, v in self.exr.attributes.items()
                     if k.startswith(f'cryptomatte/{self.key}/')}
        self.manifest = json.loads(self.meta['manifest'])
        self.layers = sorted({m.group(1) for m in (re.fullmatch(rf'({layer}\d+)\.(?:red|r|R)', c)
                                                   for c in self.exr.channels) if m})

    def matte(self, name):
        """Rows of coverage."""
        wanted, rows = id_of(name), []
        for y in range(self.exr.height):
            row = [0.0] * self.exr.width
            for layer in self.layers:
                for id_part, coverage in (('red', 'green'), ('blue', 'alpha')):
                    ids = self.exr.channels[f'{layer}.{id_part}'][y]
                    shares = self.exr.channels[f'{layer}.{coverage}'][y]
                    for x in range(self.exr.width):
                        if bits(ids[x]) == wanted:
                            row[x] += shares[x]
            rows.append(row)
        return rows


def check_ids(what, path, layer, names, layers=3):
    d = Decoder(path, layer)
    check(what + ': key', d.key == '%07x' % (id_of(layer) >> 4), d.key)
    check(what + ': says how', d.meta['hash'] == 'MurmurHash3_32' and d.meta['conversion'] == 'uint32_to_float32')
    check(what + ': layers', d.layers == [f'{layer}{n:02}' for n in range(layers)], d.layers)
    check(what + ': names', sorted(d.manifest) == sorted(names), sorted(d.manifest))
    wrong = [n for n, h in d.manifest.items() if h != '%08x' % id_of(n)]
    check(what + ': rehashed names', not wrong, wrong[:3])
    kinds = dict(d.exr.attributes['channels'])
    check(what + ': 32 bits', all(kinds[f'{n}.{c}'] == 2 for n in d.layers for c in ('red', 'green', 'blue', 'alpha')))
    finite = all(math.isfinite(v) for n in d.layers for c in ('red', 'blue') for row in d.exr.channels[f'{n}.{c}']
                 for v in row)
    check(what + ': ids are ordinary floats', finite)
    return d


def check_sum(what, decoder, names, alpha_path):
    alpha = Exr(alpha_path).channels['A']
    mattes = [decoder.matte(n) for n in names]
    worst = max(abs(sum(m[y][x] for m in mattes) - alpha[y][x]) for y in range(len(alpha)) for x in range(len(alpha[0])))
    check(what + ': mattes add up to alpha', worst < 2e-6, worst)
    check(what + ': each is seen', all(max(map(max, m)) > 0.5 for m in mattes))


def names():
    body = ''.join(named(n, disk(i * 0.5 - 0.75, 0.2 * i - 0.3, 0.5)) for i, n in enumerate(NAMES))
    write('names.rib', scene('names', body))
    expect('names', 0, 'names.rib')
    d = check_ids('names', 'names_ids.exr', 'CryptoObject', NAMES)
    check_sum('names', d, NAMES, 'names.exr')
    # Bytes that are no UTF-8 are letters all the same.
    write('latin.rib', scene('latin', named('Geb?', disk(0, 0))).encode().replace(b'?', b'\xe4'))
    expect('latin', 0, 'latin.rib')
    check_ids('latin', 'latin_ids.exr', 'CryptoObject', ['Gebä'])


def many():
    body = ''.join(named(f'set/part_{i:05}', f'Points "P" [{i % 223 / 50 - 2.2} {i // 223 / 60 - 1.9} 0] '
                         '"constantwidth" [0.02]') for i in range(50000))
    write('many.rib', scene('many', body))
    expect('many', 0, 'many.rib')
    check_ids('50000 objects', 'many_ids.exr', 'CryptoObject', [f'set/part_{i:05}' for i in range(50000)])


def kinds():
    body = named('car', named('wheel', disk(-0.5, 0), '"string material" ["rubber"]') + named('door', disk(0.5, 0)))
    modes = '"cryptomatte:object"\nDisplay "+kinds_ids.exr" "exr" "cryptomatte:material|asset" "levels" [4]'
    write('kinds.rib', scene('kinds', body, modes))
    expect('kinds', 0, 'kinds.rib')
    check_ids('objects', 'kinds_ids.exr', 'CryptoObject', ['wheel', 'door'])
    check_ids('materials', 'kinds_ids.exr', 'CryptoMaterial', ['rubber', 'constant'], 2)
    check_ids('assets', 'kinds_ids.exr', 'CryptoAsset', ['car'], 2)
    # The same layers whatever is in a frame.
    write('empty.rib', scene('empty', ''))
    expect('empty', 0, 'empty.rib')
    check_ids('empty', 'empty_ids.exr', 'CryptoObject', [])


def files():
    body = named('ball', disk(0, 0))
    write('lossy.rib', scene('lossy', body, '"cryptomatte:object" "string compression" ["dwaa"]'))
    expect('a lossy compression', 0, 'lossy.rib', err='display-compression')
    check_sum('lossy', check_ids('lossy', 'lossy_ids.exr', 'CryptoObject', ['ball']), ['ball'], 'lossy.exr')
    write('tiff.rib', scene('tiff', body).replace('_ids.exr" "exr"', '_ids.tif" "tiff"'))
    expect('no place in a TIFF', 2, 'tiff.rib', err='display-cryptomatte')
    write('kind.rib', scene('kind', body, '"cryptomatte:thing"'))
    expect('an unknown kind', 2, 'kind.rib', err='display-cryptomatte')
    expect('another type for pictures', 0, 'render', '--display', 'tiff', '-o', 'x.tif', 'lossy.rib')
    check_ids('ids stay EXR', 'lossy_ids.exr', 'CryptoObject', ['ball'])


def merged():
    """Tiles that saw different procedurals name together what one run names."""
    for n in range(4):
        write(f'part{n}.rib', named(f'part{n}', disk(0, 0, 0.4)))
    body = ''.join(f'TransformBegin Translate {n * 0.8 - 1.2} 0 0 Procedural "DelayedReadArchive" ["part{n}.rib"] '
                   '[-0.4 0.4 -0.4 0.4 -0.1 0.1] TransformEnd\n' for n in range(4)) + named('floor', disk(0, -1.5))
    write('whole.rib', scene('whole', body))
    expect('procedurals', 0, 'whole.rib')
    every = [f'part{n}' for n in range(4)] + ['floor']
    d = check_ids('procedurals', 'whole_ids.exr', 'CryptoObject', every)
    check_sum('procedurals', d, every, 'whole.exr')
    shutil.copy('whole_ids.exr', 'one.exr')
    for tile, crop in (('a', '0 .4 0 1'), ('b', '.4 1 0 .5'), ('c', '.4 1 .5 1')):
        expect('a tile', 0, 'render', '-crop', *crop.split(), 'whole.rib')
        shutil.copy('whole_ids.exr', tile + '.exr')
    check('a tile names what it holds', 'part3' not in Decoder('a.exr', 'CryptoObject').manifest)
    expect('merge', 0, 'merge', '-o', 'joined.exr', 'c.exr', 'a.exr', 'b.exr')
    joined, one = Exr('joined.exr'), Exr('one.exr')
    check('joined ids', joined.channels == one.channels)
    ids = [k for k in one.attributes if k.startswith('cryptomatte/')]
    check('joined manifest', len(ids) == 4 and all(joined.attributes[k] == one.attributes[k] for k in ids))


GROUPS = [names, many, kinds, files, merged]
if __name__ == '__main__':
    sys.exit(finish(lambda: None, GROUPS, sys.argv[2:]))
