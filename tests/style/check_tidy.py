#!/usr/bin/env python3
"""The checks of .clang-tidy over the product's sources, each read once: as its library compiles it, and
as another target of the build does where that defines what the source asks for.

usage: check_tidy.py ROOT BUILD [SOURCE...]    all of the product's, unless told
"""
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

FOLDERS = ('src', 'classfile', 'rules')
ASKED = {'__ANDROID__': '-D__ANDROID__', 'MB_UNDER_TSAN': '-fsanitize=thread'}  # a word, and what defines it
WINDOWS = 'cc --target=x86_64-w64-mingw32 -isystem /usr/share/mingw-w64/include -std=c17 -D_WIN32_WINNT=0x0A00 -Isrc -c '
# So far the analyzer looks into a function: a third of what it does by itself, in a third of the time.
NODES = [f'--extra-arg={word}' for word in ('-Xclang', '-analyzer-config', '-Xclang', 'max-nodes=75000')]


def flavour(command):
    """Of what sources may ask for, what this one defines."""
    words = shlex.split(command)
    return {word for word, option in ASKED.items() if option in words}


def entries(root, build, chosen):
    """Those of the compile database to go by; what is for Windows is in none."""
    seen = set()
    for source in (source for source in chosen if source.parent.name == 'windows'):
        yield source, {'directory': str(root), 'file': str(source), 'command': WINDOWS + str(source)}
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        source = (pathlib.Path(entry['directory']) / entry['file']).resolve()
        if source in chosen:
            text = source.read_text()
            key = source, *sorted(word for word in flavour(entry['command']) if word in text)
            if key not in seen:
                seen.add(key)
                yield source, entry


def check(tidy, database, source):
    done = subprocess.run((tidy, '-p', database, '--quiet', '--warnings-as-errors=*', '--extra-arg=-Wno-unknown-warning-option',
                           *NODES, source), capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout or done.stderr, flush=True)
    return done.returncode == 0


def main():
    tidy = shutil.which('clang-tidy-14') or shutil.which('clang-tidy')
    if tidy is None:
        print('no clang-tidy')
        return 77
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    chosen = set(map(pathlib.Path.resolve, map(pathlib.Path, sys.argv[3:]))) or \
        {source for folder in FOLDERS for source in (root / folder).rglob('*.c')}
    found = list(entries(root, build, chosen))
    (database := build / 'tidy').mkdir(exist_ok=True)
    (database / 'compile_commands.json').write_text(json.dumps([entry for _, entry in found]))
    if missing := chosen - {source for source, _ in found}:
        print(f'not compiled in {build}: {sorted(map(str, missing))}')
    longest_first = sorted({source for source, _ in found}, key=lambda source: -source.stat().st_size)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        right = list(pool.map(lambda source: check(tidy, database, source), longest_first))
    print(f'{len(found)} compilations of {len(right)} sources, {right.count(False)} with findings')
    return 0 if all(right) and right and not missing else 1


if __name__ == '__main__':
    sys.exit(main())
