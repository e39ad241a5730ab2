#!/usr/bin/env python3
"""Put the questions into C: a file each, whose first line says what it asks.

usage: join.py OUTPUT.c QUESTION.sql...
"""
import json
import pathlib
import sys


def row(path):
    text = pathlib.Path(path).read_text()
    lines = ''.join(f'\n     {json.dumps(line)}' for line in text.splitlines(True))
    return (f'    {{"{pathlib.Path(path).stem}", {json.dumps(text.splitlines()[0].removeprefix("-- "))},{lines},\n'
            f'     {str("{old}" in text).lower()}, {str("-- A row is a finding." in text).lower()}}},\n')


def main(output, *questions):
    pathlib.Path(output).write_text(
        '#include "fleet/questions.h"\n\nconst struct fleet_question fleet_questions[] = {\n'
        + ''.join(map(row, questions)) + '};\n'
        f'const size_t fleet_question_count = {len(questions)};\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
