#!/usr/bin/env python3
"""The report and records subcommands over traces drawn by hand.

usage: test_report.py METHODBEAT GOLDEN_FOLDER MARKED

MARKED is the program of marked.c.

MB_UPDATE_GOLDEN=1 writes the golden texts anew.
"""
import decimal
import fcntl
import json
import os
import pathlib
import pty
import struct
import subprocess
import sys
import termios

from checks import check, run_all
from inputs import contents, make_jar
from profiles import (MAIN, MUTES, NODES, SIZES, THREADS, VIRTUAL, add_profile, add_sections,
                      sections_of)
from profiles import ENDED as ROW_ENDED
from traces import CATCH, ENDED, LIVE, MAP, MESSAGE, MS, OPEN, RING_SIZE, PAGE, enter, fnv, leave, trace

METHODBEAT, GOLDEN, MARKED = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
FORMATS = ['text', 'json', 'matrix', 'folded', 'chrome', 'html']


def squeeze(text):
    return ' '.join(text.split())


def main_ring(**changes):
    """Two messages, 1000 and 10 ms."""
    words = [enter(MESSAGE, 0), enter(1, 0), enter(2, 100), leave(2, 900), leave(1, 1000),
             leave(MESSAGE, 1000), enter(MESSAGE, 1010), leave(MESSAGE, 1020)]
    return {'words': words, **changes}


def pool_ring(**changes):
    """Two calls that follow each other, and one that has no entry."""
    words = [leave(2, 40), enter(3, 50), leave(3, 51), enter(3, 60), enter(3, 61), leave(3, 69),
             leave(3, 70)]
    return {'words': words, 'thread': 80, 'name': 'pool', 'main': 0, 'state': ENDED, **changes}


def lapped_ring(**changes):
    """Positions 4 to 11 of 12, the oldest in slot 4."""
    words = [enter(1, 8), leave(1, 9), enter(2, 10), leave(2, 11), leave(3, 4), leave(3, 5),
             enter(1, 6), leave(1, 7)]
    return {'words': words, 'capacity': 8, 'written': 12, 'thread': 81, 'name': 'lapped',
            'main': 0, **changes}


