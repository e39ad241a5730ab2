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
from traces import ENDED, MESSAGE, MS, enter, leave, trace  # noqa: E402

METHODBEAT = sys.argv[1]
ODD = ['"quoted\\"', '</script><!--', 'semi;colon', 'hash#colon:', 'x' * 10000, '\U0001F600',
       '\u202etxt', '\x1b[2J', 'a\tb']
BROKEN = [b'\xed\xa0\x80', b'\xff\xfe', b'\xc3']


def is_missing(name):
    """Formats that this build was made without say so."""
    done = subprocess.run([METHODBEAT, 'report', f'--format={name}', '/dev/null'],
                          capture_output=True, text=True, check=False)
    return 'was built without' in done.stderr


# What reads the calls of each thread.
CALLS = {
    'chrome': readers.chrome,
    'perfetto': lambda data: readers.perfetto(data)[0],
    'speedscope': readers.speedscope,
    'nanoscope': readers.nanoscope,
    'art': readers.art,
}
TREES = {'folded': readers.folded, 'callgrind': readers.callgrind, 'pprof': readers.pprof}
BINARY = {'perfetto', 'pprof', 'art'}
NAME = {'chrome': 2}  # its place in a row
FORMATS = [name for name in [*CALLS, *TREES] if not is_missing(name)]


def threads_of(name, data):
    """The calls as (start, name), of one thread after the other."""
    found = CALLS[name](data)
    if name == 'nanoscope':
        threads = [found]
    elif name == 'speedscope':
        threads = [rows for _, rows in found]
    else:
        threads = list(found.values())
    return [[(row[0], row[NAME.get(name, 3)]) for row in rows] for rows in threads]


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

    def threads(self, name, data):
        return threads_of(name, self.report(name, data))

    def drawn(self):
        return [name for name in FORMATS if name in CALLS]


def sample(name=b'main', **more):
    words = [enter(1, 0), enter(2, 1), leave(2, 2), enter(2, 2), leave(2, 5), leave(1, 6)]
    return trace([{'words': words, 'name': name}], process=name, **more)


def is_quiet(text):
    return not any(unicodedata.category(letter) == 'Cc' for letter in text)


def test_names(bench):
    for odd in [*(name.encode() for name in ODD), *BROKEN]:
        bench.write_map(odd)
        for name in bench.drawn():
            rows = bench.threads(name, sample(odd[:60]))[0]
            names = [row[1] for row in rows]
            check(f'{name}: {odd[:20]}', len(rows) == 3 and names[0] == 'a.Main.run' and
                  names[1].startswith('a.') and names[1].endswith('.load'), rows)
            check(f'{name}: {odd[:20]} is shown', name in ('chrome', 'speedscope') or
                  is_quiet(names[1]), names)
            if odd.isalnum():
                check(f'{name}: a long name', names[1] == f'a.{odd.decode()}.load', names)
        for name in set(FORMATS) & set(TREES):
            rows = TREES[name](bench.report(name, sample(odd[:60])))
            names = [key[1] if name == 'pprof' else key for key in rows]
            check(f'{name}: {odd[:20]}', len(names) == 2 and 'a.Main.run' in names and
                  any(key.startswith('a.') and key.endswith('.load') for key in names) and
                  all(map(is_quiet, names)), names)


def test_script(bench):
    """The viewer has the text in a <script>."""
    bench.map.write_bytes(b'1,1,a.Main run ()V\n2,1,a.Slow </script><script> ()V\n')
    content = bench.report('nanoscope', sample())
    check('no end of a script', b'</' not in content and b'< /script>' in content, content)


def test_threads(bench):
    rings = [{'words': [enter(1, n), leave(1, n + 1)] * (n % 3), 'thread': 100 + n, 'main': n == 0,
              'name': f'thread {n % 5}', 'state': ENDED} for n in range(64)]
    for name in bench.drawn():
        found = [len(rows) for rows in bench.threads(name, trace(rings))]
        wanted = [n % 3 for n in range(64)]
        check(f'{name}: threads', found == ([1] if name == 'nanoscope' else wanted), found)


def test_no_calls(bench):
    for name in bench.drawn():
        found = bench.threads(name, trace([]))
        check(f'{name}: nothing', found == ([[]] if name == 'nanoscope' else []), found)
        found = bench.threads(name, trace([{'words': []}]))
        check(f'{name}: no calls', found == [[]], found)
    for name in set(FORMATS) & set(TREES):
        found = TREES[name](bench.report(name, trace([])))
        check(f'{name}: nothing', not found, found)


def test_open_calls(bench):
    words = [enter(1, 0), enter(2, 1), leave(2, 3), enter(MESSAGE, 4), enter(2, 5)]
    for name in bench.drawn():
        rows = bench.threads(name, trace([{'words': words}], now=9 * MS))[0]
        unit = MS // 1000 if name == 'art' else MS
        check(f'{name}: open calls', [row[0] // unit for row in rows] == [0, 1, 4, 5], rows)


def test_sums(bench):
    rows = readers.folded(bench.report('folded', sample(), '--weight=calls'))
    check('folded: calls', dict(rows) == {'a.Main.run': 1, 'a.Slow.load': 2}, dict(rows))
    rows = readers.callgrind(bench.report('callgrind', sample()))
    check('callgrind: sums', dict(rows) == {'a.Main.run': [1, 0, 2 * MS],
                                            'a.Slow.load': [2, 4 * MS, 4 * MS]}, dict(rows))
    for name in set(FORMATS) & {'pprof'}:
        rows = readers.pprof(bench.report(name, sample()))
        check('pprof: sums', dict(rows) == {('main', 'a.Main.run'): [1, 6 * MS, 2 * MS],
                                            ('main', 'a.Slow.load'): [2, 4 * MS, 4 * MS]}, dict(rows))


def test_deep_calls(bench):
    """Endless recursion: what repeats all callers ends somewhere, and nothing is lost."""
    depth = 3000
    words = [enter(2, n) for n in range(depth)] + [leave(2, depth + n) for n in range(depth)]
    data = trace([{'words': words}])
    for name in bench.drawn():
        check(f'{name}: deep', len(bench.threads(name, data)[0]) == depth)
    rows = readers.callgrind(bench.report('callgrind', data))
    check('callgrind: deep', rows['a.Slow.load'][0] == depth, dict(rows))
    for name in set(FORMATS) & {'pprof', 'folded'}:
        rows = TREES[name](bench.report(name, data))
        own = sum(row[2] for row in rows.values()) if name == 'pprof' else sum(rows.values())
        check(f'{name}: deep', own == (2 * depth - 1) * MS, own)


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
        check(f'{name}: on a terminal', refused == (name in BINARY), done)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
