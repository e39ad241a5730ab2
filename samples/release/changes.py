#!/usr/bin/env python3
"""What CHANGELOG.md says of the version of meson.build, as the notes of its release. It is an error if it says nothing, or
if TAG is that of another version, or owner.ini has placeholders.

usage: changes.py [TAG]
"""
import os
import re
import sys

from built import OWNER, source, version

CHANGELOG = os.path.join('samples', 'release', 'CHANGELOG.md')


def section(number):
    """The text below the heading of a version."""
    found = re.search(rf'^## {re.escape(number)}\n+(.*?)\n*(?=^## |\Z)', source(CHANGELOG).decode(), re.M | re.S)
    if not found or not items(found[1]):
        raise SystemExit(f'{CHANGELOG}: it has no items of version {number}')
    return found[1]


def items(text):
    """Each item of a section in one line."""
    return [' '.join(item.split()) for item in re.findall(r'^- (.*(?:\n  .*)*)', text, re.M)]


if __name__ == '__main__':
    if len(sys.argv) > 1 and sys.argv[1] != f'v{version()}':
        raise SystemExit(f'{sys.argv[1]} is no tag of version {version()}, which meson.build has')
    if len(sys.argv) > 1 and not OWNER.getboolean('registered'):
        raise SystemExit('samples/release/owner.ini has placeholders: nothing is published under names without an owner')
    print(section(version()))
