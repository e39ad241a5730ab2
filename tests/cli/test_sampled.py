#!/usr/bin/env python3
"""Reports of samples: the mark +-n% in each format, who waits for whom, and times without waiting.

usage: test_sampled.py METHODBEAT
"""
import gzip
import json
import math
import pathlib
import re
import subprocess
import sys
import os

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'formats'))
import readers  # noqa: E402
from checks import check, run_all  # noqa: E402
from pages import Page  # noqa: E402
from profiles import NONE, PROGRAM  # noqa: E402
from sampled_traces import MONITOR, NODES, RUNNING, block, node, sample, sampled_trace  # noqa: E402
from test_marks import PPROF, labels_of, numbers_of  # noqa: E402
from traces import MS  # noqa: E402

METHODBEAT = sys.argv[1]
MAIN, HOLDER, HASH, AWAIT, RUN, HANDLE = 'cli.Main.main', 'fo.TreeBuilder.startElement', 'util.Hash.of', 'jobs.Jobs.await', \
    'jobs.Worker.run', 'web.Server.handle'
LOCKS = ['app.First', 'app.Second', 'java.util.concurrent.locks.ReentrantLock$NonfairSync']


def full(name):
    return f'org.example.{name}'


def error_of(sampled_ms, total_ms, interval_ms=5):
    """As the man page promises: right in two of three cases."""
    part = math.sqrt(sampled_ms * interval_ms) / total_ms
    return 1 if part < .01 else min(int(part * 100 + .5), 100)


# Of methods that samples tell of: ms sampled, which are their totals.
SAMPLED = {HASH: 900, AWAIT: 900 + 700, RUN: 20 + 900 + 100 + 500 + 700, HANDLE: 1000 + 500}
PERCENT = {name: error_of(total, total) for name, total in SAMPLED.items()}


class Bench:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.map = self.folder / 'map.txt'
        self.map.write_text(PROGRAM)
        self.write(sampled_trace())

    def write(self, data):
        self.trace = self.folder / 'sampled.mbtrace'
        self.trace.write_bytes(data)

    def report(self, name, *options):
        done = subprocess.run([METHODBEAT, 'report', '--method-map', self.map, '--show=names', '--show=trust', f'--format={name}',
                               *options, self.trace], capture_output=True, check=False)
        check(f'{name}: exit code', done.returncode == 0, done.stderr)
        return done.stdout

    def json(self, *options):
        return json.loads(self.report('json', *options))

    def is_missing(self, name):
        done = subprocess.run([METHODBEAT, 'report', f'--format={name}', self.trace], capture_output=True, text=True, check=False)
        return 'was built without' in done.stderr


def check_note(what, note):
    """It has all sampled methods with their errors, no others, and says what the sign means."""
    found = {name: re.search(rf'{re.escape(full(name))} \+-(\d+)%', note) for name in (MAIN, HOLDER, *SAMPLED)}
    found = {name: int(match[1]) for name, match in found.items() if match}
    check(f'{what}: methods', found == PERCENT, (note, PERCENT))
    check(f'{what}: no others', full(MAIN) not in note and full(HOLDER) not in note, note)
    check(f'{what}: meaning', 'estimate from samples' in note, note)


# ---- The mark in each format ----

def test_text(bench):
    text = bench.report('text').decode()
    table = text[text.index('What costs most'):]
    for name in (HASH, RUN, HANDLE):
        check(f'text: {name}', re.search(rf' - +- +org\.example\.{re.escape(name)} \+-{PERCENT[name]}%$', table, re.M), table)
    for name in (MAIN, HOLDER):
        check(f'text: {name}', re.search(rf'{re.escape(name)}$', table, re.M), table)
    slow = text[text.index('at 1.00 ms in main'):]
    check('text: a slow stack is as it was recorded', HASH not in slow and re.search(rf'{re.escape(HOLDER)}$', slow, re.M), slow)
    waits = text[text.index('Where threads wait'):]
    check('text: where it waits', re.search(rf'{re.escape(AWAIT)} \+-{PERCENT[AWAIT]}%$', waits, re.M), waits)


