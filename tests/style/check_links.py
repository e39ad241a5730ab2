#!/usr/bin/env python3
"""What documents name is there: files and headings that they link to, and paths of the tree in records of decisions and in
what tells strangers where to change what. A record of a decision has 30 lines at most.

usage: check_links.py SOURCE_ROOT
"""
import glob
import os
import re
import sys

ROOT = os.path.abspath(sys.argv[1])
PATH = re.compile(r'`((?:src|tests|samples|rules|classfile)/[\w./-]+)`')
LONGEST = 30


def anchors(text):
    headings = re.findall(r'^#+ (.*)$', re.sub(r'^```.*?^```', '', text, flags=re.M | re.S), re.M)
    return {re.sub(r'[^\w -]', '', heading.lower()).strip().replace(' ', '-') for heading in headings}


def missing(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    folder = os.path.dirname(path)
    for link in re.findall(r'\]\((?!https?:)([^)]+)\)', text):
        name, _, anchor = link.partition('#')
        target = os.path.normpath(os.path.join(folder, name)) if name else path
        if not os.path.exists(target):
            yield f'links to {link}'
        elif anchor:
            with open(target, encoding='utf-8') as file:
                if anchor not in anchors(file.read()):
                    yield f'links to {link}, which has no such heading'
    if '/decisions/' in path or '/.github/' in path:
        for name in PATH.findall(text):
            if not glob.glob(os.path.join(ROOT, name)) and 'NAME' not in name:
                yield f'names {name}'
    if '/decisions/0' in path and text.count('\n') > LONGEST:
        yield f'has more than {LONGEST} lines'


documents = [path for pattern in ('*.md', '.github/*.md', 'src/**/*.md', 'samples/**/*.md', 'tests/**/*.md')
             for path in glob.glob(os.path.join(ROOT, pattern), recursive=True) if '/subprojects/' not in path]
found = [f'{os.path.relpath(path, ROOT)}: {what}' for path in documents for what in missing(path)]
print('\n'.join(found) if found else f'{len(documents)} documents')
sys.exit(bool(found))
