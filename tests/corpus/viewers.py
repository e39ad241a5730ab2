"""Programs that are not ours, and what they say of exported traces (exported.py): of each list of traces all
that it opens. A judge that is out of reach is skipped aloud, which CI does not let pass.
"""
import collections
import gzip
import json
import os
import shutil
import subprocess
import sys

from programs import judge

sys.path.insert(0, os.path.join(judge.TESTS, 'formats'))
import readers  # noqa: E402
from firefox_profiler import Profiler  # noqa: E402

sys.path.insert(0, os.path.join(judge.TESTS, 'cli'))
from profiles import PROGRAM, SERVER, marked_trace, requests_trace  # noqa: E402
from traces import MAP, MS, enter, leave, trace  # noqa: E402


def near(found, wanted, slack):
    return abs(found - wanted) <= slack


def write(path, data):
    with open(path, 'wb') as file:
        file.write(data)


QUERIES = [
    """select thread.tid, slice.ts, slice.dur, slice.depth, slice.name from slice
       join thread_track on slice.track_id = thread_track.id join thread using (utid)
       where thread_track.name is null or thread_track.name = thread.name order by slice.id""",
    """select name, value from stats where severity in ('error', 'data_loss') and value > 0""",
    """select pid, name from process where pid > 0""",
]


def in_reach(name):
    """The path of what a judge needs, or None, which CI does not let pass."""
    done = judge.run((os.path.join(judge.TESTS, 'corpus', 'fetch.sh'), name), timeout=1800)
    if done.returncode == 0:
        return done.stdout.strip()
    print(f'skipped: {done.stderr.strip()}', flush=True)
    judge.check(os.environ.get('CI') != 'true', f'{name} is out of reach')
    return None


def has_tool(name):
    if shutil.which(name):
        return True
    print(f'skipped: there is no {name}', flush=True)
    judge.check(os.environ.get('CI') != 'true', f'there is no {name}')
    return False


def ask_engine(files, queries=None):
    """What Perfetto's engine says of the files, a list of tables for each; [] without it."""
    engine = in_reach('trace-processor')
    if engine is None or not has_tool('node'):
        return []
    requests = json.dumps([{'file': file, 'queries': queries or QUERIES} for file in files])
    done = judge.must(('node', os.path.join(judge.TESTS, 'formats', 'trace_processor.mjs'), engine),
                      input=requests)
    return json.loads(done.stdout)


def judge_perfetto(traces):
    """Google's engine: every call at its place, and nothing to complain about."""
    for trace, answer in zip(traces, ask_engine([trace.file('perfetto') for trace in traces])):
        if not judge.check('error' not in answer, f'{trace.name}: {answer}'):
            continue
        calls, stats, processes = answer['tables']
        found = collections.defaultdict(list)
        for tid, start, duration, depth, name in calls:
            found[tid].append((start - trace.boot_ns, None if duration < 0 else duration, depth, name))
        wanted, _ = readers.perfetto(trace.report('perfetto'))
        for thread, rows in wanted.items():
            trace.check(f'engine, thread {thread}', found[thread], rows)
        trace.check('engine, errors', stats, [])
        trace.check('engine, process', processes, [[trace.ring['pid'], trace.ring['process']]])


def judge_others(traces):
    """The same engine opens what else it knows: as many calls, and as long."""
    kinds = ('chrome', 'art')
    files = [(trace, kind) for trace in traces if not trace.is_spoilt for kind in kinds]
    answers = ask_engine([trace.file(kind) for trace, kind in files])
    for (trace, kind), answer in zip(files, answers):
        if judge.check('error' not in answer, f'{trace.name}, {kind}: {answer}'):
            calls, _, _ = answer['tables']
            count = sum(len(rows) for rows in trace.calls.values())
            trace.check(f'engine, {kind}', len(calls), count)


def judge_art(traces):
    """Android's own tool lists every entry and exit."""
    if not has_tool('dmtracedump'):
        return
    for trace in traces:
        done = judge.must(('dmtracedump', '-o', trace.file('art')))
        found = [line.split()[:3] for line in done.stdout.splitlines()
                 if line.split()[1:2] in (['ent'], ['xit'])]
        calls = sum(len(rows) for rows in trace.calls.values())
        trace.check('dmtracedump', len(found), 2 * calls)


def judge_callgrind(traces):
    """callgrind_annotate sums up to what the tables say."""
    if not has_tool('callgrind_annotate'):
        return
    for trace in traces:
        done = judge.must(('callgrind_annotate', '--threshold=100', trace.file('callgrind')))
        total = next(line for line in done.stdout.splitlines() if 'PROGRAM TOTALS' in line)
        rows = readers.callgrind(trace.report('callgrind')).values()
        trace.check('callgrind_annotate', [int(field.replace(',', '')) for field in total.split()
                                           if field.replace(',', '').isdigit()],
                    [sum(row[2] for row in rows), sum(row[0] for row in rows)])
        trace.check('callgrind_annotate warns', done.stderr, '')


