#!/usr/bin/env python3
"""Every module NAME.c whose header other rooms include has a test of its own, tests/FOLDER/test_NAME.*, or a line in
tests/exempt_modules.txt that says where it is tested instead, and both are there. What only its room sees is tested
through the room.

usage: check_modules.py SOURCE_ROOT
"""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])


def rooms():
    """The folders of the product, as layers.txt lists them."""
    for line in (ROOT / 'tests/layers.txt').read_text().splitlines():
        folder = line.split(':')[0].strip()
        if folder and not folder.startswith('#') and not folder.startswith('tests'):
            yield folder


def modules():
    """FOLDER/NAME of each source of the product to whether another room includes its header."""
    shared = set()
    for room in rooms():
        for source in (ROOT / room).glob('*.[ch]'):
            for header in re.findall(r'^#include "(\S+)\.h"', source.read_text(), re.M):
                if os.path.dirname(header) != room.removeprefix('src/'):
                    shared.add('/'.join(header.split('/')[-2:]))
    return {name: name in shared for room in rooms() for source in sorted((ROOT / room).glob('*.c'))
            for name in [f'{room.split("/")[-1]}/{source.stem}']}


def exemptions():
    """FOLDER/NAME to the file that tests it."""
    for line in (ROOT / 'tests/exempt_modules.txt').read_text().splitlines():
        if line and not line.startswith('#'):
            module, test, *reason = line.split(maxsplit=2)
            yield module, (test, ''.join(reason))


def main():
    known, exempt = modules(), dict(exemptions())
    wrong = []
    for module in sorted(known):
        folder, name = module.split('/')
        has_test = any((ROOT / 'tests' / folder).glob(f'test_{name}.*'))
        if has_test and module in exempt:
            wrong.append(f'{module} has a test, and needs no exemption')
        if module in exempt and not known[module]:
            wrong.append(f'{module} is seen by its room only, and needs no exemption')
        if not has_test and known[module] and module not in exempt:
            wrong.append(f'{module}: no tests/{folder}/test_{name}.*')
    for module, (test, reason) in exempt.items():
        if module not in known:
            wrong.append(f'{module} is exempt, but there is no such module')
        if not (ROOT / 'tests' / test).exists() or not reason:
            wrong.append(f'{module}: tests/{test} is not there, or no reason is given')
    if not any(known.values()):
        wrong.append('no module was found')
    print('\n'.join(wrong) or f'{sum(known.values())} modules of {len(known)}, {len(exempt)} tested elsewhere')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
