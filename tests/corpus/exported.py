"""Every format of report, over traces that real programs recorded, by those who read it.

usage: exported.py METHODBEAT RUNTIME_JAR LIBRARY

The traces: whole ones, lapped ones, of dead processes, cut off and damaged ones. Each format is read
back, and has the calls and sums that --format=json has; programs that are not ours judge what they
open. A trace without its profile has in both what its rings hold.
"""
import collections
import json
import os
import random
import struct
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs  # noqa: E402
from programs import judge  # noqa: E402

sys.path.insert(0, os.path.join(judge.TESTS, 'formats'))
import readers  # noqa: E402
import viewers  # noqa: E402
from viewers import near, write  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
STATE_OFFSET, SECTIONS_OFFSET, BOOT_OFFSET, PAGE, RING_SIZE = 48, 392, 400, 16384, 256  # abi/tracefile.h

# Name, program, settings of the recorder, and what becomes of the file. Of the usual size it has hundreds of megabytes.
FEW = {'max_threads': 8, 'profile': 100000}
SMALL = {**FEW, 'words': '4096:1024'}
WHOLE = {**FEW, 'words': '2097152:262144', 'throttle': 'off'}


def cut(data):
    """In the middle of the words of the first ring."""
    for entry in range(PAGE, len(data), RING_SIZE):
        state, words, capacity = struct.unpack_from('<I68xQQ', data, entry)
        if state != 0:
            return data[:words + capacity * 8 * 5 // 8]
    return data


def spoil(data):
    """Words at random, behind the tables."""
    chance = random.Random(1)
    data = bytearray(data)
    for _ in range(200):
        at = chance.randrange(PAGE * 2, len(data)) & ~7
        struct.pack_into('<Q', data, at, chance.getrandbits(64))
    return bytes(data)


def kill(data):
    """As the process would have left it."""
    return data[:STATE_OFFSET] + struct.pack('<I', 1) + data[STATE_OFFSET + 4:]


def same(data):
    return data


TRACES = [
    ('whole', 'yui', WHOLE, same),
    ('native', 'yui', {**WHOLE, 'flavour': 'native'}, same),
    ('lapped', 'yui', SMALL, same),
    ('killed', 'yui', SMALL, kill),
    ('cut off', 'yui', SMALL, cut),
    ('spoilt', 'yui', {'words': '4096:1024'}, spoil),  # few words at random in what a report reads
    ('errors', 'antlr', {**FEW, 'words': 1 << 15, 'throttle': 'off'}, same),
    ('threads', 'clojure', {**SMALL, 'threads': 'all', 'max_threads': 64}, same),
    ('compiler', 'javac', {**FEW, 'words': 1 << 16}, same),
    ('compiler killed', 'javac', {**FEW, 'words': 1 << 14, 'profile': 'off'}, kill),
]


class Trace:
    """A trace, with and without its profile, and what is known of it."""

    def __init__(self, name, data, mapping):
        self.name, self.mapping, self.is_spoilt = name, mapping, name == 'spoilt'
        self.path = judge.scratch('traces', f'{name}.mbtrace')
        self.ring_path = judge.scratch('traces', f'{name} ring.mbtrace')
        write(self.path, data)
        write(self.ring_path, data[:SECTIONS_OFFSET] + bytes(4) + data[SECTIONS_OFFSET + 4:])
        self.boot_ns = struct.unpack_from('<q', data, BOOT_OFFSET)[0]
        self.outputs = {}
        self.ring = json.loads(self.report('json', self.ring_path))
        self.whole = json.loads(self.report('json', self.path))
        self.calls = self.reference()

    def file(self, name, trace=None):
        """The path of the format's output."""
        trace = trace or self.ring_path
        if (name, trace) not in self.outputs:
            path = judge.scratch('outputs', f'{os.path.basename(trace)}.{len(self.outputs)}.{name}')
            judge.must((judge.METHODBEAT, 'report', '--show=names', '--method-map', self.mapping, '--threshold=1',
                        f'--format={name}', '--output', path, trace))
            self.outputs[name, trace] = path
        return self.outputs[name, trace]

    def report(self, name, trace=None):
        with open(self.file(name, trace), 'rb') as file:
            return file.read()

    def reference(self):
        """The calls: Perfetto's have depths, Chrome's have an end where none was."""
        deep, _ = readers.perfetto(self.report('perfetto'))
        flat = readers.chrome(self.report('chrome'))
        self.check('threads', sorted(deep), sorted(flat))
        calls = {}
        for thread, rows in deep.items():
            others = flat[thread]
            self.check('names', [row[3] for row in rows], [other[2] for other in others])
            self.check('open', [row[1] is None for row in rows], [other[3] for other in others])
            if not self.is_spoilt: # there, times fall
                self.check('times', [(row[0], row[1]) for row in rows],
                           [(other[0], None if other[3] else other[1]) for other in others])
            calls[thread] = [(row[0], other[1], row[2], row[3]) for row, other in zip(rows, others)]
        return calls

    def check(self, what, found, wanted):
        judge.check(found == wanted, f'{self.name}, {what}: {one_sided(found, wanted)}')


def one_sided(found, wanted):
    """What differs, as short as it goes."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        found, wanted = (sorted(side.items() - other.items())
                         for side, other in ((found, wanted), (wanted, found)))
    if not isinstance(found, (list, tuple)) or not isinstance(wanted, (list, tuple)):
        return f'{found} instead of {wanted}'
    pairs = [(at, *pair) for at, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1]]
    return f'{len(found)} instead of {len(wanted)}, and {len(pairs)} others: {pairs[:3]}'


# ---- Recording ----

PATHS, RECORDED = {}, {}


def instrument(program):
    if program not in PATHS:
        original = judge.corpus('jdk.compiler' if program == 'javac' else program)
        folder = judge.scratch_folder(program)
        judge.instrument('--output', folder, '--exceptions=catch', original)
        PATHS[program] = os.path.join(folder, os.path.basename(original))
    return PATHS[program]


def record(program, settings):
    """The bytes of the trace, and its map."""
    path = instrument(program)
    mapping = os.path.join(os.path.dirname(path), 'methodMapping.txt')
    key = (program, *sorted(settings.items()))
    if key not in RECORDED:
        file = judge.scratch('recorded.mbtrace')
        options = {'library': LIBRARY, 'file': file, 'mapping': mapping, **settings}
        done = programs.run(program, path, runtime=RUNTIME,
                            options=[f'-Dmethodbeat.{name}={value}' for name, value in options.items()])
        judge.check(done[0] == 0, f'{program} runs: {done[:3]}')
        with open(file, 'rb') as content:
            RECORDED[key] = content.read()
        os.unlink(file)
    return RECORDED[key], mapping


def make_traces():
    for name, program, settings, change in TRACES:
        data, mapping = record(program, settings)
        yield Trace(name, change(data), mapping)


# ---- Sums ----

def rows_of(report):
    """[calls, total, own] by thread and name, as the tables have them."""
    rows = collections.defaultdict(lambda: [0, 0, 0])
    for thread in report['threads']:
        for method in thread['methods']:
            row = rows[thread['id'], method['name']]
            for column, field in enumerate(('calls', 'totalNs', 'selfNs')):
                row[column] += method[field]
    return {key: row for key, row in rows.items() if row[0]}


def check_sums(trace):
    """Of the calls, which are what the others are compared with."""
    found = {}
    for thread, calls in trace.calls.items():
        for name, row in readers.totals(calls).items():
            found[thread, name] = row
    wanted = rows_of(trace.ring)
    trace.check('methods', sorted(found), sorted(wanted))
    for key, row in wanted.items():
        slack = 2 + found[key][3]  # each time is cut to whole ns
        near = all(abs(a - b) <= slack for a, b in zip(found[key], row))
        if found[key][0] != row[0] or not (near or trace.is_spoilt):
            trace.check(f'sums of {key}', found[key], row)


def sums_by_name(report):
    """The same of all threads together."""
    rows = collections.defaultdict(lambda: [0, 0, 0])
    for method in report['methods']:
        row = rows[method['name']]
        for column, field in enumerate(('calls', 'totalNs', 'selfNs')):
            row[column] += method[field]
    return {name: row for name, row in rows.items() if row[0]}


# ---- Formats that draw calls ----

def check_walks(trace):
    """Speedscope's, Nanoscope's and ART's calls are the same ones; all end there."""
    wanted = list(trace.calls.values())
    if trace.is_spoilt:
        wanted = [[row[2:] for row in rows] for rows in wanted]
    shown = lambda rows: [row[2:] for row in rows] if trace.is_spoilt else rows
    found = readers.speedscope(trace.report('speedscope'))
    names = sorted(thread['name'] for thread in trace.ring['threads'])
    trace.check('speedscope, threads', sorted(name for name, _ in found), names)
    trace.check('speedscope', [shown(rows) for _, rows in found], wanted)
    rows = next(rows for rows in trace.calls.values() if rows)
    rows = [(row[0] - rows[0][0], *row[1:]) for row in rows]
    trace.check('nanoscope', shown(readers.nanoscope(trace.report('nanoscope'))), shown(rows))
    found = readers.art(trace.report('art'))
    trace.check('art, threads', list(found), list(trace.calls))
    for thread, rows in trace.calls.items():
        rows = [(row[0] // 1000, (row[0] + row[1]) // 1000 - row[0] // 1000, row[2],
                 row[3].removesuffix('()')) for row in rows]
        trace.check(f'art, thread {thread}', shown(found[thread]), shown(rows))


# ---- Formats that draw trees ----

def check_trees(trace, path, report):
    """What has sums has those of the tables. Where a profile has folded recursion, totals overlap."""
    wanted = sums_by_name(report)
    slack = 2 * sum(len(thread['methods']) for thread in report['threads']) + 1000
    stacks = readers.folded(trace.report('folded', path))
    graph = readers.callgrind(trace.report('callgrind', path))
    profile = collections.defaultdict(lambda: [0, 0, 0])
    for (_, name), row in readers.pprof(trace.report('pprof', path)).items():
        profile[name] = [a + b for a, b in zip(profile[name], row)]
    trace.check('callgrind, calls', {name: row[0] for name, row in graph.items() if row[0]},
                {name: row[0] for name, row in wanted.items()})
    trace.check('pprof, calls', {name: row[0] for name, row in profile.items() if row[0]},
                {name: row[0] for name, row in wanted.items()})
    for name, (_, total, own) in wanted.items():
        clean = name.replace(';', ':')
        for what, value in (('folded', stacks[clean]), ('callgrind', graph[name][2]),
                            ('pprof', profile[name][2])):
            if not near(value, own, slack):
                trace.check(f'{what}, own time of {name}', value, own)
        if path == trace.ring_path and not trace.is_spoilt and not near(profile[name][1], total, slack + total // 1000):
            trace.check(f'pprof, total of {name}', profile[name][1], total)


def main():
    traces = list(make_traces())
    for trace in traces:
        check_sums(trace)
        check_walks(trace)
        for path, report in ((trace.path, trace.whole), (trace.ring_path, trace.ring)):
            check_trees(trace, path, report)
        print(f'{trace.name}: {sum(map(len, trace.calls.values()))} calls of '
              f'{len(trace.calls)} threads', flush=True)
    for what in viewers.ALL:
        started = time.monotonic()
        what(traces)
        print(f'{what.__name__}: {time.monotonic() - started:.1f} s', flush=True)
    judge.finish()


main()