def judge_pprof(traces):
    """Go's pprof has the calls and times of each method."""
    tool = '/usr/lib/go-1.19/pkg/tool/linux_amd64/pprof'
    if not has_tool(tool):
        return
    for trace in traces:
        rows = collections.Counter()
        for (_, name), row in readers.pprof(trace.report('pprof')).items():
            rows[name] += row[0]
        done = judge.must((tool, '-top', '-nodecount=0', '-nodefraction=0', '-sample_index=calls',
                           trace.file('pprof')))
        found = {}
        for line in done.stdout.splitlines()[5:]:
            fields = line.split(None, 5)
            if len(fields) == 6 and fields[0].isdigit():
                found[fields[5]] = int(fields[0])
        wanted = {name: calls for name, calls in rows.items() if calls}
        trace.check('pprof', {n: c for n, c in found.items() if c}, wanted)


def judge_speedscope(traces):
    """Its own schema, of the smallest: the judge is slow."""
    folder = in_reach('speedscope')
    if folder is None:
        return
    if judge.run(('/usr/bin/python3', '-c', 'import jsonschema')).returncode != 0:
        judge.check(os.environ.get('CI') != 'true', 'there is no python3-jsonschema')
        print('skipped: there is no python3-jsonschema', flush=True)
        return
    trace = min(traces, key=lambda trace: sum(map(len, trace.calls.values())))
    judge.must(('/usr/bin/python3', '-W', 'ignore', '-m', 'jsonschema', '-i', trace.file('speedscope'),
                os.path.join(folder, 'file-format-schema.json')))
    judge_viewer(folder)


def report_drawn(name, data, *options, methods=MAP):
    """The path of a report of a trace that was drawn by hand; name has the format's extension."""
    paths = [judge.scratch('drawn', part) for part in ('drawn.mbtrace', 'drawn.txt', name)]
    write(paths[0], data)
    write(paths[1], methods.encode())
    judge.must((judge.METHODBEAT, 'report', '--force', '--threshold=1', '--method-map', paths[1], *options,
                '--output', paths[2], paths[0]))
    return paths[2]


def judge_viewer(folder):
    """Speedscope in a browser shows the threads, the methods and what a call is."""
    playwright, chromium = in_reach('playwright'), in_reach('chromium')
    if playwright is None or chromium is None or not has_tool('node'):
        return
    words = [enter(1, 20), enter(2, 21), leave(2, 22), enter(2, 22), leave(2, 25), leave(1, 26)]
    both = [{'words': words[1:3]}, {'words': words, 'thread': 78, 'name': 'other', 'main': 0}]
    judge_opened('sample', report_drawn('drawn.speedscope.json', trace(both)), 'other (2/2)',
                 ['main', '1.00ms', 'other', '6.00ms'], (playwright, chromium, folder))
    judge_opened('drawn.trace.json', report_drawn('drawn.trace.json', trace(both[1:])), 'sample',
                 [], (playwright, chromium, folder))


def judge_opened(name, path, shown_first, threads, tools):
    """What it shows of a.Main.run and a.Slow.load of judge_viewer, on the thread that it opens."""
    done = judge.must(('node', os.path.join(judge.TESTS, 'corpus', 'speedscope.mjs'), *tools, path, 'a.Slow.load'))
    shown = json.loads(done.stdout)
    tips = ['6.00ms (100%) a.Main.run', '1.00ms (17%) a.Slow.load', '3.00ms (50%) a.Slow.load']
    for what, wanted in (('faults', [[]]), ('title', [f'{name} - speedscope']), ('tip', tips)):
        judge.check(shown[what] in wanted, f'viewer, {what}: {shown[what]}')
    judge.check(shown_first in shown['table'], f'viewer, first: {shown["table"]}')
    for what, wanted in (('table', ['4.00ms (67%)', '4.00ms (67%)', 'a.Slow.load', '6.00ms (100%)',
                                    '2.00ms (33%)', 'a.Main.run']), ('threads', threads)):
        words = [word.strip() for line in shown[what].splitlines() for word in line.split('\t')]
        places = [words.index(word) if word in words else None for word in wanted]
        judge.check(None not in places, f'viewer, {what}: {shown[what]}')


