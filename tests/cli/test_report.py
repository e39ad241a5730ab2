#!/usr/bin/env python3
"""The report and records subcommands over traces drawn by hand.

usage: test_report.py METHODBEAT GOLDEN_FOLDER MARKED

MARKED is the program of marked.c.

MB_UPDATE_GOLDEN=1 writes the golden texts anew.
"""
import json
import os
import pathlib
import subprocess
import sys

from checks import check, run_all
from traces import ENDED, LIVE, MAP, MESSAGE, MS, OPEN, RING_SIZE, PAGE, enter, fnv, leave, trace

METHODBEAT, GOLDEN, MARKED = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
FORMATS = ['text', 'json', 'matrix', 'folded', 'chrome']


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
    for part in ['1 of 2 messages (where a thread has none, outermost calls) took at least 700.000',
                 '1000.000 ms at 0.000 ms in main', 'key a.Slow.load',
                 '800.000 800.000 1 a.Slow.load']:
        check(f'text lacks {part!r}', squeeze(part) in squeeze(text), text)
    check('an escape sequence gets through', '\x1b' not in text)
    code, text, error = bench.report(trace([{'words': main_ring()['words'][1:5]}]))
    check('no messages', 'outermost calls stand in' in text, text)


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
    code, text, error = bench.report(data)
    for name in ['main (id 77)', 'pool (id 80)', 'lapped (id 81)']:
        check(f'no methods of {name}', f'Methods of thread {name}\n' in text, text)
    for wanted in ['pool', '80']:
        code, text, error = bench.report(data, '--format=json', '--thread', wanted)
        check('one thread', [t['id'] for t in json.loads(text)['threads']] == [80], text)
    code, text, error = bench.report(data, '--thread=nobody')
    check('no such thread', code == 2 and text == '' and
          "sample.mbtrace: no thread is called 'nobody'" in error, error)


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
    check('cut off', code == 0 and '2 records that the file is too short for' in text, text)
    code, text, error = bench.records(whole[:-16])
    check('records: cut off', code == 0 and '5 records, 2 that the file is too' in text, text)
    torn = bytearray(whole)
    torn[PAGE + RING_SIZE + 80:PAGE + RING_SIZE + 88] = bytes(8)  # the pool's capacity
    code, text, error = bench.report(bytes(torn))
    check('damaged ring', code == 0 and 'entry 1 of the ring table' in text and
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
            runs += [bench.report(data, '--mark=mark'), bench.records(data)]
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
             (2, 1, 3, 'renewed'), (2, 1, 10, 'renewed'), (0, 1, 6, '1')]
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
    code, text, error = bench.report(data, '--mark=second')
    check('a note', "since mark 'second', from record 6 on" in text, text)
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
    code, text, error = bench.run('report', data)
    check('a report needs a map', code == 2 and '--method-map' in error, error)


def test_full_disk(bench):
    path = bench.write('sample.mbtrace', trace([main_ring()]))
    for command in [['report', '--method-map', bench.map], ['records']]:
        with open('/dev/full', 'w', encoding='ascii') as full:
            done = subprocess.run([METHODBEAT, *command, path], stdout=full, text=True,
                                  stderr=subprocess.PIPE)
        check(f'{command[0]}: a full disk', done.returncode == 1 and
              'standard output: ' in done.stderr, done.stderr)


def test_golden(bench):
    data = trace([main_ring(), pool_ring(dropped=3), lapped_ring()],
                 [(0, 1, 6, 'second'), (2, 1, 1, 'gone')], min_ns=1000, state=OPEN)
    texts = {f: bench.report(data, '--format', f, '--threshold=10') for f in FORMATS}
    texts['records'] = bench.records(data, '--method-map', bench.map)
    for name, (code, text, error) in texts.items():
        path = GOLDEN / f'{name}.txt'
        if os.environ.get('MB_UPDATE_GOLDEN') == '1':
            path.write_text(text)
        check(f'golden {name}', code == 0 and path.exists() and path.read_text() == text,
              error + text)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