class Bench:
    """A folder with a method map and one trace at a time."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.map = self.write('methodMapping.txt', MAP.encode())

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run(self, command, data, *options):
        path = self.write('sample.mbtrace', data)
        result = subprocess.run([METHODBEAT, command, *options, path], capture_output=True,
                                text=True)
        return result.returncode, result.stdout, result.stderr

    def report(self, data, *options):
        return self.run('report', data, '--method-map', self.map, *options)

    def records(self, data, *options):
        return self.run('records', data, *options)


def test_text(bench):
    code, text, error = bench.report(trace([main_ring(name='main\x1b[2J')]))
    check('text: exit code', code == 0, error)
    check('the answer comes first', text.startswith(
        '1 of 2 messages took 700 ms or more; the longest 1.00 s. main\\x1b[2J was busy\n'
        '1.01 s of 1.02 s; 79 % of it in a.Slow.load.\n'), text)
    for part in ['1.00 s at 0 ns in main', '800 ms 79.2 800 ms 1 800 ms a.Slow.load',
                 'all that was recorded: 4 calls in 1.02 s']:
        check(f'text lacks {part!r}', squeeze(part) in squeeze(text), text)
    check('an escape sequence gets through', '\x1b' not in text)
    code, text, error = bench.report(trace([{'words': main_ring()['words'][1:5]}]))
    check('no messages', text.startswith('main was busy 1.00 s of 1.00 s; 80 % of it in a.Slow'),
          text)
    check('slow outermost calls', 'Slow outermost calls (700 ms or more)' in text, text)
    code, text, error = bench.report(trace([]))
    check('nothing at all', code == 0 and text.startswith('No call is in this trace.'), text)


def test_json(bench):
    code, text, error = bench.report(trace([main_ring()]), '--format=json', '--threshold=10')
    report = json.loads(text)
    check('json: slow', [s['ns'] for s in report['slow']] == [1000 * MS, 10 * MS], text)
    check('json: key', report['groups'][0]['key'] == '2|', text)
    own = {m['id']: m['selfNs'] // MS for m in report['methods']}
    check('json: own times', own == {MESSAGE: 10, 1: 200, 2: 800}, text)


def test_threads(bench):
    data = trace([main_ring(), pool_ring(), lapped_ring()])
    code, text, error = bench.report(data, '--format=json')
    threads = json.loads(text)['threads']
    check('threads', [(t['id'], t['main'], t['live']) for t in threads] ==
          [(77, True, True), (80, False, False), (81, False, True)], text)
    check('an exit without entry', [t['exitsWithoutEntry'] for t in threads] == [0, 1, 2], text)
    check('overwritten', [t['overwrittenRecords'] for t in threads] == [0, 0, 4], text)
    own = [{m['id']: m['selfNs'] // MS for m in t['methods']} for t in threads]
    check('methods of threads', own == [{MESSAGE: 10, 1: 200, 2: 800}, {3: 11}, {1: 2, 2: 1}],
          text)
    code, text, error = bench.report(data, '--threads')
    for name in ['main (id 77, main)', 'pool (id 80, ended)', 'lapped (id 81)']:
        check(f'no methods of {name}', f'  {name}: ' in text, text)
    for wanted in ['pool', '80']:
        code, text, error = bench.report(data, '--format=json', '--thread', wanted)
        check('one thread', [t['id'] for t in json.loads(text)['threads']] == [80], text)
    code, text, error = bench.report(data, '--thread=nobody')
    check('no such thread', code == 2 and text == '' and
          "sample.mbtrace: no thread is called 'nobody'" in error, error)


def test_catches(bench):
    """What control came back from, and what only foreign code caught."""
    words = [enter(1, 0), enter(2, 1), enter(3, 2), leave(CATCH, 10), leave(1, 10), enter(2, 11),
             enter(3, 12), leave(2, 14), leave(1, 20)]
    data = trace([{'words': words}])
    report = json.loads(bench.report(data, '--format=json')[1])
    totals = {m['id']: (m['calls'], m['totalNs'] // MS) for m in report['methods']}
    check('catches: calls', totals == {1: (1, 20), 2: (2, 12), 3: (2, 10)}, totals)
    check('catches: inferred', [t['inferredExits'] for t in report['threads']] == [1], report)
    text = squeeze(bench.report(data)[1])
    check('catches: said', 'inferred 1 call without exit: left by an exception' in text, text)
    text = bench.records(data, '--method-map', bench.map)[1]
    kinds = [line.split()[2:] for line in text.splitlines() if not line.startswith('#')]
    check('catches: one record', kinds[3] == ['c', '1', 'a.Main.run'] and
          [kind[0] for kind in kinds] == list('iiiciioo'), text)
    rows = [json.loads(line) for line in bench.records(data, '--format=json')[1].splitlines()]
    found = [(row['index'], row['id']) for row in rows if row.get('catch')]
    check('catches: one record for scripts', found == [(4, 1)], rows)
    cut = [leave(CATCH, 1), enter(1, 2), leave(CATCH, 3), leave(CATCH, 4), leave(CATCH, 5)]
    text = bench.records(trace([{'words': cut}]))[1]
    kinds = [line.split()[2:] for line in text.splitlines() if not line.startswith('#')]
    check('catches that were cut off', kinds == [['c'], ['i', '1'], ['c', str(CATCH)], ['c']], text)
    for way, expected in [('chrome', ['a.Main.run', 'a.Slow.load', 'b.Pool.work'] +
                           ['a.Slow.load', 'b.Pool.work']),
                          ('folded', ['main;a.Main.run 8', 'main;a.Main.run;a.Slow.load 2',
                                      'main;a.Main.run;a.Slow.load;b.Pool.work 10'])]:
        text = bench.report(data, '--format', way)[1]
        if way == 'chrome':
            found = [e['name'] for e in json.loads(text)['traceEvents'] if e['ph'] == 'X']
        else:
            found = [line[:-6] for line in text.splitlines()]
        check(f'catches: {way}', found == expected, text)


def test_size(bench):
    make_jar(bench.folder / 'app.jar', ['a/A go', 'b/B go stop', 'b/C -empty'])
    done = subprocess.run([METHODBEAT, 'instrument', '-q', '-o', bench.folder / 'out',
                           bench.folder / 'app.jar'], capture_output=True, text=True)
    check('size: instrumented', done.returncode == 0, done.stderr)
    before, after = (contents(bench.folder / name) for name in ('app.jar', 'out/app.jar'))
    grown = {name: len(after[name]) - len(before[name]) for name in before}
    done = subprocess.run([METHODBEAT, 'report', '--size', bench.folder / 'app.jar',
                           bench.folder / 'out/app.jar'], capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()[2:]]
    check('size: bytes', [(row[0], row[4]) for row in rows] ==
          [(str(sum(grown.values())), 'all'), (str(grown['b/B.class']), 'b'),
           (str(grown['a/A.class']), 'a')], done.stdout + done.stderr)
    for operands in ([], ['one'], ['1', '2', '3']):
        done = subprocess.run([METHODBEAT, 'report', '--size', *operands], capture_output=True,
                              text=True)
        check('size: operands', done.returncode == 2 and '--size needs' in done.stderr, done.stderr)


def test_names(bench):
    mapping = bench.write('mapping.txt', b'com.example.Loader -> a.Slow:\n'
                          b'    1:4:void fetch():10:13 -> load\n')
    data = trace([main_ring()])
    code, text, error = bench.report(data, '--mapping', mapping)
    check('original names', 'com.example.Loader.fetch' in text and 'a.Slow' not in text, text)
    code, text, error = bench.records(data, '--method-map', bench.map, '--mapping', mapping)
    check('records: original names', text.count('com.example.Loader.fetch') == 2, text)
    code, text, error = bench.records(data, '--mapping', mapping)
    check('records: a mapping without a map', code == 2, error)
    code, text, error = bench.report(data, '--mapping', bench.folder / 'none')
    check('no mapping file', code == 1 and 'none' in error and text == '', error)


def test_wrong_map(bench):
    for command in [bench.report, lambda *a: bench.records(*a, '--method-map', bench.map)]:
        code, text, error = command(trace([main_ring()], mapping_hash=5))
        check('wrong map', code == 1 and 'another method map' in error and text == '', error)
        code, text, error = command(trace([main_ring()], mapping_hash=5), '--force')
        check('wrong map, forced', code == 0 and text != '', error)
        code, text, error = command(trace([main_ring()], mapping_hash=fnv(MAP.encode())))
        check('right map', code == 0, error)
    code, text, error = bench.records(trace([main_ring()], mapping_hash=5))
    check('records need no map', code == 0, error)


def test_damage(bench):
    whole = trace([main_ring(), pool_ring()])
    code, text, error = bench.report(whole[:-16])
    check('cut off', code == 0 and '2 records that the file is too short for' in squeeze(text), text)
    code, text, error = bench.records(whole[:-16])
    check('records: cut off', code == 0 and '5 records, 2 that the file is too' in text, text)
    torn = bytearray(whole)
    torn[PAGE + RING_SIZE + 80:PAGE + RING_SIZE + 88] = bytes(8)  # the pool's capacity
    code, text, error = bench.report(bytes(torn))
    check('damaged ring', code == 0 and 'entry 1 of the ring table' in squeeze(text) and
          'a.Slow.load' in text, text)
    code, text, error = bench.records(bytes(torn))
    check('records: damaged ring', code == 0 and '# damaged: entry 1' in text and
          'thread 77 main (main), 8 records' in text, text)
    for size, said in [(100, 'too short'), (PAGE + 10, 'does not fit'), (0, 'too short')]:
        for command in [bench.report, bench.records]:
            code, text, error = command(whole[:size])
            check(f'only {size} bytes', code == 1 and said in error and text == '', error)
    code, text, error = bench.report(b'not a trace' * 100)
    check('no trace', code == 1 and 'not a trace file' in error, error)
    code, text, error = bench.report(trace([lapped_ring()], state=OPEN), '--format=json')
    check('killed: the oldest of a lap may be torn',
          json.loads(text)['threads'][0]['overwrittenRecords'] == 5, text)


def test_folded(bench):
    """A stack has one line, whatever the number of calls and of threads of that name."""
    calls = [word for i in range(500)
             for word in (enter(1, 3 * i), enter(2, 3 * i), leave(2, 3 * i + 1),
                          leave(1, 3 * i + 3))]
    rings = [{'words': calls, 'name': 'b'}, {'words': calls[:400], 'name': 'a', 'thread': 78},
             {'words': calls[:8], 'name': 'a', 'thread': 79}]
    code, text, error = bench.report(trace(rings), '--format=folded')
    check('folded', text == f'a;a.Main.run {102 * 2 * MS}\na;a.Main.run;a.Slow.load {102 * MS}\n'
          f'b;a.Main.run {500 * 2 * MS}\nb;a.Main.run;a.Slow.load {500 * MS}\n', text[:500])


def test_chrome_nests(bench):
    """No call ends after its caller, whatever a unit of the clock is."""
    words, time, depth = [], 0, 0
    for i in range(3000):
        time += i * i % 7
        down = depth == 0 or (depth < 9 and i % 5 < 3)
        depth += 1 if down else -1
        words.append((1 << 63 if down else 0) | (depth if down else depth + 1) << 43 | time)
    for unit, units in [(1, 1), (1000, 2417), (16, 51), (333, 1000)]:
        data = trace([{'words': words, 'state': LIVE}], ns_per_unit=unit, units=units)
        code, text, error = bench.report(data, '--format=chrome')
        ends = []
        for event in json.loads(text, parse_float=decimal.Decimal)['traceEvents']:
            if event['ph'] != 'X':
                continue
            start, end = event['ts'], event['ts'] + event['dur']
            while ends and start >= ends[-1] and end > ends[-1]:
                ends.pop()
            check(f'{units} units in {unit} ns', not ends or end <= ends[-1], event)
            ends.append(end)


def test_extremes(bench):
    """Times, rates and counts that no recorder writes, but that a damaged file may hold."""
    top = (1 << 42) - 1  # the longest call: the rest of the field is for time that goes back
    deep = [1 << 63 | (i % 3 + 1) << 43 for i in range(40)]
    jumps = [half << 63 | 1 << 43 | (0 if half else top) for _ in range(20) for half in (1, 0)]
    rings = [main_ring(words=words, **changes) for words in (deep, jumps)
             for changes in ({}, {'dropped': (1 << 63) - 1, 'thread': (1 << 32) - 1})]
    for rate in [1, (1 << 32) - 1]:
        for now in [0, top, (1 << 63) - 1, (1 << 64) - 1]:
            data = trace(rings, [(0, 1, 5, 'mark')], now=now, ns_per_unit=rate)
            runs = [bench.report(data, '--format', f, '--threshold=0') for f in FORMATS]
            old = bench.write('old.mbtrace', trace([main_ring()], ns_per_unit=rate))
            runs += [bench.report(data, '--mark=mark'), bench.records(data),
                     bench.report(data, '--diff', old),
                     bench.report(data, '--threads', '--stacks', '--calls', '--wide')]
            for index, (code, text, error) in enumerate(runs):
                check(f'rate {rate}, now {now}, run {index}',
                      code == 0 and text != '' and error == '', error[:500])
    code, text, error = bench.report(trace([main_ring(words=[])]), '--format=folded')
    check('nothing to say', (code, text, error) == (0, '', ''), error)


def test_records(bench):
    code, text, error = bench.records(trace([lapped_ring()]), '--format=json',
                                      '--method-map', bench.map)
    rows = [json.loads(line) for line in text.splitlines()]
    check('records: process', rows[0]['process'] == 'sample' and rows[0]['closed'], text)
    check('records: ring', rows[1]['thread'] == 81 and rows[1]['overwrittenRecords'] == 4, text)
    expected = [(4, 4, False, 3), (5, 5, False, 3), (6, 6, True, 1), (7, 7, False, 1),
                (8, 8, True, 1), (9, 9, False, 1), (10, 10, True, 2), (11, 11, False, 2)]
    check('records: in order', [(r['index'], r['ns'] // MS, r['enter'], r['id'])
                                for r in rows[2:]] == expected, text)
    check('records: names', rows[-1]['name'] == 'a.Slow.load', text)
    code, text, error = bench.records(trace([main_ring(), pool_ring()]), '--thread=pool')
    lines = [line for line in text.splitlines() if not line.startswith('#')]
    check('records: one thread', len(lines) == 7, text)
    check('records: a line', lines[1].split() == ['1', '50.000000', 'i', '3'], text)
    code, text, error = bench.records(trace([main_ring()]), '--thread=nobody')
    check('records: no such thread', code == 2 and text == '' and
          "sample.mbtrace: no thread is called 'nobody'" in error, error + text)
    words = [enter(1, 0), 0, leave(1, 1)]
    code, text, error = bench.records(trace([{'words': words, 'state': LIVE}]))
    check('records: an empty word', text.splitlines()[-2].split() == ['1', '-'], text)
    many = [enter(1, i) if i % 2 == 0 else leave(1, i) for i in range(20000)]
    code, text, error = bench.records(trace([{'words': many}]))
    check('records: many', len(text.splitlines()) == 20003, len(text))
    marks = [(0, 1, 2, 'start'), (0, 1, 99, 'beyond'), (0, 2, 0, 'other thread')]
    code, text, error = bench.records(trace([lapped_ring()], marks))
    for line in ['# mark 0 start: ring 0, from record 2 on, lapped',
                 '# mark 1 beyond: ring 0, from record 99 on, lost',
                 '# mark 2 other thread: ring 0, from record 0 on, lost']:
        check(f'records lack {line!r}', line in text, text)


def test_marks(bench):
    marks = [(0, 1, 6, 'second'), (1, 1, 3, 'pool'), (2, 1, 3, 'gone'), (0, 9, 1, 'other'),
             (0, 1, 1, 'twice'), (0, 1, 2, 'twice'), (2, 1, 8, 'wrapped'), (2, 1, 12, 'end'),
             (2, 1, 3, 'renewed'), (2, 1, 10, 'renewed'), (0, 1, 6, '1'), (0, 1, 0, 'first'),
             (0, 1, 6, 'first end'), (1, 1, 3, 'first end'), (0, 9, 5, 'first end'), (1, 1, 3, 'nothing'),
             (1, 1, 3, 'nothing end'), (1, 1, 1, 'pool end')]
    data = trace([main_ring(), pool_ring(), lapped_ring()], marks)

    def calls(wanted):
        code, text, error = bench.report(data, '--format=json', '--mark', wanted)
        check(f'mark {wanted}', code == 0, error)
        report = json.loads(text)
        check(f'mark {wanted}: one thread', len(report['threads']) == 1, text)
        check(f'mark {wanted}: nothing before', report['threads'][0]['overwrittenRecords'] == 0,
              text)
        return [(m['id'], m['calls'], m['totalNs'] // MS) for m in report['methods']]

    check('a mark', calls('second') == [(MESSAGE, 1, 10)])
    check('a mark of another thread', calls('pool') == [(3, 2, 10)])
    check('a mark by number', calls('6') == calls('wrapped'))
    check('behind the wrap', calls('wrapped') == [(1, 1, 1), (2, 1, 1)])
    check('at the end', calls('end') == [])
    check('of two the valid one', calls('renewed') == [(2, 1, 1)])
    check('a name goes before a number', calls('1') == [(MESSAGE, 1, 10)])
    check('up to the mark of its end', sorted(calls('first')) ==
          [(1, 1, 1000), (2, 1, 800), (MESSAGE, 1, 1000)], calls('first'))
    check('up to it at once', calls('nothing') == [])
    code, text, error = bench.report(data, '--mark=first')
    check('a note of both', "from mark 'first' to its end, from record 0 up to 6" in squeeze(text), text)
    code, text, error = bench.report(data, '--mark=second')
    check('a note', "since mark 'second', from record 6 on" in squeeze(text), text)
    for wanted, expected, said in [
            ('gone', 1, "mark 'gone' is invalid: newer records have overwritten"),
            ('2', 1, "mark '2' is invalid: newer"),
            ('other', 1, "mark 'other' is invalid: its ring has been given to another"),
            ('twice', 2, "2 marks are called 'twice'"), ('none', 2, "no mark is called 'none'"),
            ('99', 2, "no mark is called '99'")]:
        code, text, error = bench.report(data, '--mark', wanted)
        check(f'mark {wanted}', code == expected and f'sample.mbtrace: {said}' in error and
              text == '', error + text)
    code, text, error = bench.report(data, '--mark=pool', '--thread=main')
    check('a mark and a thread', code == 2, error)
    code, text, error = bench.report(trace([main_ring()]), '--mark=0')
    check('no marks at all', code == 2 and "no mark is called '0'" in error, error)


def test_recorded_mark(bench):
    """A real recorder's marks: one valid, one lapped, one taken back."""
    path = bench.folder / 'marked.mbtrace'
    subprocess.run([MARKED, path], check=True)
    data = path.read_bytes()
    code, text, error = bench.report(data, '--format=json', '--mark=late')
    check('a recorded mark', code == 0, error)
    methods = {m['id']: m['calls'] for m in json.loads(text)['methods']}
    check('calls since the recorded mark', methods == {2: 5}, text)
    code, text, error = bench.report(data, '--mark=early')
    check('a lapped recorded mark', code == 1 and 'invalid' in error, error)
    code, text, error = bench.report(data, '--mark=gone')
    check('a mark that was taken back', code == 2 and 'no mark' in error, error)