MONITORED = [
    'select ts, name, category from slice where category is not null order by id',
    'select counter.ts, counter.value from counter join track on counter.track_id = track.id '
    "where track.name = 'FPS'",
    'select a.name, b.name from flow join slice a on slice_out = a.id join slice b on slice_in = b.id',
    'select flat_key, coalesce(string_value, int_value) from args join slice using (arg_set_id) '
    "where category = 'issue' order by flat_key",
    "select name, coalesce(str_value, int_value) from metadata where name like 'trace_attribute.%' "
    'order by name',
    'select name from stack_profile_frame order by id',
    QUERIES[1],
]


def judge_monitored(_):
    """Issues, the message that one is about, and frame rates, as the engine finds them by SQL."""
    spool, begun = judge.scratch_folder('spool'), 7000 * 1000 * MS
    own = {'detail': 'LAG', 'loop': 'main', 'begin_ns': begun + 2 * MS, 'cost_ns': 3 * MS, 'incident': '5f-1',
           'hottest': {'frames': ['a.In.inner', 'a.Out.outer']}}
    drawn = {**own, 'detail': 'FPS', 'begin_ns': begun + MS, 'incident': '5f-2'}
    for name, row in (('1.json', {'tag': 'Trace_EvilMethod', 'stackKey': '2|', 'methodbeat': own}),
                      ('2.json', {'tag': 'Trace_FPS', 'fps': 59.94, 'scene': 's', 'methodbeat': drawn})):
        write(os.path.join(spool, name), json.dumps(row).encode())
    words = [enter(1, 0), enter(2, 1), leave(2, 5), leave(1, 6)]
    path = report_drawn('monitored.pftrace', trace([{'words': words}], mapping_hash=0x1234, monotonic=begun), '--issues', spool)
    for answer in ask_engine([path], MONITORED):
        if not judge.check('error' not in answer, f'monitored: {answer}'):
            continue
        found = answer['tables']
        found[4] = [row for row in found[4] if 'overhead' not in row[0] and 'version' not in row[0]]
        wanted = [
            [[begun, 'a.Main.run', 'slow'], [begun + 2 * MS, 'LAG', 'issue']],
            [[begun + MS, 59.94], [begun + 4 * MS, 0]],
            [['a.Main.run', 'LAG']],
            [['debug.cause', 'a.Slow.load'], ['debug.duration_ns', 3 * MS], ['debug.thread', 'main']],
            [['trace_attribute.methodbeat.lost_records', 0],
             ['trace_attribute.methodbeat.mapping_hash', '0000000000001234']],
            [['a.Out.outer'], ['a.In.inner']],
            [],
        ]
        for query, rows, expected in zip(MONITORED, found, wanted):
            judge.check(rows == expected, f'monitored, {query}: {rows}')


def judge_requests(_):
    """Slow requests, each with its cause, on a track of their thread."""
    query = """select thread_track.name is not null, slice.ts, slice.dur, slice.name from slice
               join thread_track on slice.track_id = thread_track.id where slice.category = 'request' order by slice.ts"""
    causes = """select flat_key, coalesce(string_value, int_value), count(*) from args join slice using (arg_set_id)
                where category = 'request' group by 1, 2 order by 1"""
    path = report_drawn('requests.pftrace', requests_trace(50), methods=SERVER)
    for answer in ask_engine([path], [query, causes, QUERIES[1]]):
        if judge.check('error' not in answer, f'requests: {answer}'):
            slices, notes, stats = answer['tables']
            judge.check(len(slices) == 50 and all(row[2:] == [5 * MS, 'org.example.web.Orders.handle'] for row in slices), f'requests: {slices}')
            judge.check(notes == [['debug.cause', 'waited', 50], ['debug.in', 'org.example.db.Store.query', 50],
                                  ['debug.more_ns', 3 * MS, 50]] and not stats, f'requests: {notes}, {stats}')


def judge_marked(_):
    """Marks are where people look in a viewer, and the format around them is still its own."""
    def draw(extension):
        return report_drawn(f'marked.{extension}', marked_trace(), methods=PROGRAM)

    query = "select name, str_value from metadata where name like '%.mark.%' order by name"
    for answer in ask_engine([draw('pftrace')], [query, QUERIES[1]]):
        if judge.check('error' not in answer, f'marked: {answer}'):
            found, stats = answer['tables']
            judge.check([row[0].rpartition('.')[2] for row in found] == ['holds_muted', 'inferred', 'muted'] and
                        found[1][1].endswith('PropertyList.get 50%') and not stats, f'marked, engine: {answer}')
    tools = [in_reach(name) for name in ('playwright', 'chromium', 'speedscope')]
    if None not in tools and has_tool('node'):
        done = judge.must(('node', os.path.join(judge.TESTS, 'corpus', 'speedscope.mjs'), *tools,
                           draw('speedscope.json'), 'PropertyList.get'))
        judge.check('properties.PropertyList.get ~ ?50%' in json.loads(done.stdout)['table'],
                    f'marked, speedscope: {done.stdout}')


