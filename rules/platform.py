#!/usr/bin/env python3
"""The names that the JDK and Android give to what they may call of a program, as platform.c asks for them.

    rules/platform.py make SOURCE... > rules/platform.txt      by hand, where a platform is added
    rules/platform.py c rules/platform.txt OUTPUT              in each build

A source is a JDK's folder (jmods are not needed) or a jar with Android's framework as Robolectric has
it (tests/corpus/fetch.sh android-23 android-34).

The list: a comment a source, then the packages with types that programs may extend, then the methods of these
types, and of all above them, that can be overridden. A method that no platform calls costs a handler, no answer."""

import bisect
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

PUBLIC, PRIVATE, PROTECTED, STATIC, FINAL, INTERFACE = 1, 2, 4, 8, 0x10, 0x200
CONSTANT_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4,
                  18: 4, 19: 2, 20: 2}
METHOD_BITS, LOW_BITS = 24, 16  # of a key
WORD = (1 << 64) - 1

# What apps can name of Android's framework. Types that only the system extends are left out.
ANDROID = re.compile(r'(android|dalvik|java|javax|junit)/|org/(apache/http|json|w3c|xml|xmlpull)/')
SYSTEM = re.compile(r'''/internal/|\$Stub|\$Proxy|\$Default$|/V\d_|/I[A-Z][A-Za-z]*(\$\w+)?$|(javax/(sip|obex)|android/(
    icu/impl|car|annotation|frameworks|filterfw|filterpacks|sysprop|system|apex|aconfig|gsi|debug|hidl|uwb|ddm|
    federatedcompute|scheduling|net/(connectivity|wifi/.*|ipsec|networkstack|shared)|media/audio|media/tv/tuner|
    os/incremental|app/(ambientcontext|smartspace|prediction|time|timedetector|timezonedetector)|
    hardware/(radio|tv|gnss|audio|automotive|bluetooth|broadcastradio|cas|configstore|contexthub|drm|dumpstate|
    graphics|health|identity|keymaster|memtrack|neuralnetworks|oemlock|power|rebootescrow|secure_element|security|
    sensors|soundtrigger|thermal|vibrator|weaver|wifi)))/''', re.VERBOSE)
PUBLIC_ANYWAY = {'android/os/IBinder', 'android/os/IInterface'}


class Reader:
    def __init__(self, content, at=8):
        self.content, self.at = content, at

    def take(self, form):
        values = struct.unpack_from('>' + form, self.content, self.at)
        self.at += struct.calcsize('>' + form)
        return values if len(values) > 1 else values[0]

    def pool(self):
        pool, index, count = {}, 1, self.take('H')
        while index < count:
            tag = self.take('B')
            if tag == 1:
                size = self.take('H')
                pool[index] = self.content[self.at:self.at + size]
                self.at += size
            else:
                pool[index] = struct.unpack_from('>H', self.content, self.at)[0]
                self.at += CONSTANT_SIZES[tag]
            index += 2 if tag in (5, 6) else 1
        return pool

    def attributes(self):
        for _ in range(self.take('H')):
            name, size = self.take('HI')
            yield name, self.at
            self.at += size

    def members(self):
        for _ in range(self.take('H')):
            yield self.take('HHH')
            list(self.attributes())


class Type:
    """What a class file says: its supertypes, methods that can be overridden, whether programs may extend it."""

    def __init__(self, content):
        reader = Reader(content)
        pool = reader.pool()
        flags, this, parent, count = reader.take('HHHH')
        supers = [parent] * (parent != 0) + [reader.take('H') for _ in range(count)]
        self.name = pool[pool[this]].decode()
        self.supers = [pool[pool[index]].decode() for index in supers]
        list(reader.members())
        members = [(pool[name], pool[descriptor], access) for access, name, descriptor in reader.members()]
        self.methods = {name + descriptor for name, descriptor, access in members
                        if access & (PUBLIC | PROTECTED) and not access & (STATIC | FINAL) and name[:1] != b'<'}
        has_super_call = flags & INTERFACE or any(name == b'<init>' and access & (PUBLIC | PROTECTED)
                                                  for name, _, access in members)
        self.is_open = bool(has_super_call and flags & PUBLIC and not flags & FINAL)
        for name, at in reader.attributes():
            if pool[name] == b'InnerClasses':
                inner = Reader(content, at)
                for _ in range(inner.take('H')):
                    name, _, _, access = inner.take('HHHH')
                    if pool[name] == pool[this]:
                        self.is_open = bool(has_super_call and access & (PUBLIC | PROTECTED) and not access & FINAL)
            if pool[name] == b'PermittedSubclasses':
                self.is_open = False
                break