def test_usage(bench):
    data = trace([main_ring()])
    for command in ['report', 'records']:
        code, text, error = bench.run(command, data, '--method-map', bench.map,
                                      '--format=nothing')
        check('no such format', code == 2 and 'nothing' in error, error)
        code, text, error = bench.run(command, data, '--nothing')
        check('no such option', code == 2, error)
        code, text, error = bench.run(command, data, bench.map)
        check('two traces', code == 2, error)
    code, text, error = bench.run('report', data, '--diff-method-map=x')
    check('a map of nothing', code == 2 and '--diff-method-map needs --diff' in error, error)
    code, text, error = bench.run('report', data, '--diff=x', '--format=json')
    check('a difference for scripts', code == 2 and '--diff is for' in error, error)


def test_map_is_found(bench):
    """Beside the trace, or in the folders of --map-path, by the hash that the trace names."""
    far = bench.folder / 'far'
    (far / 'empty').mkdir(parents=True)
    other = MAP.replace('a.Slow', 'a.Other').encode()
    bench.write('methodMapping.txt', MAP.encode())
    data = trace([main_ring()], mapping_hash=fnv(other))

    def report(*options, code=0):
        got, text, error = bench.run('report', data, *options)
        check(f'map found with {options}', got == code, error)
        return squeeze(text + error)

    said = report(code=2)
    check('no such map', 'no method map with the hash' in said and '--map-path' in said, said)
    (far / 'release-7.txt').write_bytes(other)
    (far / 'aaa.txt').write_bytes(MAP.encode())
    os.mkfifo(far / 'fifo.txt')
    said = report('--map-path', f'{far}/empty:{bench.folder}/none::{far}')
    check('in a folder of the list', 'a.Other.load' in said and
          f'names are from {far}/release-7.txt' in said, said)
    bench.write('methodMapping.txt', other)
    check('beside the trace', 'a.Other.load' in report())
    bench.write('methodMapping.txt', MAP.encode())
    bench.write('old.txt', other)
    check('beside it, by another name', 'a.Other.load' in report())
    check('--method-map wins', 'another method map' in report('--method-map', bench.map, code=1))
    check('--method-map wins, forced',
          'a.Slow.load' in report('--method-map', bench.map, '--force'))
    data = trace([main_ring()])
    check('no hash: what is beside it', 'a.Slow.load' in report())
    bench.map.unlink()
    check('no hash and no map', 'no methodMapping.txt is beside it' in report(code=2))