def judge_deep(_):
    """700 calls within each other: the outermost takes as long as it took, in the engine that knows 512 levels."""
    depth = 700
    words = [enter(1, 0), *(enter(2, n) for n in range(1, depth)), *(leave(2, depth + n) for n in range(1, depth)), leave(1, 3 * depth)]
    query = "select name, max(dur), max(depth) from slice where name like 'a.%' group by name order by name"
    for kind in 'pftrace', 'json':
        path = report_drawn(f'deep.{kind}', trace([{'words': words}]), *(['--format=chrome'] if kind == 'json' else []))
        for answer in ask_engine([path], [query, QUERIES[1]]):
            found = answer.get('tables', [[]])[0]
            judge.check(len(found) == 2 and found[0][1] == 3 * depth * MS and found[1][2] == 511, f'deep, {kind}: {answer}')


def judge_concatenated(traces):
    """Files of two processes, one behind the other, are a trace of both: neither clocks nor tracks meet."""
    first, second = (next(trace for trace in traces if trace.name == name)
                     for name in ('lapped', 'compiler'))
    both = judge.scratch('both.pftrace')
    write(both, first.report('perfetto') + second.report('perfetto'))
    for answer in ask_engine([both]):
        if not judge.check('error' not in answer, f'concatenated: {answer}'):
            continue
        calls, stats, processes = answer['tables']
        judge.check(stats == [], f'concatenated, errors: {stats}')
        judge.check(len(processes) == 2, f'concatenated, processes: {processes}')
        found = collections.Counter(row[0] for row in calls)
        for trace in (first, second):
            for thread, rows in trace.calls.items():
                judge.check(found[thread] == len(rows), f'concatenated, thread {thread} of {trace.name}: '
                            f'{found[thread]} instead of {len(rows)}')
                starts = {row[1] for row in calls if row[0] == thread}
                judge.check(not rows or rows[0][0] + trace.boot_ns in starts,
                            f'concatenated, thread {thread} of {trace.name} begins elsewhere')


def judge_decoded(traces):
    """What Google's own reader takes for messages is the whole of each file."""
    if not has_tool('protoc-c'):
        return
    for trace in traces:
        for kind in ('perfetto', 'pprof'):
            data = trace.report(kind)
            done = subprocess.run(['protoc-c', '--decode_raw'], capture_output=True, check=False,
                                  input=gzip.decompress(data) if kind == 'pprof' else data)
            judge.check(done.returncode == 0 and done.stdout, f'{trace.name}, {kind}: {done.stderr}')


def shares_of(profiler, number):
    """[total, own] as shares of a thread's samples by name, and how many functions have the name."""
    answer = profiler.tell('thread', 'functions', thread=f't-{number}')
    rows = collections.defaultdict(lambda: [0, 0, 0])
    for row in answer['functions']:
        sums = rows[row['name'].partition('(')[0]]
        sums[0] += row['totalSamples']
        sums[1] += row['selfSamples']
        sums[2] += 1
    whole = sum(own for _, own, _ in rows.values())
    return {name: (total / whole, own / whole, count) for name, (total, own, count) in rows.items()}


def judge_firefox(traces):
    """Firefox Profiler reads an ART trace at even intervals: shares of methods of each thread are ours."""
    node, program = in_reach('node-24'), in_reach('profiler-cli')
    if node is None or program is None:
        return
    for trace in traces:
        with Profiler(node, os.path.join(program, 'profiler-cli.js'), trace.file('art')) as profiler:
            info = profiler.tell('profile', 'info', all=True)
            trace.check('firefox, threads', info['threadCount'], len(trace.calls))
            for number, calls in enumerate(trace.calls.values()):
                wanted = readers.totals(calls)
                whole = sum(row[2] for row in wanted.values())
                if trace.is_spoilt or whole < 200e6: # there, times fall; or too few samples
                    continue
                own, totals = collections.Counter(), collections.defaultdict(list)
                for name, row in wanted.items(): # it shows no types of overloaded methods
                    own[name.partition('(')[0]] += row[2] / whole
                    totals[name.partition('(')[0]].append(row[1] / whole)
                found = shares_of(profiler, number)
                for name, total in totals.items():
                    share, alone, count = found.get(name, (0, 0, 1))
                    if not near(alone, own[name], .02) or count == len(total) == 1 and not near(share, total[0], .02):
                        trace.check(f'firefox, {name} of {number}', [share, alone], [*total, own[name]])


ALL = [judge_perfetto, judge_others, judge_art, judge_callgrind, judge_pprof, judge_speedscope,
       judge_monitored, judge_requests, judge_marked, judge_deep, judge_concatenated, judge_decoded, judge_firefox]
