#!/usr/bin/env python3
"""Reports as people see them: lines and colours.

usage: test_report_look.py METHODBEAT
"""
import os
import sys
from unittest import mock

from checks import check, on_a_terminal, run_all
from reports import METHODBEAT, Bench, main_ring
from traces import enter, leave, trace


def test_lines_fit(bench):
    """80 columns, or those of a wider terminal. Names are in full elsewhere, and with --show=names, which breaks no line."""
    long = 'com.example.deeply.nested.packages.of.an.application.Handler'
    names = bench.write('long.txt', ''.join(
        f'{i},1,{long}{i} handleEveryKindOfRequest{i}Twice ()V\n' for i in range(1, 60)).encode())
    words = [enter(i, i) for i in range(1, 60)] + [leave(i, 1000 - i) for i in range(59, 0, -1)]
    data = trace([{'words': words, 'name': f'http-nio-exec-{n}', 'thread': n, 'main': 0}
                  for n in range(3)])
    path = bench.write('sample.mbtrace', data)
    command = ['report', '--method-map', names, '--show=threads,stacks', '--weight=calls',
               '--threshold=0']
    code, text, error = bench.run(command[0], data, *command[1:])
    for options in [], ['--show=names']:
        code, text, error = bench.run(command[0], data, *command[1:], *options)
        check('names in full', code == 0 and f'{long}59.handleEveryKindOfRequest59Twice' in text and '..' not in text, text)
        check('words', (len(text.splitlines()[0]) <= 80) == (options == []), text)
    for columns, expected in [(60, 80), (120, 120), (160, 160)]:
        text = on_a_terminal([METHODBEAT, *command, path], columns).decode()
        widest = max(map(len, text.replace('\r', '').splitlines()))
        check(f'{columns} columns', expected - 30 < widest <= expected, f'{widest}\n{text}')


def test_colour(bench):
    """On a terminal, unless somebody said no; https://no-color.org."""
    path = bench.write('sample.mbtrace', trace([main_ring()]))
    command = [METHODBEAT, 'report', '--method-map', bench.map, path]

    def has_colour(*options, **environment):
        return b'\x1b[' in on_a_terminal([*command, *options], **environment)

    check('a terminal', has_colour(TERM='xterm'))
    check('NO_COLOR', not has_colour(TERM='xterm', NO_COLOR='1'))
    check('an empty NO_COLOR', has_colour(TERM='xterm', NO_COLOR=''))
    check('a dumb terminal', not has_colour(TERM='dumb'))
    check('no terminal type', not has_colour())
    check('always', has_colour(TERM='dumb', CLICOLOR_FORCE='1'))
    check('never goes before always', not has_colour(TERM='xterm', CLICOLOR_FORCE='1', NO_COLOR='1'))
    code, text, error = bench.report(trace([main_ring()]))
    check('a pipe', '\x1b' not in text)
    with mock.patch.dict(os.environ, CLICOLOR_FORCE='1'):
        code, text, error = bench.report(trace([main_ring()]))
    check('a pipe, always', '\x1b[' in text)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
