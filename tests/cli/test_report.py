#!/usr/bin/env python3
"""The report subcommand over traces drawn by hand: what it tells.

usage: test_report.py METHODBEAT
"""
import decimal
import json
import os
import subprocess
import sys

from checks import check, run_all
from pages import Page
from reports import METHODBEAT, Bench, lapped_ring, main_ring, pool_ring, squeeze
from traces import CATCH, LIVE, MAP, MESSAGE, MS, enter, fnv, leave, trace


def test_text(bench):
    code, text, error = bench.report(trace([main_ring(name='main\x1b[2J')]))
    check('text: exit code', code == 0, error)
    check('the answer comes first', text.startswith(
        '1 of 2 messages took 700 ms or more, the longest 1.00 s. main\\x1b[2J was in\n'
        'recorded methods for 1.01 s of 1.02 s. 79 % of this time was spent in\na.Slow.load.\n'), text)
    for part in ['1.00 s at 0 ns in main', '800 ms 79.2 800 ms 1 800 ms a.Slow.load',
                 'everything: 4 calls in 1.02 s']:
        check(f'text lacks {part!r}', squeeze(part) in squeeze(text), text)
    check('an escape sequence gets through', '\x1b' not in text)
    code, text, error = bench.report(trace([{'words': main_ring()['words'][1:5]}]))
    check('no messages', squeeze(text).startswith('main was in recorded methods for 1.00 s of 1.00 s. 80 % of this time was'),
          text)
    check('slow outermost calls', 'Slow outermost calls (700 ms or more)' in text, text)
    code, text, error = bench.report(trace([]))
    check('nothing at all', code == 0 and text.startswith('This trace has no calls.'), text)


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
    code, text, error = bench.report(data, '--show=threads')
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
    check('catches: said', 'inferred 1 call left by an exception' in text, text)
    check('catches: the method is named', 'by up to n %, most in b.Pool.work (2.00 ms)' in text,
          text)
    check('catches: the row is marked', '10.0 ms 2 5.00 ms b.Pool.work ?20%' in text, text)
    inferred = {m['id']: m['inferredNs'] // MS for m in report['methods'] if 'inferredNs' in m}
    check('catches: time that rests on it', inferred == {3: 2}, inferred)
    events = json.loads(bench.report(data, '--format=chrome')[1])['traceEvents']
    found = [event['name'] for event in events if event.get('args', {}).get('inferredEnd')]
    check('catches: the call is marked', found == ['b.Pool.work'], found)


def test_doubtful_answer(bench):
    """An answer that rests on an inferred end says so in the same sentence."""
    words = [enter(1, 0), enter(2, 0), enter(3, 1), leave(3, 30), leave(1, 100)]
    text = squeeze(bench.report(trace([{'words': words}]))[1])
    check('a doubtful answer', '100 % of this time was spent in a.Slow.load, of which up to 100 % rests on inferred '
          'ends.' in text, text)
    check('a doubtful path', 'a.Slow.load ?100%' in text, text)
    sure = [enter(1, 0), enter(2, 0), leave(2, 100), leave(1, 100)]
    text = squeeze(bench.report(trace([{'words': sure}]))[1])
    check('a sure answer', 'inferred' not in text and '?' not in text, text)


def test_rows(bench):
    """As many rows as --top says, and how many more there are."""
    data = trace([main_ring()])
    for top in 1, 2:
        text = bench.report(data, f'--top={top}')[1]
        table = text[text.index('What costs most'):].split('\n\n')[0]
        names = [name for name in ('a.Main.run', 'a.Slow.load', 'b.Pool.work') if f'  {name}\n' in table]
        check(f'--top={top}', len(names) == top and 'more: --top)' in table, text)


def test_catch_records(bench):
    words = [enter(1, 0), enter(2, 1), enter(3, 2), leave(CATCH, 10), leave(1, 10), enter(2, 11),
             enter(3, 12), leave(2, 14), leave(1, 20)]
    data = trace([{'words': words}])
    text = bench.records(data, '--method-map', bench.map)[1]
    kinds = [line.split()[2:] for line in text.splitlines() if not line.startswith('#')]
    check('catches: one record', kinds[3] == ['c', '1', 'a.Main.run'] and
          [kind[0] for kind in kinds] == list('iiiciioo'), text)
    rows = [json.loads(line) for line in bench.records(data, form='json')[1].splitlines()]
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


def test_names(bench):
    mapping = bench.write('mapping.txt', b'com.example.Loader -> a.Slow:\n'
                          b'    1:4:void fetch():10:13 -> load\n')
    data = trace([main_ring()])
    code, text, error = bench.report(data, '--mapping', mapping)
    check('original names', 'com.example.Loader.fetch' in text and 'a.Slow' not in text, text)
    builds = bench.folder / 'builds'
    for number, build, name in (1, 'aa55aa55', b'fetch'), (2, 'bb66bb66', b'pull'):
        (builds / str(number)).mkdir(parents=True)
        (builds / str(number) / 'mapping.txt').write_bytes(
            b'# pg_map_id: %s\ncom.example.Loader -> a.Slow:\n    1:4:void %s():10:13 -> load\n' % (build.encode(), name))
    for identity, wanted in (b'id=x,r8=aa55aa55', '.fetch'), (b'id=x,r8=bb66bb66', '.pull'), (b'r8=cc77cc77', 'of build cc77cc77'), \
            (b'', 'of 2 builds'):
        told = data[:12288] + len(identity).to_bytes(4, 'little') + identity + data[12292 + len(identity):]
        code, text, error = bench.report(told, '--mapping', builds)
        check('names of its build', code == 0 and wanted in text + error and ('a.Slow' in text) == (' ' in wanted), text + error)
    code, text, error = bench.records(data, '--method-map', bench.map, '--mapping', mapping)
    check('records: original names', text.count('com.example.Loader.fetch') == 2, text)
    code, text, error = bench.report(data, '--mapping', bench.folder / 'none')
    check('no mapping file', code == 1 and 'none' in error and text == '', error)


def test_map_is_found(bench):
    """Beside the trace, or in the folders of --method-map, by the hash that the trace names."""
    far = bench.folder / 'far'
    (far / 'empty').mkdir(parents=True)
    other = MAP.replace('a.Slow', 'a.Other').encode()
    bench.write('methodMapping.txt', MAP.encode())
    data = trace([main_ring()], mapping_hash=fnv(other))

    def report(*options, code=0):
        got, text, error = bench.run('report', data, '--show=trust', *options)
        check(f'map found with {options}', got == code, error)
        return squeeze(text + error)

    said = report(code=2)
    check('no such map', 'no method map with the hash' in said and '--method-map names it, or its folder' in said, said)
    (far / 'release-7.txt').write_bytes(other)
    (far / 'aaa.txt').write_bytes(MAP.encode())
    os.mkfifo(far / 'fifo.txt')
    said = report('--method-map', f'{far}/empty:{bench.folder}/none::{far}')
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


def test_diff(bench):
    """By name: the ids of the old trace are others, and so is its map."""
    (bench.folder / 'old').mkdir()
    old = bench.write('old/old.mbtrace', trace([{'words': [
        enter(7, 0), enter(1, 10), leave(1, 40), enter(2, 40), leave(2, 100), leave(7, 100)]}]))
    bench.write('old/methodMapping.txt', b'1,1,a.Gone run ()V\n2,1,a.Slow load ()V\n7,1,a.Main run ()V\n')
    code, text, error = bench.report(trace([main_ring(), pool_ring()]), '--diff', old)
    check('the verdict comes first', squeeze(text).startswith(
        'Slower: 1.02 s of wall time, was 100 ms (+920.0 %, +869.0 % certain). A change counts'), text)
    part = squeeze(text[text.index('Changes of own'):text.index('Hot path')])
    check('diff', part == squeeze("""Changes of own time since the old trace
        own was is calls are
        + 740 ms 60.0 ms 800 ms 1 1 slower a.Slow.load
        + 190 ms 10.0 ms 200 ms 1 1 slower a.Main.run
        -30.0 ms 30.0 ms 0 ns 1 - gone a.Gone.run
        +11.0 ms 0 ns 11.0 ms - 3 new b.Pool.work
        +10.0 ms 0 ns 10.0 ms - 2 new android.os.Handler.dispatchMessage"""), text)
    code, text, error = bench.report(trace([main_ring()]), '--diff', bench.folder / 'none')
    check('no old trace', code == 1 and 'none: cannot open' in error and text == '', error)
    data = trace([main_ring()])
    code, text, error = bench.report(data, '--diff', bench.write('same.mbtrace', data))
    check('no difference', 'No certain change: 1.02 s of wall time' in squeeze(text) and
          '(none for certain)' in text, text)


def calls_of(*lengths):
    """A call of each method, one behind the other, for so many ms."""
    words, now = [], 0
    for number, length in enumerate(lengths):
        words += [enter(number + 1, now), leave(number + 1, now + length)]
        now += length
    return words


def test_diff_for_scripts(bench):
    """The same in each format that tells changes, and in the exit code."""
    old = bench.write('old.mbtrace', trace([{'words': calls_of(500, 300, 200)}]))
    new = trace([{'words': calls_of(500, 600, 201)}])
    code, text, error = bench.report(new, '--diff', old, '--format=json')
    diff = json.loads(text)['diff']
    check('json: methods', diff['methods'] == [
        {'name': 'a.Slow.load', 'change': 'slower', 'wasSelfNs': 300 * MS, 'isSelfNs': 600 * MS, 'wasCalls': 1,
         'isCalls': 1}] and [diff['little'], diff['noise'], diff['explained']] == [1, 0, 0], diff)
    check('json: the run', diff['wall'] == {'wasNs': 1000 * MS, 'isNs': 1301 * MS, 'certainNs': 235950000} and
          diff['slowerPercent'] == 23.6 and 'cpu' not in diff, diff)
    suspects = [row for row in json.loads(text)['findings'] if row['kind'] == 'SUSPECTS']
    check('json: suspects', [row['certain'] for row in suspects] == [True] and
          suspects[0]['parts'][0]['method']['name'] == 'a.Slow.load', suspects)
    code, text, error = bench.report(new, '--diff', old, '--format=html')
    page = Page(text)
    check('html: suspects', 'Certainly slower methods: a.Slow.load.' in page.texts['changes'], page.texts['changes'])
    check('html: the verdict first', page.faults == [] and text.index('id="changes"') < text.index('id="trust"') and
          'Slower: 1.30 s of wall time, was 1.00 s (+30.1 %' in page.texts['changes'], page.texts)
    check('html: methods', page.body('changes') == [[300 * MS, 300 * MS, 600 * MS, 1, 1, 'slower', 'a.Slow.load']],
          page.rows)
    for limit, wanted in (('24%', 0), ('23', 3), ('0%', 3)):
        code, text, error = bench.report(new, '--diff', old, '--fail-above', limit)
        check(f'above {limit}', code == wanted and text.startswith('Slower') and
              ('slower by 23.6 % for certain, more than the' in error) == (wanted == 3) and
              ('slower methods: a.Slow.load' in error) == (wanted == 3), (code, error))
    code, text, error = bench.report(trace([{'words': calls_of(500, 300, 200)}]), '--diff',
                                     bench.write('new.mbtrace', new), '--fail-above', '0%')
    check('faster is no failure', code == 0 and text.startswith('Faster: '), text)
    code, text, error = bench.report(trace([lapped_ring()]), '--diff', old, '--fail-above', '0%')
    check('nobody knows', code == 1 and text.startswith('The runs cannot be compared') and 'its run only' in error, error)
    code, text, error = bench.report(new, '--diff', old, '--fail-above', 'p99:10%')
    check('no requests', code == 1 and 'no kind of requests is in both traces' in error, error)
    code, text, error = bench.report(new, '--diff', old, '--fail-above', 'p50:10%', '--fail-above', '1%')
    check('slower comes first', code == 3 and 'for certain' in error, error)
    for options in (('--diff', old, '--fail-above', 'x'), ('--diff', old, '--fail-above', '%'),
                    ('--diff', old, '--fail-above', 'p98:1%'), ('--diff', old, '--fail-above', 'p99:'),
                    ('--fail-above', '5%')):
        code, text, error = bench.report(new, *options)
        check(f'{options[-2:]}', code == 2 and '--fail-above' in error and ('p50:N%' in error or 'p98' not in options[-1]), error)


def test_usage(bench):
    data = trace([main_ring()])
    for command in ['report', 'tune']:
        code, text, error = bench.run(command, data, '--method-map', bench.map,
                                      '--format=nothing')
        check('no such format', code == 2 and 'nothing' in error, error)
        code, text, error = bench.run(command, data, '--nothing')
        check('no such option', code == 2, error)
        code, text, error = bench.run(command, data, bench.map)
        check('two traces', code == 2, error)
    code, text, error = bench.run('report', data, '--diff=x', '--format=folded')
    check('a difference for scripts', code == 2 and '--diff is for' in error, error)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
