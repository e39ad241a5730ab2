#!/usr/bin/env python3
"""report and records over what is damaged, extreme or of another program, and over a full disk.

usage: test_report_damage.py METHODBEAT
"""
import json
import struct
import subprocess
import sys

from checks import check, run_all
from profiles import MUTES, NODES, SIZES, THREADS, add_sections, lapped_main, sections_of
from reports import FORMATS, METHODBEAT, Bench, lapped_ring, main_ring, pool_ring, squeeze
from traces import MAP, MS, OPEN, PAGE, RING_SIZE, fnv, trace


def test_wrong_map(bench):
    for command in [bench.report, lambda *a: bench.records(*a, '--method-map', bench.map)]:
        code, text, error = command(trace([main_ring()], mapping_hash=5))
        check('wrong map', code == 1 and 'another method map' in error and text == '', error)
        code, text, error = command(trace([main_ring()], mapping_hash=fnv(MAP.encode())))
        check('right map', code == 0, error)
    code, text, error = bench.report(trace([main_ring()], mapping_hash=5), '--force')
    check('wrong map, forced', code == 0 and text != '', error)
    code, text, error = bench.records(trace([main_ring()], mapping_hash=5))
    check('records need no map', code == 0, error)


def test_damage(bench):
    whole = trace([main_ring(), pool_ring()])
    code, text, error = bench.report(whole[:-16])
    check('cut off', code == 0 and '2 records missing at the end of the file' in squeeze(text), text)
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


def test_extremes(bench):
    """Times, rates and counts that no recorder writes, but that a damaged file may hold."""
    top = (1 << 42) - 1  # the longest call: the rest of the field is for time that goes back
    deep = [1 << 63 | (i % 3 + 1) << 43 for i in range(40)]
    jumps = [half << 63 | 1 << 43 | (0 if half else top) for _ in range(20) for half in (1, 0)]
    rings = [main_ring(words=words, **changes) for words in (deep, jumps)
             for changes in ({}, {'thread': (1 << 32) - 1})]
    for rate in [1, (1 << 32) - 1]:
        for now in [0, top, (1 << 63) - 1, (1 << 64) - 1]:
            data = trace(rings, [(0, 1, 5, 'mark')], now=now, ns_per_unit=rate)
            runs = [bench.report(data, '--format', f, '--threshold=0') for f in FORMATS]
            old = bench.write('old.mbtrace', trace([main_ring()], ns_per_unit=rate))
            runs += [bench.report(data, '--mark=mark'), bench.records(data),
                     bench.report(data, '--diff', old),
                     bench.report(data, '--show=threads,stacks', '--weight=calls', '--show=names')]
            for index, (code, text, error) in enumerate(runs):
                check(f'rate {rate}, now {now}, run {index}',
                      code == 0 and text != '' and error == '', error[:500])
    code, text, error = bench.report(trace([main_ring(words=[])]), '--format=folded')
    check('nothing to say', (code, text, error) == (0, '', ''), error)


def test_full_disk(bench):
    path = bench.write('sample.mbtrace', trace([main_ring()]))
    for command in [['report', '--method-map', bench.map], ['report', '--format', 'records']]:
        with open('/dev/full', 'w', encoding='ascii') as full:
            done = subprocess.run([METHODBEAT, *command, path], stdout=full, text=True,
                                  stderr=subprocess.PIPE)
        check(f'{command[0]}: a full disk', done.returncode == 1 and
              'standard output: ' in done.stderr, done.stderr)


def test_damaged_profile(bench):
    """Bounded, checked and said."""
    ring, main = lapped_main()
    data = trace([ring], now=17700 * MS)
    sections = sections_of([main], [(3, 5, 1, 1)])
    whole = add_sections(data, sections)

    def report(damaged, said=None, code=0):
        got, text, error = bench.report(damaged, '--show=threads')
        check(f'{said}: exit code', got == code, error)
        check(f'{said}: said', said is None or said in squeeze(text + error), text + error)

    report(whole, 'everything: 7.91 M calls')
    report(add_sections(data, sections, record_size=24), 'a damaged section of the trace')
    report(add_sections(data, sections, offset=12), 'a damaged section of the trace')
    report(add_sections(data, sections, offset=1 << 63), 'a damaged section of the trace')
    report(add_sections(data, sections, written=(1 << 64) - 1, capacity=(1 << 64) - 1),
           'of the profile cut off or damaged')
    report(add_sections(data, {**sections, NODES: sections[NODES][1:]}),
           'of the profile cut off or damaged')
    report(add_sections(data, {**sections, THREADS: []}), 'has only the last 9.80 ms')
    report(add_sections(data, {THREADS: sections[THREADS]}), 'This trace has no calls.')
    report(add_sections(data, {**sections, MUTES: [b'\xff' * SIZES[MUTES]]}),
           'cut off or damaged')
    for kind in sections:
        report(add_sections(data, {**sections, kind: [b'\xff' * SIZES[kind]] * 3}))
    lost = add_sections(data, sections, lost={THREADS: 5, MUTES: 2})
    report(lost, 'the profile had no room for 5 threads')
    short = bytearray(add_sections(trace([{**ring, 'drained': 1}], now=17700 * MS), sections))
    struct.pack_into('<Q', short, PAGE + 72, len(short) - 16)  # of a ring that no thread has any more: two words are there
    report(bytes(short), 'records missing at the end of the file')
    for size in [400, 511, len(data) + 100, len(whole) - PAGE, len(whole) - PAGE * 2 + 100]:
        code, text, error = bench.report(whole[:size])
        check(f'{size} bytes', code in (0, 1) and (text if code == 0 else error), error)


def test_rows_of_other_recorders(bench):
    """Longer rows, of later recorders, say the same; shorter ones are refused, as another version is."""
    ring, main = lapped_main()
    data = trace([ring], now=17700 * MS)
    sections = sections_of([main], [(3, 5, 1, 1)])
    later = {kind: [row + b'\xff' * 24 for row in rows] for kind, rows in sections.items()}
    for option in ['--show=threads', '--show=muted']:
        _, wanted, _ = bench.report(add_sections(data, sections), option)
        code, text, error = bench.report(add_sections(data, later), option)
        check(f'later rows, {option}', (code, text, error) == (0, wanted, ''), text + error)
    shorter = {**sections, NODES: [row[:-8] for row in sections[NODES]]}
    _, text, _ = bench.report(add_sections(data, shorter))
    check('rows that are too short', 'a damaged section of the trace' in squeeze(text), text)
    code, text, error = bench.report(data[:12] + b'\2' + data[13:])
    said = 'written by an older methodbeat (version 2); this one reads version 3'
    check('an older version', code == 1 and text == '' and said in error, error)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
