#!/usr/bin/env python3
"""Put the page of a fleet into C: what stands before its data, and what after.

usage: join.py OUTPUT.c PAGE.html STYLE.css PROGRAM.js
"""
import base64
import hashlib
import pathlib
import sys


def hash_of(text):
    return 'sha256-' + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def c_array(name, text):
    content = text.encode() + b'\0'
    rows = [', '.join(str(byte) for byte in content[i:i + 24]) for i in range(0, len(content), 24)]
    return f'const char fleet_page_{name}[] = {{\n    ' + ',\n    '.join(rows) + '};\n'


def main(output, page, style, program):
    page, style, program = (pathlib.Path(path).read_text() for path in (page, style, program))
    for mark, text in (('STYLE_HASH', hash_of(style)), ('PROGRAM_HASH', hash_of(program)), ('/*STYLE*/', style),
                       ('/*PROGRAM*/', program)):
        page = page.replace(mark, text)
    head, _, tail = page.partition('/*DATA*/')
    pathlib.Path(output).write_text('#include "issues/fleet/ask.h"\n\n' + c_array('head', head) + c_array('tail', tail))


if __name__ == '__main__':
    main(*sys.argv[1:])
