# SPDX-License-Identifier: Apache-2.0
"""A reader of scan line EXR files for tests, written from the format's description alone: attributes and channels as
numbers. Compressions none, zips, zip."""
import struct, zlib


class Exr:
    def __init__(self, path):
        with open(path, 'rb') as f:
            self.data = f.read()
        magic, version = struct.unpack_from('<II', self.data)
        assert magic == 20000630 and version & 0xff == 2, 'no EXR'
        self.attributes, at = {}, 8
        while self.data[at]:
            name, at = self._word(at)
            kind, at = self._word(at)
            size, = struct.unpack_from('<i', self.data, at)
            self.attributes[name] = self._value(kind, self.data[at + 4:at + 4 + size])
            at += 4 + size
        x0, y0, x1, y1 = self.attributes['dataWindow']
        self.window, self.width, self.height = (x0, y0), x1 - x0 + 1, y1 - y0 + 1
        self._read_chunks(at + 1)

    def _word(self, at):
        end = self.data.index(b'\0', at)
        return self.data[at:end].decode(), end + 1

    def _value(self, kind, raw):
        if kind == 'string':
            return raw.decode('utf-8')
        if kind == 'box2i':
            return struct.unpack('<4i', raw)
        if kind in ('int', 'float'):
            return struct.unpack('<i' if kind == 'int' else '<f', raw)[0]
        if kind == 'compression':
            return raw[0]
        if kind == 'chlist':
            channels, at = [], 0
            while raw[at]:
                end = raw.index(b'\0', at)
                channels.append((raw[at:end].decode(), struct.unpack_from('<i', raw, end + 1)[0]))
                at = end + 17
            return channels
        return raw

    def _read_chunks(self, at):
        rows = {0: 1, 2: 1, 3: 16}[self.attributes['compression']]
        letters = {0: 'I', 1: 'e', 2: 'f'}
        kinds = [(name, letters[kind]) for name, kind in self.attributes['channels']]
        line = sum(struct.calcsize('<' + k) for _, k in kinds) * self.width
        self.channels = {name: [None] * self.height for name, _ in kinds}
        for place in struct.unpack_from(f'<{-(-self.height // rows)}Q', self.data, at):
            y, size = struct.unpack_from('<ii', self.data, place)
            count = min(rows, self.window[1] + self.height - y)
            chunk = self.data[place + 8:place + 8 + size]
            if size < line * count:
                chunk = self._unpack(chunk)
            offset = 0
            for row in range(y - self.window[1], y - self.window[1] + count):
                for name, letter in kinds:
                    form = f'<{self.width}{letter}'
                    self.channels[name][row] = struct.unpack_from(form, chunk, offset)
                    offset += struct.calcsize(form)

    @staticmethod
    def _unpack(chunk):
        raw = bytearray(zlib.decompress(chunk))
        for i in range(1, len(raw)):
            raw[i] = (raw[i - 1] + raw[i] - 128) & 255
        out = bytearray(len(raw))
        half = (len(raw) + 1) // 2
        out[0::2], out[1::2] = raw[:half], raw[half:]
        return bytes(out)