def exported_packages(content):
    """Those that a module exports to all."""
    reader = Reader(content)
    pool = reader.pool()
    reader.take('HHHH')
    for _ in range(2):
        list(reader.members())
    for name, at in reader.attributes():
        if pool[name] == b'Module':
            inner = Reader(content, at + 6)
            for _ in range(inner.take('H')):
                inner.take('HHH')
            for _ in range(inner.take('H')):
                package, _, count = inner.take('HHH')
                inner.at += 2 * count
                if count == 0:
                    yield pool[pool[package]].decode()


def read_jdk(home):
    """Its types by name, and the names of those that programs can name."""
    types, packages = {}, set()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([f'{home}/bin/jimage', 'extract', '--dir', folder, f'{home}/lib/modules'], check=True)
        for path, _, files in os.walk(folder):
            for file in (file for file in files if file.endswith('.class')):
                with open(os.path.join(path, file), 'rb') as stream:
                    content = stream.read()
                if file == 'module-info.class':
                    packages |= set(exported_packages(content))
                else:
                    types |= {one.name: one for one in [Type(content)]}
    return types, {name for name in types if name.rpartition('/')[0] in packages}


def read_android(jar):
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if name.endswith('.class')]
        types = {one.name: one for one in (Type(archive.read(name)) for name in names)}
    return types, {name for name in types if ANDROID.match(name) and
                   (not SYSTEM.search(name) or not name.startswith(('android/', 'javax/')) or name in PUBLIC_ANYWAY)}


def add_supers(types, name, found):
    for parent in types[name].supers if name in types else ():
        if parent not in found:
            found.add(parent)
            add_supers(types, parent, found)


def version_of(source):
    if not os.path.isdir(source):
        return os.path.basename(source)
    with open(f'{source}/release', encoding='utf-8') as file:
        return 'JDK ' + re.search(r'^JAVA_VERSION="(.*)"', file.read(), re.M)[1]


def make(sources):
    packages, methods = set(), set()
    for source in sources:
        types, named = (read_jdk if os.path.isdir(source) else read_android)(source)
        found = {name for name in named if types[name].is_open}
        packages |= {name.rpartition('/')[0] for name in found}
        for name in list(found):
            add_supers(types, name, found)
        methods |= {method.decode() for name in found if name in types for method in types[name].methods}
        yield f'# {version_of(source)}'
    yield from sorted(packages)
    yield from sorted(methods)


def hash_of(text):
    """As mb_text_hash."""
    value = len(text)
    words = [text[i:i + 8] for i in range(0, len(text) + 1, 8)]
    for word in (*words, b''):
        value = (value ^ int.from_bytes(word, 'little')) * 0x9e3779b97f4a7c15 & WORD
        value ^= value >> 32
    return value


def key_of(name):
    """As rule_method_key."""
    at = (name + '(').index('(')
    return (hash_of(name[:at].encode()) ^ 3 * hash_of(name[at:].encode()) & WORD) >> 32


def write_c(lines, path):
    """Packages as hashes; of methods the low bits, and where those with each of the next 8 begin."""
    names = [line.rstrip('\n') for line in lines if not line.startswith('#')]
    packages = sorted({key_of(name) for name in names if '(' not in name})
    keys = sorted({key_of(name) & (1 << METHOD_BITS) - 1 for name in names if '(' in name})
    groups = [bisect.bisect_left(keys, group << LOW_BITS) for group in range(257)]
    with open(path, 'w', encoding='ascii') as out:
        out.write(f'#include "rules/platform.h"\n\nconst size_t rule_platform_package_count = {len(packages)};\n')
        for name, items in (('uint32_t rule_platform_packages[]', (f'{package}u' for package in packages)),
                            ('uint16_t rule_platform_keys[]', (key & (1 << LOW_BITS) - 1 for key in keys)),
                            ('uint32_t rule_platform_key_groups[257]', groups)):
            out.write(f'const {name} = {{\n' + ',\n'.join(map(str, items)) + '};\n')


def main(command, *arguments):
    if command == 'make':
        print('\n'.join(make(arguments)))
    else:
        with open(arguments[0], encoding='utf-8') as lines:
            write_c(lines, arguments[1])


main(*sys.argv[1:])
