#!/usr/bin/env python3
"""The records subcommand, and the marks that report begins and ends at.

usage: test_records.py METHODBEAT MARKED

MARKED is the program of marked.c.
"""
import json
import subprocess
import sys

from checks import check, run_all
from reports import Bench, lapped_ring, main_ring, pool_ring, squeeze
from traces import LIVE, MESSAGE, MS, enter, leave, trace

MARKED = sys.argv[2]


def test_records(bench):
    code, text, error = bench.records(trace([lapped_ring()]), '--method-map', bench.map,
                                      form='json')
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
    check('a note of both', "from mark 'first' to its end, records 0 to 6" in squeeze(text), text)
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


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
