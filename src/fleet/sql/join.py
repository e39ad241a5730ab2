#!/usr/bin/env python3
"""Put the questions into C: a row of questions.def each, and a file, whose first line says what it asks.

usage: join.py OUTPUT.c DEPENDENCIES questions.def
"""
import json
import pathlib
import re
import sys


def read(path):
    """With the parts that it includes."""
    return re.sub(r'^-- include: (\w+)\n', lambda part: (path.parent / f'parts/{part[1]}.sql').read_text(),
                  path.read_text(), flags=re.M)


def row(path, rows):
    text = read(path)
    lines = ''.join(f'\n     {json.dumps(line)}' for line in text.splitlines(True))
    return (f'    {{"{path.stem}", {json.dumps(text.splitlines()[0].removeprefix("-- "))},{lines},\n'
            f'     {str("{old}" in text).lower()}, {str("-- A row is a finding." in text).lower()}, {rows}}},\n')


def main(output, dependencies, table):
    folder = pathlib.Path(table).parent / 'sql'
    rows = re.findall(r'^QUESTION\((\w+), (-?\d+)\)$', pathlib.Path(table).read_text(), re.M)
    questions = [(folder / f'{name}.sql', count) for name, count in rows]
    sources = [*(path for path, _ in questions), *folder.glob('parts/*.sql')]
    pathlib.Path(dependencies).write_text(f'{output}: {" ".join(map(str, sources))}\n')
    pathlib.Path(output).write_text(
        '#include "fleet/questions.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n\nconst struct fleet_question fleet_questions[] = {\n'
        + ''.join(row(*question) for question in questions) + '};\n'
        f'const size_t fleet_question_count = {len(questions)};\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
