#!/usr/bin/env python3
"""Every format over traces drawn by hand, read back: odd names, many threads, no calls, open calls.

usage: test_formats.py METHODBEAT
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'formats'))
import readers  # noqa: E402
from checks import check, run_all  # noqa: E402
from profiles import requests_trace  # noqa: E402
from traces import ENDED, LIVE, MESSAGE, MS, enter, leave, trace, word  # noqa: E402

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
        options = [*options, *(['--show=names'] if name == 'folded' else [])]
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


def test_first_thread(bench):
    """What Speedscope shows first worked most, if there are no messages."""
    def first(*rings):
        return json.loads(bench.report('speedscope', trace(list(rings))))['activeProfileIndex']

    rings = [{'words': [enter(1, 0), leave(1, ms)], 'thread': 77 + n, 'main': n == 0, 'name': f't{n}', 'state': ENDED}
             for n, ms in enumerate((3, 1, 9, 4))]
    check('speedscope: the busiest', first(*rings) == 2, first(*rings))
    check('speedscope: not an empty one', first({'words': []}, rings[1]) == 1, first({'words': []}, rings[1]))
    rings[0]['words'] = [enter(MESSAGE, 0), leave(MESSAGE, 3)]
    check('speedscope: that of messages', first(*rings) == 0, first(*rings))


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
    """Endless recursion: what repeats all callers ends somewhere, and nothing is lost, but for Perfetto's importer, which
    lets ends of calls beyond its 512 levels close their callers: these are left out."""
    depth = 3000
    words = [enter(2, n) for n in range(depth)] + [leave(2, depth + n) for n in range(depth)]
    data = trace([{'words': words}])
    for name in bench.drawn():
        check(f'{name}: deep', len(bench.threads(name, data)[0]) == (512 if name == 'perfetto' else depth))
    rows = readers.callgrind(bench.report('callgrind', data))
    check('callgrind: deep', rows['a.Slow.load'][0] == depth, dict(rows))
    for name in set(FORMATS) & {'pprof', 'folded'}:
        rows = TREES[name](bench.report(name, data))
        own = sum(row[2] for row in rows.values()) if name == 'pprof' else sum(rows.values())
        check(f'{name}: deep', own == (2 * depth - 1) * MS, own)


def test_slow_requests(bench):
    """Half of 200 requests are slow: what these did has the label, and is not counted twice."""
    for name in set(FORMATS) & {'pprof'}:
        slow, data = readers.pprof(bench.report(name, requests_trace(100)), 'slow'), bench.report(name, requests_trace(100))
        for method, calls, own, slow_own in (('#6', 200, 100 * MS, 100 * MS), ('#8', 200, 500 * MS, 400 * MS)):
            row, part = readers.pprof(data)['http-1', method], slow['http-1', method]
            check(f'pprof: slow {method}', [*row[::2], *part[::2]] == [calls, own, 100, slow_own], (row, part))
        check('pprof: slow, most', sum(row[2] for row in readers.pprof(bench.report(name, requests_trace(100), '--top=2'), 'slow')
                                       .values()) == 500 * MS)


START = 7000 * 1000 * MS  # of the trace, on the clock that monitors tell


def issue(detail, begin_ms, length_ms, **more):
    """As the monitors write it."""
    own = {'detail': detail, 'loop': 'main', 'begin_ns': START + begin_ms * MS, 'cost_ns': length_ms * MS,
           'watched_ns': length_ms * MS, 'incident': f'5f-{begin_ms}',
           'hottest': {'frames': ['a.In.inner', 'a.Out.outer'], 'samples': 1, 'repeats': [1, 1]}}
    return json.dumps({'tag': 'Trace_FPS' if detail == 'FPS' else 'Trace_EvilMethod', 'scene': 's.Main',
                       'detail': detail, 'stackKey': '2|', **more, 'methodbeat': own})


def write_spool(bench):
    spool = bench.folder / 'spool'
    spool.mkdir()
    rows = [issue('LAG', 2, 3), issue('ANR', 60000, 1), issue('FPS', 1, 2, fps=59.94),
            issue('FPS', 3, 2, fps=30.0)]
    for number, text in enumerate(rows):
        (spool / f'{number}.json').write_text(text)
    return spool


def test_issues(bench):
    """What monitors told stands at its time; what is of another time does not."""
    spool = write_spool(bench)
    events = json.loads(bench.report('chrome', sample(monotonic=START), '--issues', spool),
                        parse_float=readers.exact_us)['traceEvents']
    check('chrome: one issue', [(e['name'], e['ts'], e['s'], e['tid'], e['args']['stack'].split())
                                for e in events if e['ph'] == 'i'] ==
          [('LAG', 2 * MS, 't', 77, ['a.In.inner', 'a.Out.outer'])], events)
    rates = [(1 * MS, 59940), (3 * MS, 30000), (5 * MS, 0)]
    check('chrome: rates', [(e['ts'], e['args']['fps']) for e in events if e['ph'] == 'C'] == rates, events)
    if 'perfetto' in FORMATS:
        _, extras = readers.perfetto(bench.report('perfetto', sample(monotonic=START), '--issues', spool))
        (time, name, notes, flows), = extras['issues']
        check('perfetto: one issue', (time, name) == (2 * MS, 'LAG') and len(flows) == 1 and
              notes == {'cause': 'a.Slow.load', 'thread': 'main', 'scene': 's.Main', 'duration_ns': 3 * MS,
                        'stack': ['a.In.inner', 'a.Out.outer']}, extras)
        check('perfetto: rates', [(time, round(value * 1000)) for time, value in extras['FPS']] == rates,
              extras)
        check('perfetto: frames', [row[:2] for row in extras['frames']] ==
              [(1 * MS, 2 * MS), (3 * MS, 2 * MS)], extras)
    done = subprocess.run([METHODBEAT, 'report', '--format=folded', '--issues', spool, bench.trace],
                          capture_output=True, text=True, check=False)
    check('not for every format', done.returncode == 2 and 'does not apply to --format folded' in done.stderr, done)


def test_folder(bench):
    """Of Nanoscope's files each thread with calls has one, whatever its name."""
    names = [b'main', b'idle', b'../up\x1b[31m', 'd\u00e9j\u00e0'.encode()]
    rings = [{'words': [] if name == b'idle' else [enter(1, n), leave(1, n + 1)], 'thread': 77 + n,
              'main': n == 0, 'name': name} for n, name in enumerate(names)]
    folder = bench.folder / 'threads'
    folder.mkdir()
    bench.report('nanoscope', trace(rings), '--output', folder)
    files = sorted(path.name for path in folder.iterdir())
    check('nanoscope: files', files == ['1-main.nanoscope.txt', '2-..-up--31m.nanoscope.txt',
                                        '3-d--j--.nanoscope.txt'], files)
    for path in folder.iterdir():
        rows = readers.nanoscope(path.read_bytes())
        check('nanoscope: calls', rows == [(0, MS, 0, 'a.Main.run')], rows)
    done = subprocess.run([METHODBEAT, 'report', '--format=chrome', '--output', folder, bench.trace],
                          capture_output=True, text=True, check=False)
    check('one file is no folder', done.returncode == 2 and 'is a folder' in done.stderr, done)


def random_words(chance):
    """Entries and exits that need not fit, times that fall, and words that are none."""
    for _ in range(chance.randrange(300)):
        if chance.random() < 0.03:
            yield chance.getrandbits(64)
        else:
            yield word(chance.random() < 0.5, chance.randint(1, 4), chance.random() * 50)


def test_random(bench):
    """Whatever a trace holds, each format is whole, and all have the same calls."""
    for seed in range(12):
        chance = random.Random(seed)
        rings = [{'words': list(random_words(chance)), 'thread': 77 + n, 'main': n == 0,
                  'state': chance.choice((LIVE, ENDED))} for n in range(chance.randint(1, 3))]
        data = trace(rings, now=chance.randrange(100) * MS)
        counts = {name: [len(rows) for rows in bench.threads(name, data)] for name in bench.drawn()}
        wanted = counts['chrome']
        counts['nanoscope'] = counts['nanoscope'] == [next(filter(None, wanted), 0)] and wanted
        check(f'random {seed}', all(found == wanted for found in counts.values()), counts)
        for name in set(FORMATS) & set(TREES):
            TREES[name](bench.report(name, data))


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
        refused = 'cannot go to a terminal' in done.stdout
        check(f'{name}: on a terminal', refused == (name in BINARY), done)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
