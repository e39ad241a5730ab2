"""Tiny class files and jars for the tests of the command line.

A class is described as "name[:super] method..."; each method calls another class, so that it
deserves a probe; a method spelled -name is empty, so that it does not, and one spelled +name so long
that no probe has room, one spelled ~name so long that HotSpot would not compile it with probes. All are static but those spelled !name. A name may be followed by a descriptor.
The sign ␣ stands for a space in a name.
"""
import pathlib
import struct
import tempfile
import unittest
import zipfile


class Pool:
    def __init__(self):
        self.bytes, self.count, self.known = b'', 1, {}

    def add(self, *entry):
        if entry not in self.known:
            self.known[entry] = self.count
            self.count += 1
            kind, value = entry[0], entry[1:]
            if kind == 1:
                text = value[0].encode()
                self.bytes += struct.pack('>BH', 1, len(text)) + text
            else:
                self.bytes += struct.pack('>B' + 'H' * len(value), kind, *value)
        return self.known[entry]

    def utf8(self, text):
        return self.add(1, text.replace('␣', ' '))

    def klass(self, name):
        return self.add(7, self.utf8(name))

    def method(self, owner, name, descriptor):
        both = self.add(12, self.utf8(name), self.utf8(descriptor))
        return self.add(10, self.klass(owner), both)


def make_method(pool, method):
    name = method.lstrip('-+~!')
    signs = method[:len(method) - len(name)]
    name, _, descriptor = name.partition('(')
    code = b'\xb1'
    if '+' in signs:
        code = b'\0' * 65530 + code
    if '~' in signs:
        code = b'\0' * 7990 + code
    if '-' not in signs:
        code = struct.pack('>BH', 0xb8, pool.method('other/Other', 'call', '()V')) + code
    body = struct.pack('>HHI', 0, 2, len(code)) + code + struct.pack('>HH', 0, 0)
    return (struct.pack('>HHHH', 1 if '!' in signs else 9, pool.utf8(name),
                        pool.utf8('(' + (descriptor or ')V')), 1)
            + struct.pack('>HI', pool.utf8('Code'), len(body)) + body)


def make_class(text, flags=0x21, constants=0):
    """constants: how many its pool has at least."""
    head, *methods = text.split()
    name, _, parent = head.partition(':')
    pool = Pool()
    this, parent = pool.klass(name), pool.klass(parent or 'java/lang/Object')
    out = b''.join(make_method(pool, method) for method in methods)
    while pool.count <= constants:
        pool.utf8(f'_{pool.count}')
    return (struct.pack('>IHHH', 0xcafebabe, 0, 52, pool.count) + pool.bytes
            + struct.pack('>HHHHHH', flags, this, parent, 0, 0, len(methods)) + out
            + struct.pack('>H', 0))


def class_entry(text):
    return text.split()[0].split(':')[0].replace('␣', ' ') + '.class', make_class(text)


def make_jar(path, entries):
    """entries: (name, bytes) or the description of a class."""
    with zipfile.ZipFile(path, 'w') as jar:
        for entry in entries:
            name, content = class_entry(entry) if isinstance(entry, str) else entry
            info = zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6))
            info.compress_type = zipfile.ZIP_DEFLATED
            jar.writestr(info, content)


def contents(path):
    with zipfile.ZipFile(path) as jar:
        return {info.filename: jar.read(info) for info in jar.infolist()}


class Folder(unittest.TestCase):
    """Tests with a folder of their own each."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = pathlib.Path(self.scratch.name)

    def jar(self, name, *entries):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        make_jar(self.root / name, entries)
        return name

    def text(self, name):
        return (self.root / name).read_text()

    def tree(self, name):
        base = self.root / name
        return {str(p.relative_to(base)): p.read_bytes() for p in base.rglob('*') if p.is_file()}
