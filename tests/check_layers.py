#!/usr/bin/env python3
"""Check every #include of the product against tests/layers.txt.

usage: check_layers.py ROOT
"""
import pathlib
import re
import sys

THIRD_PARTY = {
    'uthash.h': 'uthash', 'utlist.h': 'uthash', 'zip.h': 'libzip', 'libdeflate.h': 'libdeflate',
    'pthread.h': 'pthread', 'jni.h': 'jni', 'android/log.h': 'jni', 'jansson.h': 'jansson',
}
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def read_table(path):
    table = {}
    for line in path.read_text().splitlines():
        line = line.split('#')[0].strip()
        if line:
            folder, rest = line.split(':')
            table[folder] = set(rest.split()[1:])
    return table


def violations(root, folder, allowed):
    own = folder.split('/')[-1]
    names = {own} | allowed
    files = sorted((root / folder).rglob('*.[ch]')) + sorted((root / folder).rglob('*.def'))
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            quote, name = match.groups()
            wanted = name.split('/')[0] if quote == '"' else THIRD_PARTY.get(name)
            if wanted is not None and wanted not in names:
                yield f'{path.relative_to(root)}:{number}: {own} may not include {wanted}'


def main():
    root = pathlib.Path(sys.argv[1])
    table = read_table(root / 'tests' / 'layers.txt')
    found = [v for folder, allowed in table.items() for v in violations(root, folder, allowed)]
    known = {folder for folder in table}
    for folder in [root / 'classfile', root / 'rules', *sorted((root / 'src').iterdir())]:
        name = str(folder.relative_to(root))
        if folder.is_dir() and name not in known:
            found.append(f'{name}: not in tests/layers.txt')
    print('\n'.join(found) if found else 'every include follows the arrows')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