def test_diff(bench):
    """By name: the ids of the old trace are others, and so is its map."""
    old = bench.write('old.mbtrace', trace([{'words': [
        enter(7, 0), enter(1, 10), leave(1, 40), enter(2, 40), leave(2, 100), leave(7, 100)]}]))
    old_map = bench.write('old.txt', b'1,1,a.Gone run ()V\n2,1,a.Slow load ()V\n'
                          b'7,1,a.Main run ()V\n')
    code, text, error = bench.report(trace([main_ring(), pool_ring()]), '--diff', old,
                                     '--diff-method-map', old_map)
    part = squeeze(text[text.index('Changes of own'):text.index('Hot path')])
    check('diff', part == squeeze("""Changes of own time since the old trace
        own was is calls are
        + 740 ms 60.0 ms 800 ms 1 1 slower a.Slow.load
        + 190 ms 10.0 ms 200 ms 1 1 slower a.Main.run
        -30.0 ms 30.0 ms 0 ns 1 - gone a.Gone.run
        +11.0 ms 0 ns 11.0 ms - 3 new b.Pool.work
        +10.0 ms 0 ns 10.0 ms - 2 new a.os.Handler.dispatchMessage"""), text)
    code, text, error = bench.report(trace([main_ring()]), '--diff', bench.folder / 'none')
    check('no old trace', code == 1 and 'none: cannot open' in error and text == '', error)
    data = trace([main_ring()])
    code, text, error = bench.report(data, '--diff', bench.write('same.mbtrace', data))
    check('no difference', '(3 more changed less, or not)' in text, text)