def test_page(bench):
    page = bench.report('html').decode()
    rows = {row[6].removesuffix(' (waits)'): row for row in Page(page).body('methods')}
    for name, percent in PERCENT.items():
        check(f'html: {name}', f'{full(name)} +-{percent}%' in rows, list(rows))
        row = rows.get(f'{full(name)} +-{percent}%', [None] * 6)
        check(f'html: calls of {name} are not known', row[3] == row[4] == row[5] == '\u2013', row)
    check('html: recorded ones have none', {full(MAIN), full(HOLDER)} <= set(rows), list(rows))
    check('html: what it means', '<b>+-</b> its total' in page, page[-2000:])
    threads = [(thread['name'], thread['extra']) for thread in json.loads(Page(page).elements['head'])['threads']]
    check('html: a row beside the recorded calls', ('main', False) in threads and ('main, sampled', True) in threads, threads)
    ids, *columns = Page(page).columns('figures', 10)
    names = dict(zip(ids, Page(page).names()))
    shown = {names[number].removeprefix('org.example.'): percent for number, percent in zip(ids, columns[7]) if percent > 0}
    check('html: data', shown == PERCENT, shown)


def test_json(bench):
    rows = {row['name'].removeprefix('org.example.'): row for row in bench.json()['methods']}
    check('json: errorPercent', {name: row['errorPercent'] for name, row in rows.items() if 'errorPercent' in row} == PERCENT, rows)
    check('json: sampledNs', {name: row['sampledNs'] for name, row in rows.items() if 'sampledNs' in row} ==
          {name: total * MS for name, total in SAMPLED.items()}, rows)
    check('json: recorded totals stay', rows[HOLDER]['totalNs'] == 2000 * MS and rows[HOLDER]['selfNs'] == 1200 * MS, rows)


def test_error(bench):
    """It follows the time, and the interval, and is 1 at least and 100 at most."""
    for total, interval in ((1, 5), (4, 5), (5, 5), (6, 5), (80, 20), (3000, 1), (900000, 1)):
        bench.write(sampled_trace([node(NONE, 5, 0, total)] + [node(NONE, 1, 0)] * 10, interval * 1000, samples=[]))
        (row,) = (row for row in bench.json()['methods'] if row['name'] == full(HASH))
        wanted = error_of(total, total, interval)
        check(f'{total} ms at {interval} ms', row['errorPercent'] == wanted, (row, wanted))
        check(f'{total} ms at {interval} ms: text', f'{HASH} +-{wanted}%\n' in bench.report('text').decode(), wanted)


def test_muted(bench):
    """A muted method has what was sampled in it, and both marks."""
    nodes = [node(NONE, 1, 0, 700), node(0, 2, 0, 2600)] + [node(NONE, 7, 1)] * 9
    bench.write(sampled_trace(nodes, mutes=[(2, 10, 2000, 500)]))
    (row,) = (row for row in bench.json()['methods'] if row['name'] == full(HOLDER))
    check('muted: total', row['totalNs'] == 2600 * MS, row)
    percent = row['errorPercent']
    check('muted: error', 1 <= percent < 10, row)
    check('muted: text', f'{HOLDER} ~ +-{percent}%\n' in bench.report('text').decode(), bench.report('text').decode())
    names = [frame['name'] for frame in json.loads(bench.report('speedscope'))['shared']['frames']]
    check('muted: speedscope', f'{full(HOLDER)} ~ +-{percent}%' in names, names)


def test_callgrind(bench):
    notes = [line for line in bench.report('callgrind').decode().splitlines() if line.startswith('desc: Marked: +-')]
    check('callgrind: one note', len(notes) == 1, notes)
    check_note('callgrind', ''.join(notes))


def test_pprof(bench):
    if bench.is_missing('pprof'):
        return
    data = bench.report('pprof')
    profile = readers.message(gzip.decompress(data))
    strings = [text.decode() for text in profile[6]]
    found = {name.removeprefix('org.example.') for name, labels in labels_of(profile, strings).items()
             if ('mark', 'sampled') in labels}
    check('pprof: labels', found == set(SAMPLED), found)
    comments = [strings[number] for field in profile[13] for number in numbers_of(field)]
    check('pprof: meaning', any(text.startswith('mark=sampled: ') and 'estimate from samples' in text for text in comments), comments)
    if os.path.exists(PPROF):
        path = bench.folder / 'out.pb.gz'
        path.write_bytes(data)
        done = subprocess.run([PPROF, '-top', '-tagfocus=mark=sampled', path], capture_output=True, text=True, check=False)
        check("Go's pprof: what is marked", full(HASH) in done.stdout, done.stdout + done.stderr)


