#!/usr/bin/env python3
"""Check every #include of the product against tests/layers.txt, that no more than two files of a folder
go round in a circle, and that what a run consists of is known to its story alone.

usage: check_layers.py ROOT
"""
import pathlib
import re
import sys

THIRD_PARTY = {
    'uthash.h': 'uthash', 'utlist.h': 'uthash', 'zip.h': 'libzip', 'libdeflate.h': 'libdeflate',
    'pthread.h': 'pthread', 'jni.h': 'jni', 'android/log.h': 'jni', 'jansson.h': 'jansson', 'zstd.h': 'zstd', 'zlib.h': 'zlib',
    'protobuf-c/protobuf-c.h': 'protobuf-c',
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')

# Headers that only these files may include.
PRIVATE = {
    'instrument/run.h': {'src/instrument/pipeline.c', 'src/instrument/run.c'},
}


def read_table(path):
    table = {}
    for line in path.read_text().splitlines():
        line = line.split('#')[0].strip()
        if line:
            folder, rest = line.split(':')
            table[folder] = set(rest.split()[1:])
    return table


def room_of(header, table):
    """The innermost that has it; rooms are known by their own name."""
    rooms = [folder for folder in table if header.startswith(folder.removeprefix('src/') + '/')]
    return max(rooms, key=len).split('/')[-1] if rooms else header.split('/')[0]


def files_of(root, folder, table, *patterns):
    """Without those of rooms inside."""
    inside = [root / other for other in table if other.startswith(folder + '/')]
    return sorted(path for pattern in patterns for path in (root / folder).rglob(pattern)
                  if not any(other in path.parents for other in inside))


def violations(root, folder, table):
    own = folder.split('/')[-1]
    names = {own} | table[folder]
    for path in files_of(root, folder, table, '*.[ch]', '*.def'):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, name = match.groups()
            wanted = room_of(name, table) if quote == '"' else THIRD_PARTY.get(name)
            if wanted is not None and wanted not in names:
                yield f'{path.relative_to(root)}:{number}: {own} may not include {wanted}'


def includes(path):
    for line in path.read_text().splitlines():
        match = INCLUDE.match(line)
        if match and match.group(1) == '"':
            yield match.group(2)


def private_violations(root, folder):
    for path in sorted((root / folder).rglob('*.[ch]')):
        name = str(path.relative_to(root))
        for header in includes(path):
            if header in PRIVATE and name not in PRIVATE[header]:
                yield f'{name}: only {" and ".join(sorted(PRIVATE[header]))} may include {header}'


def own_includes(root, folder):
    """Which files, a source and its header being one, each file of the folder includes."""
    graph = {}
    own = folder.removeprefix('src/')
    for path in sorted((root / folder).glob('*.[ch]')):
        targets = graph.setdefault(path.stem, set())
        for header in includes(path):
            place, _, name = header.rpartition('/')
            if place == own and name.endswith('.h') and name[:-2] != path.stem:
                targets.add(name[:-2])
    return graph


def reachable(graph, start):
    found, left = set(), [start]
    while left:
        for target in graph.get(left.pop(), ()):
            if target not in found:
                found.add(target)
                left.append(target)
    return found


def circles(root, folder):
    graph = own_includes(root, folder)
    reach = {name: reachable(graph, name) for name in graph}
    seen = set()
    for name in sorted(graph):
        circle = {other for other in reach[name] if name in reach.get(other, ())}
        if len(circle) > 2 and name not in seen:
            seen |= circle
            yield f'{folder}: a circle of includes: {" ".join(sorted(circle))}'


def main():
    root = pathlib.Path(sys.argv[1])
    table = read_table(root / 'tests' / 'layers.txt')
    found = [v for folder in table for v in violations(root, folder, table)]
    for folder in table:
        found += private_violations(root, folder)
        found += circles(root, folder)
    for folder in [root / 'classfile', root / 'rules', *sorted((root / 'src').glob('*/')), *sorted((root / 'src').glob('*/*/'))]:
        name = str(folder.relative_to(root))
        is_room = any(folder.glob('meson.build')) and any(folder.glob('*.[ch]'))
        if is_room and name not in table:
            found.append(f'{name}: not in tests/layers.txt')
    print('\n'.join(found) if found else 'every include follows the arrows, and none goes round')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
