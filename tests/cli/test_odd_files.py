#!/usr/bin/env python3
"""Every command over what is no file of its kind, and over outputs that take nothing: one line that names
the file, and an exit code that says so.

usage: test_odd_files.py METHODBEAT TESTS      TESTS: the folder of all tests
"""
import os
import pathlib
import subprocess
import sys

from checks import Bench, check, run_all
from profiles import add_profile, lapped_main
from traces import MAP, trace

METHODBEAT, TESTS = sys.argv[1], pathlib.Path(sys.argv[2])
PERIOD = 16666667


class Odd(Bench):
    """A sound file for each command, whose place in the command is {}."""

    def __init__(self, folder):
        super().__init__(folder)
        ring, main = lapped_main()
        names = self.file('methodMapping.txt', MAP)
        recorded = self.file('a.mbtrace', add_profile(trace([ring]), [main]))
        issues = self.file('stalls.json', (TESTS / 'cli/stalls.json').read_bytes())
        rows = ''.join(f'{at}\t{at}\t{at}\n' for at in range(10 ** 9, 10 ** 9 + 300 * PERIOD, PERIOD))
        shown = self.file('latency.txt', f'{PERIOD}\n{rows}\n')
        self.commands = [
            (recorded, 'report', '--show=names', '{}'),
            (recorded, 'report', '--format=html', '{}'),
            (recorded, 'report', '--format', 'records', '{}'),
            (recorded, 'tune', '--method-map', names, '{}'),
            (names, 'report', '--method-map', '{}', recorded),
            (names, 'symbolize', '--method-map', names, '{}'),
            (issues, 'issues', '--strict', '{}'),
            (shown, 'fps', '{}'),
        ]

    def run(self, words, path, **more):
        command = [METHODBEAT, *(path if word == '{}' else word for word in words)]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=100,
                              **{'stdout': subprocess.PIPE, **more})

    def odd(self):
        loop = self.folder / 'loop'
        loop.symlink_to(loop)
        return {
            'missing': self.folder / 'missing',
            'nothing': '',
            'loop': loop,
            'below a file': self.folder / 'a.mbtrace' / 'x',
            'zeroes': self.file('zeroes', bytes(5000)),
            'high': self.file('high', b'\xff' * 70000),
            'nested': self.file('nested', b'{"stackKey":' * 20000),
            'escape': self.file('\x1b[31mred', b'\0'),
        }


def test_what_is_no_file_of_its_kind(bench):
    for what, path in bench.odd().items():
        for _, *words in bench.commands:
            takes_any = words[0] == 'symbolize' and os.path.isfile(path)
            is_named = words[words.index('{}') - 1] == '--method-map'  # by an option, which takes no ''
            if takes_any or (is_named and path == ''):
                continue
            done = bench.run(words, path)
            lines = done.stderr.decode().splitlines()
            shown = str(path).replace('\x1b', '\\x1b') or "''"
            check(f'{words[0]}, {what}: one line that names it', done.returncode == 1 and len(lines) == 1 and
                  lines[0].startswith('methodbeat: ') and shown in lines[0], (words, done))


def test_outputs_that_take_nothing(bench):
    for path, *words in bench.commands:
        with open('/dev/full', 'wb') as full:
            done = bench.run(words, path, stdout=full)
        check(f'{words[0]}: a full disk', done.returncode == 1 and
              done.stderr == b'methodbeat: standard output: No space left on device\n', (words, done))
        done = bench.run(words, path, stdout=None, preexec_fn=lambda: os.close(1))
        check(f'{words[0]}: no output', done.returncode == 1 and
              done.stderr == b'methodbeat: standard output: Bad file descriptor\n', (words, done))


sys.exit(run_all(globals(), Odd))