def test_speedscope(bench):
    names = {frame['name'] for frame in json.loads(bench.report('speedscope'))['shared']['frames']}
    wanted = {f'{full(name)} +-{percent}%' for name, percent in PERCENT.items()}
    check('speedscope', wanted <= names and {full(MAIN), full(HOLDER)} <= names, names)


def test_chrome(bench):
    whole = json.loads(bench.report('chrome'))
    notes = [f'{label}: {methods}' for label, methods in whole['otherData'].items() if label.startswith('+-')]
    check('chrome: one note', len(notes) == 1, notes)
    check_note('chrome', ''.join(notes))
    calls = [event for event in whole['traceEvents'] if event['ph'] == 'X']
    marked = {event['name'].removeprefix('org.example.') for event in calls if event.get('args', {}).get('sampled')}
    plain = {event['name'].removeprefix('org.example.') for event in calls if not event.get('args', {}).get('sampled')}
    check('chrome: calls', marked == {MAIN, HOLDER, HASH, AWAIT, RUN, HANDLE} and plain == {MAIN, HOLDER}, calls)
    tracks = {event['tid']: event['args']['name'] for event in whole['traceEvents'] if event['name'] == 'thread_name'}
    sampled = [event for event in calls if event.get('args', {}).get('sampled')]
    tids = {event['tid'] for event in sampled}
    check('chrome: a track beside the recorded calls', tracks[77 | 1 << 22] == 'main, sampled' and
          77 | 1 << 22 in tids and 77 not in tids, (tids, tracks))
    bench.write(sampled_trace(samples=[]))
    recorded = [event for event in json.loads(bench.report('chrome'))['traceEvents'] if event['ph'] == 'X']
    check('chrome: samples move no recorded call', [event for event in calls if event not in sampled] == recorded, recorded)


def test_open_calls(bench):
    """A sampled call that was still running has both marks."""
    bench.write(sampled_trace(samples=[sample(3000, 4000, 6)]))
    calls = [event for event in json.loads(bench.report('chrome'))['traceEvents'] if event['ph'] == 'X']
    check('chrome: open', [event['args'] for event in calls if event['name'] == full(HANDLE)] == [{'open': True, 'sampled': True}], calls)
    page = Page(bench.report('html').decode())
    number = [thread['name'] for thread in json.loads(page.elements['head'])['threads']].index('holder')
    flags = [flag & 3 for flag in page.columns(f'calls-{number}', 4)[3]]
    check('html: open', flags == [3], flags)
    if not bench.is_missing('perfetto'):
        calls, _ = readers.perfetto(bench.report('perfetto'))
        check('perfetto: open', calls[91][0][1] is None, calls)


def test_perfetto(bench):
    if bench.is_missing('perfetto'):
        return
    data, notes, times = bench.report('perfetto'), {}, []
    for packet in map(readers.message, readers.message(data)[1]):
        if 126 in packet:
            for row in map(readers.message, readers.message(packet[126][0])[1]):
                notes[readers.first(row, 1).decode()] = row
        if 11 in packet:
            times += [value for value in readers.notes_of(readers.message(packet[11][0])).items() if value[0] == 'times']
    check('perfetto: attribute', 'methodbeat.mark.sampled' in notes, notes)
    check_note('perfetto', readers.first(notes['methodbeat.mark.sampled'], 3).decode())
    check('perfetto: calls', times and set(times) == {('times', 'sampled')}, times)


def test_no_place(bench):
    """Names stay as they are where a mark would make another name of one."""
    names = {full(name) for name in (MAIN, HOLDER, *SAMPLED)}
    check('folded', set(readers.folded(bench.report('folded'))) <= names, readers.folded(bench.report('folded')))
    for name in ('nanoscope', 'art'):
        found = getattr(readers, name)(bench.report(name))
        calls = found if name == 'nanoscope' else [call for calls in found.values() for call in calls]
        check(name, {row[3] for row in calls} <= names, calls)


def test_unmarked(bench):
    """A sampled thread marks nothing that was recorded, and nothing is said of the mark where nothing has it."""
    bench.write(sampled_trace([node(NONE, 1, 0, 10)] * 11, samples=[]))
    text = bench.report('text').decode()
    check('text', not re.search(r'\+-\d', text), text)
    check('json', all('errorPercent' not in row for row in bench.json()['methods']))
    for name in ('callgrind', 'chrome', 'speedscope'):
        check(f'{name}: no marks', b'+-' not in bench.report(name))


# ---- Who waits for whom ----