def test_lines_fit(bench):
    """80 columns, or those of a wider terminal; --wide cuts nothing."""
    long = 'com.example.deeply.nested.packages.of.an.application.Handler'
    names = bench.write('long.txt', ''.join(
        f'{i},1,{long}{i} handleEveryKindOfRequest{i}Twice ()V\n' for i in range(1, 60)).encode())
    words = [enter(i, i) for i in range(1, 60)] + [leave(i, 1000 - i) for i in range(59, 0, -1)]
    data = trace([{'words': words, 'name': f'http-nio-exec-{n}', 'thread': n, 'main': 0}
                  for n in range(3)])
    path = bench.write('sample.mbtrace', data)
    command = ['report', '--method-map', names, '--threads', '--stacks', '--calls',
               '--threshold=0']
    code, text, error = bench.run(command[0], data, *command[1:])
    widest = max(map(len, text.splitlines()))
    check('80 columns', code == 0 and 60 < widest <= 80, f'{widest}\n{text}')
    code, text, error = bench.run(command[0], data, *command[1:], '--wide')
    check('names in full', f'{long}59.handleEveryKindOfRequest59Twice' in text and
          '..' not in text, text)
    for columns, expected in [(60, 80), (120, 120), (160, 160)]:
        text = on_a_terminal([METHODBEAT, *command, path], columns).decode()
        widest = max(map(len, text.replace('\r', '').splitlines()))
        check(f'{columns} columns', expected - 30 < widest <= expected, f'{widest}\n{text}')


