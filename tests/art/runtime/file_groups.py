"""Prints the Java files of the groups of that name in libcore's .bp files, as paths below LIBCORE.

usage: file_groups.py LIBCORE GROUP...
"""
import glob
import os
import re
import sys

LIBCORE = sys.argv[1]


def read_groups():
    """Name to the entries of srcs: files, patterns, and :GROUP."""
    groups = {}
    for path in glob.glob(f'{LIBCORE}/*.bp'):
        with open(path, encoding='utf-8') as file:
            text = re.sub(r'//[^\n]*', '', file.read())
        for body in re.findall(r'filegroup \{(.*?)\n\}', text, re.S):
            name = re.search(r'name:\s*"([^"]+)"', body)[1]
            sources = re.search(r'\bsrcs:\s*\[(.*?)\]', body, re.S)
            groups[name] = re.findall(r'"([^"]+)"', sources[1]) if sources else []
    return groups


def expand(groups, name):
    for entry in groups.get(name, []):
        if entry.startswith(':'):
            yield from expand(groups, entry[1:])
        else:
            yield from sorted(glob.glob(os.path.join(LIBCORE, entry), recursive=True))


def main():
    groups = read_groups()
    found = dict.fromkeys(path for name in sys.argv[2:] for path in expand(groups, name))
    print('\n'.join(found))


main()