def test_waits(bench):
    """The chain leads to the thread that works, in all formats that have a place for it."""
    text = bench.report('text').decode()
    waits = text[text.index('Who waits for whom'):].split('\n\n')[0]
    lines = [' '.join(line.split()) for line in waits.splitlines()[2:]]
    check('text', lines[:3] == [
        f'700 ms 1 700 ms outer in {full(AWAIT)}',
        f'waits for {LOCKS[1]}, held by middle in {full(HANDLE)}',
        f'which itself waits for {LOCKS[0]}, held by holder in {full(HANDLE)}'], lines)
    check('text: of samples', f'300 ms 1 300 ms ~jobs in {full(AWAIT)}' in lines and
          f'waits for {LOCKS[2]}, held by holder in {full(HANDLE)}' in lines, lines)
    found = [(row['threadName'], row['thread'], row['lock'], row['ownerName'], row['owner'], row['startNs'] // MS, row['ns'] // MS,
              row.get('sampled', False)) for row in bench.json()['blocked']]
    check('json: in order of time', found == [
        ('middle', 92, LOCKS[0], 'holder', 91, 1000, 500, False), ('outer', 93, LOCKS[1], 'middle', 92, 1100, 700, False),
        ('jobs', 90, LOCKS[2], 'holder', 91, 2000, 300, True)], found)