def on_a_terminal(command, columns=80, **environment):
    """What the command prints on a terminal of its own."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    known = {k: v for k, v in os.environ.items() if k not in ('NO_COLOR', 'TERM', 'COLUMNS')}
    process = subprocess.Popen(command, stdout=theirs, env={**known, **environment})
    os.close(theirs)
    printed = b''
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        printed += part
    os.close(ours)
    check('on a terminal: exit code', process.wait() == 0)
    return printed


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
    check('never', not has_colour('--color=never', TERM='xterm'))
    check('always', has_colour('--color=always', TERM='dumb', NO_COLOR='1'))
    code, text, error = bench.report(trace([main_ring()]))
    check('a pipe', '\x1b' not in text)
    code, text, error = bench.report(trace([main_ring()]), '--color=always')
    check('a pipe, always', '\x1b[' in text)


def test_full_disk(bench):
    path = bench.write('sample.mbtrace', trace([main_ring()]))
    for command in [['report', '--method-map', bench.map], ['records']]:
        with open('/dev/full', 'w', encoding='ascii') as full:
            done = subprocess.run([METHODBEAT, *command, path], stdout=full, text=True,
                                  stderr=subprocess.PIPE)
        check(f'{command[0]}: a full disk', done.returncode == 1 and
              'standard output: ' in done.stderr, done.stderr)


def server_trace():
    """Four threads of a pool that call deeper and deeper, one that waits, and a coarse clock."""
    rings = []
    for n in range(4):
        words = []
        for request in range(5):
            time = request * 200 + n
            words += [enter(1, time), enter(3, time + 5), enter(2, time + 20), leave(2, time + 150),
                      leave(3, time + 160), enter(4, time + 160), leave(4, time + 160),
                      leave(1, time + 165)]
        rings.append({'words': words, 'name': f'http-nio-8089-exec-{n + 1}', 'thread': 90 + n,
                      'main': 0, 'capacity': 64 if n else 40, 'written': 40 if n else 4000})
    return trace([{'words': [enter(1, 0), enter(2, 5), leave(2, 15)]}, *rings], coarse=True,
                 state=OPEN, now=1000 * MS)


PROGRAM = ''.join(f'{line}\n' for line in [
    '1,1,org.example.cli.Main main ([Ljava.lang.String;)V',
    '2,1,org.example.fo.TreeBuilder startElement (I)V',
    '3,1,org.example.fo.properties.PropertyList get (I)V',
    '4,1,org.example.layout.BreakingAlgorithm findBreakingPoints (I)V',
    '5,1,org.example.util.Hash of (I)V', '6,1,org.example.jobs.Jobs await ()V',
    '7,1,org.example.jobs.Worker run ()V', '8,1,org.example.web.Server handle (I)V',
    '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V'])


def lapped_main(**changes):
    """The last 10 ms of 17.7 s, of which a profile has all; two methods were muted."""
    tail = [word for i in range(20) for word in (enter(3, 17690 + i / 2), leave(3, 17690.3 + i / 2))]
    ring = {'words': tail, 'written': 1570000000, 'capacity': 40}
    main = {'name': 'main', 'flags': MAIN, 'id': 77, 'ring': 0, 'position': 1570000000, 'first': 3,
            'last': 17700, 'words': 1570000000, 'cpu': 17600, **changes, 'tree': [
                {'id': 1, 'calls': 0, 'ms': 0, 'since': 3, 'inner': [
                    {'id': 2, 'calls': 60000, 'ms': 11000, 'inner': [
                        {'id': 3, 'calls': 7850000, 'ms': 4000}]},
                    {'id': 4, 'calls': 300, 'ms': 4000, 'inner': [
                        {'id': 3, 'calls': 1000, 'ms': 100}]}]}]}
    return ring, main


def throttled_trace():
    ring, main = lapped_main(words=4000000)
    return add_profile(trace([ring], now=17700 * MS), [main],
                       [(3, 100000, 0.4, 21), (5, 120000, 0.9, 22.5)])


def waiting_trace():
    """Main waits for four workers, one of which was faster than the profile; and requests."""
    main = {'name': 'main', 'flags': MAIN, 'id': 77, 'first': 3, 'last': 8600, 'words': 2000,
            'cpu': 500, 'tree': [{'id': 1, 'calls': 0, 'since': 3, 'inner': [
                {'id': 6, 'calls': 1, 'ms': 8100}, {'id': 3, 'calls': 20, 'ms': 90}]}]}
    workers = [{'name': f'pool-1-thread-{n + 1}', 'id': 90 + n, 'first': 100, 'last': 8500,
                'words': 300000, 'cpu': 3900 + n, 'lost': 12000 if n == 1 else 0,
                'flags': ROW_ENDED, 'tree': [{'id': 7, 'calls': 90, 'ms': 4300, 'inner': [
                    {'id': 5, 'calls': 100000, 'ms': 3900 - n * 100}]}]} for n in range(4)]
    requests = {'name': 'requests', 'flags': VIRTUAL, 'id': 0, 'count': 10000, 'first': 200,
                'last': 8400, 'words': 90000, 'tree': [{'id': 8, 'calls': 10000, 'ms': 90000,
                                                        'inner': [{'id': 3, 'calls': 10000,
                                                                   'ms': 500}]}]}
    return add_profile(trace([], now=8600 * MS), [main, *workers, requests], lost={NODES: 17})


def messages_trace():
    """50,000 messages, of which the ring has two; calls shorter than a microsecond are dropped."""
    main = {'name': 'main', 'flags': MAIN, 'id': 77, 'ring': 0, 'position': 8, 'first': 0,
            'last': 90000, 'words': 200000, 'tree': [
                {'id': MESSAGE, 'calls': 50000, 'ms': 60000, 'longest': 5830, 'inner': [
                    {'id': 1, 'calls': 50000, 'ms': 50000, 'below': 7000, 'longest': 5800,
                     'inner': [{'id': 2, 'calls': 40000, 'ms': 31000}]}]}]}
    return add_profile(trace([main_ring(written=8, dropped=9000000)], min_ns=1000), [main])


def test_profile(bench):
    """Trees, calls and totals are of the whole run, slow calls and records of the ring."""
    bench.map.write_text(PROGRAM)
    ring, main = lapped_main()
    whole = add_profile(trace([ring], now=17700 * MS), [main])
    code, text, error = bench.report(whole, '--format=json')
    report = json.loads(text)
    calls = {m['id']: (m['calls'], m['totalNs'] // MS, m['selfNs'] // MS)
             for m in report['methods']}
    check('totals of the whole run', calls == {1: (1, 17697, 2697), 2: (60000, 11000, 7000),
                                               3: (7851000, 4100, 4100), 4: (300, 4000, 3900)},
          text)
    check('one thread', [(t['name'], t['calls'], t['records'], t['startNs'] // MS,
                          t['waitedNs'] // MS) for t in report['threads']] ==
          [('main', 7911301, 1570000000, 3, 97)], text)
    code, text, error = bench.report(whole, '--format=chrome')
    check('records of the ring', text.count('"ph":"X"') == 20, text)
    code, text, error = bench.report(whole, '--format=folded')
    check('stacks of the whole run',
          'main;org.example.cli.Main.main;org.example.fo.TreeBuilder.startElement 7000000000\n'
          in text, text)
    code, text, error = bench.report(whole, '--mark=0')
    check('no such mark', code == 2, error)
    marked = add_profile(trace([ring], [(0, 1, 1569999980, 'here')], now=17700 * MS), [main])
    code, text, error = bench.report(marked, '--format=json', '--mark=here')
    check('a mark is of the ring', [m['calls'] for m in json.loads(text)['methods']] == [10], text)
    code, text, error = bench.report(whole, '--thread=nobody')
    check('no such thread', code == 2, error)


def test_rows_and_rings(bench):
    """A row has the ring that it names, while that is its own; rings without a row stay."""
    rings = [main_ring(), pool_ring(), pool_ring(name='late', thread=81),
             pool_ring(name='shared', thread=82), lapped_ring()]
    rows = [{'name': 'other', 'id': 99, 'ring': 1, 'claim': 7, 'tree': [{'id': 4, 'ms': 1}]},
            {'name': 'shared', 'id': 83, 'count': 2, 'tree': [{'id': 3, 'ms': 4}]},
            {'name': 'far', 'id': 84, 'ring': 4000, 'tree': [{'id': 3, 'ms': 5}]},
            {'name': 'main', 'id': 77, 'flags': MAIN, 'ring': 0, 'tree': [{'id': 1, 'ms': 7}]}]
    data = add_profile(trace(rings), rows)
    code, text, error = bench.report(data, '--format=json', '--threshold=10')
    report = json.loads(text)
    check('rows and rings', [(t['name'], t['inCallsNs'] // MS) for t in report['threads']] ==
          [('main', 7), ('other', 1), ('shared', 4), ('far', 5), ('pool', 11), ('late', 11),
           ('lapped', 3)], text)
    slow = sorted((s['ns'] // MS, s['thread']) for s in report['slow'])
    check('slow calls of all rings', slow == [(10, 77), (10, 80), (10, 81), (10, 82), (1000, 77)],
          slow)
    code, text, error = bench.report(data, '--format=chrome')
    check('a ring once', text.count('"thread_name"') == 5 and text.count('"tid":82') == 4, text)
    code, text, error = bench.report(data, '--format=json', '--thread=83')
    check('a row by its id', len(json.loads(text)['threads']) == 1, text)


def test_damaged_profile(bench):
    """Bounded, checked and said."""
    ring, main = lapped_main()
    data = trace([ring], now=17700 * MS)
    sections = sections_of([main], [(3, 5, 1, 1)])
    whole = add_sections(data, sections)

    def report(damaged, said=None, code=0):
        got, text, error = bench.report(damaged, '--threads', '--muted')
        check(f'{said}: exit code', got == code, error)
        check(f'{said}: said', said is None or said in squeeze(text + error), text + error)

    report(whole, 'the profile covers all of it')
    report(add_sections(data, sections, record_size=24), 'a section of the trace makes no sense')
    report(add_sections(data, sections, offset=12), 'a section of the trace makes no sense')
    report(add_sections(data, sections, offset=1 << 63), 'a section of the trace makes no sense')
    report(add_sections(data, sections, written=(1 << 64) - 1, capacity=(1 << 64) - 1),
           'records of the profile are cut off or make no sense')
    report(add_sections(data, {**sections, NODES: sections[NODES][1:]}),
           'records of the profile are cut off or make no sense')
    report(add_sections(data, {**sections, THREADS: []}), 'holds the last 9.80 ms')
    report(add_sections(data, {THREADS: sections[THREADS]}), 'No call is in this trace.')
    report(add_sections(data, {**sections, MUTES: [b'\xff' * SIZES[MUTES]]}),
           'cut off or make no sense')
    for kind in sections:
        report(add_sections(data, {**sections, kind: [b'\xff' * SIZES[kind]] * 3}))
    lost = add_sections(data, sections, lost={THREADS: 5, MUTES: 2})
    report(lost, 'the profile had no room for 5 threads')
    for size in [400, 511, len(data) + 100, len(whole) - PAGE, len(whole) - PAGE * 2 + 100]:
        code, text, error = bench.report(whole[:size])
        check(f'{size} bytes', code in (0, 1) and (text if code == 0 else error), error)


def test_diff_of_profiles(bench):
    """Between versions of the file, and between profiles, it is what was recorded that counts."""
    bench.map.write_text(PROGRAM)
    ring, main = lapped_main()
    old = bench.write('old.mbtrace', trace([{'words': [
        enter(1, 0), enter(4, 10), leave(4, 40), leave(1, 100)]}]))
    new = add_profile(trace([ring], now=17700 * MS), [main])
    code, text, error = bench.report(new, '--diff', old)
    check('an old version', '+ 3.87 s 30.0 ms 3.90 s 1 300 slower' in squeeze(text), error + text)
    old.write_bytes(new)
    main['tree'][0]['inner'][1]['ms'] = 3000
    newer = add_profile(trace([ring], now=17700 * MS), [main])
    code, text, error = bench.report(newer, '--diff', old)
    check('two profiles', '- 1.00 s 3.90 s 2.90 s 300 300 faster' in squeeze(text), error + text)


def test_golden(bench):
    data = trace([main_ring(), pool_ring(dropped=3), lapped_ring()],
                 [(0, 1, 6, 'second'), (2, 1, 1, 'gone')], min_ns=1000, state=OPEN)
    texts = {f: bench.report(data, '--format', f, '--threshold=10')
             for f in FORMATS if f != 'html'}
    texts['records'] = bench.records(data, '--method-map', bench.map)
    texts['text-details'] = bench.report(data, '--threshold=10', '--threads', '--stacks', '--calls')
    texts['text-diff'] = bench.report(data, '--diff', bench.write('old.mbtrace', trace(
        [main_ring(words=main_ring()['words'][:6])])))
    texts['text-server'] = bench.report(server_trace())
    texts['text-colour'] = bench.report(trace([main_ring()]), '--color=always')
    bench.map.write_text(PROGRAM)
    texts['profile-throttled'] = bench.report(throttled_trace(), '--muted')
    texts['profile-waiting'] = bench.report(waiting_trace(), '--threads')
    texts['profile-wide'] = bench.report(waiting_trace(), '--wide')
    texts['profile-messages'] = bench.report(messages_trace())
    texts['profile-json'] = bench.report(throttled_trace(), '--format=json')
    for name, (code, text, error) in texts.items():
        path = GOLDEN / f'{name}.txt'
        text = text.replace(str(bench.folder), 'FOLDER')
        if os.environ.get('MB_UPDATE_GOLDEN') == '1':
            path.write_text(text)
        check(f'golden {name}', code == 0 and path.exists() and path.read_text() == text,
              error + text)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
