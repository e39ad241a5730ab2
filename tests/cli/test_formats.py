#!/usr/bin/env python3
"""Every format over traces drawn by hand, read back: odd names, many threads, no calls, open calls.

usage: test_formats.py METHODBEAT
"""
import os
import pathlib
import subprocess
import sys
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'export'))
import readers  # noqa: E402
from checks import check, run_all  # noqa: E402
from traces import ENDED, MESSAGE, enter, leave, trace  # noqa: E402

METHODBEAT = sys.argv[1]
ODD = ['"quoted\\"', '</script><!--', 'semi;colon', 'hash#colon:', 'x' * 10000, '\U0001F600',
       '\u202etxt', '\x1b[2J', 'a\tb']
BROKEN = [b'\xed\xa0\x80', b'\xff\xfe', b'\xc3']


def is_missing(name):
    """Formats that this build was made without say so."""
    done = subprocess.run([METHODBEAT, 'report', f'--format={name}', '/dev/null'],
                          capture_output=True, text=True, check=False)
    return 'was built without' in done.stderr


# What reads the calls of each thread: rows that end with the name.
CALLS = {
    'chrome': lambda data: {thread: [(row[0], row[2]) for row in rows]
                            for thread, rows in readers.chrome(data).items()},
    'perfetto': lambda data: {thread: [(row[0], row[3]) for row in rows]
                              for thread, rows in readers.perfetto(data)[0].items()},
}
FORMATS = [name for name in CALLS if not is_missing(name)]


class Bench:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.map = self.folder / 'map.txt'
        self.trace = self.folder / 'sample.mbtrace'
        self.write_map(b'Slow')

    def write_map(self, name):
        self.map.write_bytes(b'1,1,a.Main run ()V\n2,1,a.' + name + b' load ()V\n'
                             b'1048574,1,android.os.Handler dispatchMessage ()V\n')

    def report(self, name, data, *options):
        self.trace.write_bytes(data)
        done = subprocess.run([METHODBEAT, 'report', '--method-map', self.map, '--threshold=1',
                               f'--format={name}', *options, self.trace], capture_output=True,
                              check=False)
        check(f'{name}: exit code', done.returncode == 0 and done.stderr == b'', done.stderr)
        return done.stdout

    def calls(self, name, data):
        return CALLS[name](self.report(name, data))


def sample(name=b'main', **more):
    words = [enter(1, 0), enter(2, 1), leave(2, 2), enter(2, 2), leave(2, 5), leave(1, 6)]
    return trace([{'words': words, 'name': name}], process=name, **more)


def is_quiet(text):
    return not any(unicodedata.category(letter) == 'Cc' for letter in text)


def test_names(bench):
    for odd in [*(name.encode() for name in ODD), *BROKEN]:
        bench.write_map(odd)
        for name in FORMATS:
            rows = bench.calls(name, sample(odd[:60]))[77]
            names = [row[-1] for row in rows]
            check(f'{name}: {odd[:20]}', len(rows) == 3 and names[0] == 'a.Main.run' and
                  names[1].startswith('a.') and names[1].endswith('.load'), rows)
            check(f'{name}: {odd[:20]} is shown', name in ('chrome',) or is_quiet(names[1]), names)
            if odd.isalnum():
                check(f'{name}: a long name', names[1] == f'a.{odd.decode()}.load', names)


def test_threads(bench):
    rings = [{'words': [enter(1, n), leave(1, n + 1)] * (n % 3), 'thread': 100 + n, 'main': n == 0,
              'name': f'thread {n % 5}', 'state': ENDED} for n in range(64)]
    for name in FORMATS:
        found = bench.calls(name, trace(rings))
        check(f'{name}: threads', {thread: len(rows) for thread, rows in found.items()} ==
              {100 + n: n % 3 for n in range(64)}, found)


def test_no_calls(bench):
    for name in FORMATS:
        check(f'{name}: nothing', bench.calls(name, trace([])) == {})
        found = bench.calls(name, trace([{'words': []}]))
        check(f'{name}: no calls', found == {77: []}, found)


def test_open_calls(bench):
    words = [enter(1, 0), enter(2, 1), leave(2, 3), enter(MESSAGE, 4), enter(2, 5)]
    for name in FORMATS:
        rows = bench.calls(name, trace([{'words': words}], now=9 * 1000000))[77]
        check(f'{name}: open calls', [row[0] // 1000000 for row in rows] == [0, 1, 4, 5], rows)


def test_same_bytes(bench):
    data = sample()
    for name in FORMATS:
        outputs = {bench.report(name, data) for _ in range(3)}
        check(f'{name}: the same bytes', len(outputs) == 1)


def test_terminal(bench):
    """Bytes are refused where only a person would get them."""
    for name in FORMATS:
        done = subprocess.run(['script', '-qec', f'{METHODBEAT} report --format={name} {bench.trace}',
                               '/dev/null'], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        refused = 'is nothing for a terminal' in done.stdout
        check(f'{name}: on a terminal', refused == (name in ('perfetto',)), done)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