def test_waits_without_an_end(bench):
    """They last only if nothing tells that their thread went on, as main's records and another wait of jobs do."""
    bench.write(sampled_trace(blocks=[block(1000, 0, 0, 1, 1, 3, 6), block(1900, 0, 1, 4, 1, 3, 6), block(3000, 0, 2, 6, 2)]))
    try:
        found = [(row['threadName'], row['startNs'] // MS, row['ns'] // MS) for row in bench.json()['blocked'] if row.get('open')]
        check('json: what lasts is open', found == [('holder', 3000, 1000)], found)
        check('text: the others are missing', '2 waits for locks are missing under Who waits for whom' in
              ' '.join(bench.report('text').decode().split()))
    finally:
        bench.write(sampled_trace())


def test_waits_on_the_page(bench):
    text = bench.report('html').decode()
    page = Page(text)
    check('a page is well formed', page.faults == [], page.faults[:5])
    rows = page.body('waits')
    check('html: times', [row[:3] for row in rows] == [[700 * MS, 1, 700 * MS], [500 * MS, 1, 500 * MS], [300 * MS, 1, 300 * MS]], rows)
    check('html: chain', rows[0][3] == f'outer in {full(AWAIT)}waits for {LOCKS[1]}, held by middle in {full(HANDLE)}'
          f'which itself waits for {LOCKS[0]}, held by holder in {full(HANDLE)}', rows[0])
    check('html: of samples', rows[2][3].startswith('~jobs in'), rows[2])
    check('html: linked', '<a href="#waits">' in text)
    blocks = json.loads(page.elements['head'])['blocks']
    check('html: data', [(row['name'], row['owner'], row['row'], row['exact'], row['lock']) for row in blocks] == [
        ('outer', 92, 1, True, LOCKS[1]), ('middle', 91, 2, True, LOCKS[0]), ('jobs', 91, 3, False, LOCKS[2])], blocks)
    plain = Page(bench.report('html', '--thread=77').decode())
    check('html: threads that are left out', plain.faults == [], plain.faults[:5])


def test_waits_in_perfetto(bench):
    if bench.is_missing('perfetto'):
        return
    _, extras = readers.perfetto(bench.report('perfetto'))
    found = [call for call in extras['blocked'] if isinstance(call[1], int)]
    owners = [call for call in extras['blocked'] if isinstance(call[1], str)]
    check('perfetto: the last track is of a thread with a wait', found or owners, extras)
    tracks = blocked_tracks(bench.report('perfetto'))
    check('perfetto: waits', sorted(tracks) == [
        (90, LOCKS[2], 2000, 2300, 'holder'), (92, LOCKS[0], 1000, 1500, 'holder'), (93, LOCKS[1], 1100, 1800, 'middle')], tracks)


def blocked_tracks(data):
    """(tid, lock, begin, end, owner) of each slice on a track "blocked", whose flow leads from its owner's track."""
    tids, parents, sequences, found, flows, begun = {}, {}, {}, [], {}, {}
    for packet in map(readers.message, readers.message(data)[1]):
        number = readers.first(packet, 10)
        if readers.first(packet, 13) & 1:
            sequences[number] = readers.start_sequence(packet)
        if 60 in packet:
            track = readers.message(packet[60][0])
            if 4 in track:
                tids[readers.first(track, 1)] = readers.first(readers.message(track[4][0]), 2)
            elif readers.first(track, 2, b'') == b'blocked':
                parents[readers.first(track, 1)] = readers.first(track, 5)
        if 11 in packet and not sequences[number].is_incremental:
            event = readers.message(packet[11][0])
            track = readers.first(event, 11)
            if track in parents:
                kind, time = readers.first(event, 9), readers.first(packet, 8) // MS
                tid = tids[parents[track]]
                if kind == readers.INSTANT:
                    flows[event[47][0]] = tid
                elif kind == readers.BEGIN:
                    notes = readers.notes_of(event)
                    begun[track] = tid, readers.first(event, 23).decode(), time, notes['owner']
                    check('perfetto: its flow', flows.get(event[47][0]) == notes['owner_tid'], (flows, notes))
                else:
                    tid, name, start, owner = begun.pop(track)
                    found.append((tid, name, start, time, owner))
    check('perfetto: all have an end', not begun, begun)
    return found


def test_no_waits(bench):
    """A trace without samples has no such section, and one whose threads did not wait has an empty list."""
    bench.write(sampled_trace())
    data = bytearray(bench.trace.read_bytes())
    offset, count = int.from_bytes(data[384:392], 'little'), int.from_bytes(data[392:396], 'little')
    for i in range(count):
        if int.from_bytes(data[offset + 64 * i:offset + 64 * i + 4], 'little') == 20:
            data[offset + 64 * i + 40:offset + 64 * i + 48] = bytes(8)
    bench.write(bytes(data))
    check('json: none', bench.json()['blocked'] == [])
    check('text: none', b'Who waits' not in bench.report('text'))
    page = Page(bench.report('html').decode())
    check('html: none', 'waits' not in page.texts and json.loads(page.elements['head'])['blocks'] == [])


# ---- Times without waiting ----

def totals(report):
    return {row['name'].removeprefix('org.example.'): (row['selfNs'] // MS, row['totalNs'] // MS) for row in report['methods']}


def test_weights(bench):
    """Without waiting, what waits is gone with its part of its callers' totals; by CPU, also what had no processor."""
    wall, awake, cpu = (bench.json(f'--weight={weight}') for weight in ('ns', 'awake', 'cpu'))
    check('wall', totals(wall)[RUN] == (20, 2220) and totals(wall)[AWAIT] == (1600, 1600), totals(wall))
    check('awake', totals(awake)[RUN] == (20, 120) and totals(awake)[AWAIT] == (0, 0) and totals(awake)[HANDLE] == (1000, 1000),
          totals(awake))
    check('cpu', totals(cpu)[RUN] == (20, 80) and totals(cpu)[HASH] == (840, 840), totals(cpu))
    check('what was recorded', totals(awake)[HOLDER] == totals(wall)[HOLDER] == (1200, 2000), totals(awake))
    check('how much', awake['leftOutNs'] == 2100 * MS and cpu['leftOutNs'] == 2160 * MS and 'leftOutNs' not in wall,
          (awake['leftOutNs'], cpu['leftOutNs']))
    check('which', (awake['counted'], cpu['counted']) == ('awake', 'cpu') and 'counted' not in wall)
    text = bench.report('text', '--weight=awake').decode()
    check('text says so', 'count without 2.10 s in which they are known to have been waiting' in ' '.join(text.split()), text)
    check('text: what waits is gone', 'Where threads wait' not in text and AWAIT not in text[text.index('What costs most'):
          text.index('Who waits')], text)
    folded = readers.folded(bench.report('folded', '--weight=cpu'))
    check('folded', full(AWAIT) not in folded, folded)


def test_weight_by_the_thread_s_clock(bench):
    """What a thread worked while it was only seen to wait, it did in its other calls."""
    bench.write(sampled_trace([node(NONE, 1, 0, 10), node(NONE, 7, 1, 20, cpu=10), node(1, 6, 1, waiting=900, cpu=60),
                               node(1, 5, 1, 200, cpu=50)], samples=[]))
    cpu = totals(bench.json('--weight=cpu'))
    check('all of it', cpu[RUN] == (20, 120) and cpu[HASH] == (100, 100) and cpu[AWAIT] == (0, 0), cpu)
    bench.map.write_text(PROGRAM + JDK)
    bench.write(sampled_trace([node(NONE, 1, 0, 10), node(NONE, 7, 1, 20, cpu=10), node(1, 18, 1, 100, cpu=30),
                               node(1, 5, 1, 200, cpu=50)], samples=[]))
    cpu = totals(bench.json('--weight=cpu'))
    check('not in yield', cpu[RUN] == (15, 90) and cpu[HASH] == (75, 75), cpu)


def test_weight_of_a_plain_trace(bench):
    """Where nobody knows what waited all times count, and the report says that."""
    bench.write(sampled_trace([node(NONE, 1, 0, 10)] * 11, samples=[sample(300, 310, 0, RUNNING)]))
    before, after = totals(bench.json()), totals(bench.json('--weight=awake'))
    check('the same', before == after, (before, after))
    check('it is said', 'no call is known to have been waiting' in ' '.join(bench.report('text', '--weight=awake').decode().split()))
    done = subprocess.run([METHODBEAT, 'report', '--weight=sleep', bench.trace], capture_output=True, text=True, check=False)
    check('another weight', done.returncode == 2 and 'awake' in done.stderr, done)


# ---- Threads that wait for work ----

JDK = ''.join(f'{number},1,{name} ()V\n' for number, name in [
    (11, 'java.lang.Thread run'), (12, 'java.util.concurrent.ThreadPoolExecutor getTask'),
    (13, 'jdk.internal.misc.Unsafe park'), (14, 'java.util.concurrent.FutureTask run'),
    (15, 'java.util.concurrent.LinkedBlockingQueue take'),
    (16, 'java.util.concurrent.ExecutorCompletionService take'), (17, 'java.lang.Thread sleep'), (18, 'java.lang.Thread yield')])


def waiter(thread, first, *methods):
    """A thread that only waits, in the last of these methods; its nodes are the first one and what follows."""
    last = len(methods) - 1
    return [node(NONE if i == 0 else first + i - 1, method, thread, waiting=3900 if i == last else 0)
            for i, method in enumerate(methods)]


def test_hottest(bench):
    """Short work between waits is not met by samples: then they do not tell what takes the CPU time."""
    cases = ('runs on', (RUNNING, RUNNING, MONITOR), True), ('waits between', (RUNNING, MONITOR, RUNNING), False)
    for what, states, told in cases:
        nodes = [node(NONE, 1, 0, 700), node(0, 2, 0, 100), node(1, 5, 0, 1300), *NODES[3:]]
        bench.write(sampled_trace(nodes, main={'worked': 1000, 'ready': 2000}, samples=[
            sample(1000 + 100 * n, 1000 + 100 * n, 2, state, cpu=100 + 100 * n - n // 2 * 50) for n, state in enumerate(states)]))
        text = ' '.join(bench.report('text').decode().split())
        check(f'{what}: {told}', ('By samples,' in text) == told, text[:600])
    bench.write(sampled_trace())


def test_idle(bench):
    """A worker without a task, a consumer without work and the queue of a task that waits for results, or in a sleep."""
    bench.map.write_text(PROGRAM + JDK)
    nodes = [node(NONE, 1, 0, 5), *waiter(1, 1, 11, 12, 15, 13), node(1, 14, 1), node(5, 5, 1, 90)]
    for thread, methods in ((2, (11, 7, 15, 13)), (3, (11, 14, 8, 16, 15, 13)), (4, (11, 14, 8, 17))):
        nodes += waiter(thread, len(nodes), *methods)
    bench.write(sampled_trace(nodes, samples=[]))
    report = bench.json()
    idle = {thread['name']: [method['id'] for method in thread['idle']] for thread in report['threads'] if 'idle' in thread}
    check('idle: which', idle == {'jobs': [11, 12, 15, 13], 'holder': [11, 7, 15, 13]}, idle)
    left = {thread['name']: (thread['inCallsNs'] - thread.get('idleNs', 0)) // MS for thread in report['threads']}
    check('idle: time', left['jobs'] == 90 and left['holder'] == 0 and left['middle'] == left['outer'] == 3900, left)
    text = bench.report('text', '--thread', 'jobs').decode()
    check('idle: answer', text.startswith('jobs was busy for 90.0 ms') and 'Unsafe.park' not in text[:text.index('Who waits')], text)
    text = bench.report('text', '--thread', 'holder').decode()
    check('idle: nothing else', text.startswith('The program was idle'), text)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
