#!/usr/bin/env python3
"""Put the style of the page and its program into C, with the hashes by which the page's policy
allows them.

usage: join.py OUTPUT.c STYLE.css CHART.html PROGRAM.js...
"""
import base64
import hashlib
import pathlib
import sys


def c_array(name, content):
    rows = [', '.join(str(byte) for byte in content[i:i + 24]) for i in range(0, len(content), 24)]
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    return (f'const char format_page_{name}[] = {{\n    ' + ',\n    '.join(rows) + '};\n'
            f'const size_t format_page_{name}_size = {len(content)};\n'
            f'const char format_page_{name}_hash[] = "sha256-{digest}";\n')


def main(output, style, chart, *programs):
    read = [pathlib.Path(path).read_bytes() for path in programs]
    program = b'(() => {\n"use strict";\n' + b'\n'.join(read) + b'})();\n'
    parts = [c_array('style', pathlib.Path(style).read_bytes()),
             c_array('chart', pathlib.Path(chart).read_bytes()), c_array('program', program)]
    pathlib.Path(output).write_text('#include "formats/html.h"\n\n' + '\n'.join(parts))


if __name__ == '__main__':
    main(*sys.argv[1:])
