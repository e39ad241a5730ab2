"""Archives of the command, their sums, and what is in them, from the folder of samples/release.sh, which calls this.

usage: archives.py FOLDER TOOLS TARGET...
"""
import glob
import json
import os
import re
import struct
import sys
import tarfile
import time

import changes
import fixed
from built import HOMEPAGE, LICENCE, ROOT, TARGETS, Built, read, source, version

WRAPS = os.path.join(ROOT, 'samples', 'release', 'subprojects')
C_LIBRARIES = {'linux': ('musl', 'MIT', 'musl/COPYRIGHT'), 'win32': ('mingw-w64', 'ZPL-2.1', 'mingw/COPYING')}
DEBUG_ENTRY, CODEVIEW = 28, 2


def libraries():
    """(name, version, licence, file, sha256, text of the licence) of each that is linked in."""
    for path in sorted(glob.glob(os.path.join(WRAPS, '*.wrap'))):
        name = os.path.basename(path)[:-len('.wrap')]
        said = dict(re.findall(r'^(\w+) = (.*)$', read(path).decode(), re.M))
        project = read(WRAPS, 'packagefiles', name, 'meson.build').decode()
        number, licence = re.search(r"version: '(.*?)', license: '(.*?)'", project).groups()
        with tarfile.open(os.path.join(os.environ['MESON_PACKAGE_CACHE_DIR'], said['source_filename'])) as sources:
            texts = [sources.extractfile(member).read() for word in ('LICENSE', 'COPYING') for member in sources
                     if member.name.removeprefix('./') == f'{said["directory"]}/{word}']
        yield name, number, licence, said['source_filename'], said['source_hash'], texts[0]


def c_library(target, tools):
    """(name, licence, text) of what the compiler brings; None of macOS, whose own is used."""
    name, licence, file = C_LIBRARIES.get(TARGETS[target].os, (None, None, None))
    found = glob.glob(os.path.join(tools, 'lib', 'python3*', 'site-packages', 'ziglang', 'lib', 'libc', file or 'none'))
    return (name, licence, read(found[0])) if found else None


def without_times(content):
    """A program for Windows says when it was linked, twice, and has a number that was drawn: zeroes."""
    data = bytearray(content)
    header = struct.unpack_from('<I', data, 60)[0]
    sections, optional = struct.unpack_from('<H12xH', data, header + 6)
    struct.pack_into('<I', data, header + 8, 0)
    place, size = struct.unpack_from('<II', data, header + 24 + 112 + 6 * 8)
    for i in range(sections):
        extent, start, _, raw = struct.unpack_from('<IIII', data, header + 24 + optional + 40 * i + 8)
        if size and start <= place < start + extent:
            for at in range(raw + place - start, raw + place - start + size, DEBUG_ENTRY):
                struct.pack_into('<I', data, at + 4, 0)
                kind, length, _, where = struct.unpack_from('<IIII', data, at + 12)
                if kind == CODEVIEW and length >= 20:
                    data[where + 4:where + 20] = bytes(16)  # the GUID
    return bytes(data)


def licences(tools, targets):
    """Of all that is linked into these, one after the other."""
    parts = [(f'{name} {number}', text) for name, number, _, _, _, text in libraries()]
    parts += [(library[0], library[2]) for library in filter(None, {c_library(target, tools) for target in targets})]
    return b'\n'.join(b'==== %s ====\n\n%s' % (name.encode(), text) for name, text in sorted(parts))


def archive(built, name, target, tools):
    """(file name, content)"""
    command = TARGETS[target].command
    files = [(f'bin/{command}', built.command(target), 0o755), ('LICENSE', source('LICENSE'), 0o644),
             ('third-party.txt', licences(tools, [target]), 0o644)]
    files += [('CHANGELOG.md', source(changes.CHANGELOG), 0o644)]
    files += [(f'lib/methodbeat/{library}', content, 0o644) for library, content in built.libraries(target)]
    files += [(f'share/{path}', content, 0o644) for path, content in built.shared()]
    files = [(f'{name}/{path}', content, mode) for path, content, mode in files]
    return (f'{name}.zip', fixed.pack(files)) if command.endswith('.exe') else (f'{name}.tar.gz', fixed.gz(fixed.tar(files)))


def package(name, number, licence, **more):
    return {'SPDXID': f'SPDXRef-{name}', 'name': name, 'versionInfo': number, 'downloadLocation': 'NOASSERTION',
            'filesAnalyzed': False, 'licenseConcluded': licence, 'licenseDeclared': licence,
            'copyrightText': 'NOASSERTION', **more}


def sum_of(digest):
    return {'checksums': [{'algorithm': 'SHA256', 'checksumValue': digest}]}


def bill(number, archives, tools):
    """SPDX 2.3: each archive, and what is linked into it."""
    parts = [package(name, version_of, licence, packageFileName=file, **sum_of(digest))
             for name, version_of, licence, file, digest, _ in libraries()]
    found = {library[:2] for library in (c_library(target, tools) for target in archives) if library}
    parts += [package(name, 'NOASSERTION', licence) for name, licence in sorted(found)]
    relations = []
    for target, (file, content) in archives.items():
        own = package(f'methodbeat-{target}', number, LICENCE, packageFileName=file, **sum_of(fixed.digest(content)))
        inside = [part for part in parts if part['name'] not in {name for name, _ in found}]
        inside += [part for part in parts if part['name'] == (c_library(target, tools) or ('',))[0]]
        relations.append({'spdxElementId': 'SPDXRef-DOCUMENT', 'relationshipType': 'DESCRIBES',
                          'relatedSpdxElement': own['SPDXID']})
        relations += [{'spdxElementId': own['SPDXID'], 'relationshipType': 'STATIC_LINK',
                       'relatedSpdxElement': part['SPDXID']} for part in inside]
        parts.append(own)
    date = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(int(os.environ['SOURCE_DATE_EPOCH'])))
    sums = fixed.digest(b''.join(content for _, content in archives.values()))
    return {'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT',
            'name': f'methodbeat-{number}', 'documentNamespace': f'{HOMEPAGE}/spdx/{number}-{sums[:16]}',
            'creationInfo': {'created': date, 'creators': ['Tool: samples/release/archives.py']},
            'packages': parts, 'relationships': relations}


def main():
    folder, tools, targets = sys.argv[1], sys.argv[2], sys.argv[3:]
    number, archives = version(), {}
    changes.section(number)  # or there is nothing to pack
    for target in targets:
        command = os.path.join(folder, target, TARGETS[target].command)
        if command.endswith('.exe'):
            fixed.write(command, without_times(read(command)))
    for jar in glob.glob(os.path.join(folder, 'jars', '*.[ja]ar')):
        fixed.write(jar, fixed.repack(read(jar)))
    built = Built(folder)
    for target in targets:
        archives[target] = archive(built, f'methodbeat-{number}-{target}', target, tools)
    fixed.write(os.path.join(folder, 'third-party.txt'), licences(tools, targets))
    for name, content in archives.values():
        fixed.write(os.path.join(folder, 'archives', name), content)
        print(f'{len(content):9} {name}')
    spdx = json.dumps(bill(number, archives, tools), indent=1).encode() + b'\n'
    fixed.write(os.path.join(folder, 'archives', 'sbom.spdx.json'), spdx)
    names = sorted(name for name in os.listdir(os.path.join(folder, 'archives')) if name != 'SHA256SUMS')
    lines = [f'{fixed.digest(read(folder, "archives", name))}  {name}\n' for name in names]
    fixed.write(os.path.join(folder, 'archives', 'SHA256SUMS'), ''.join(lines).encode())


main()
