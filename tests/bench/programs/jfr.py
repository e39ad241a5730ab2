"""What samples say of the same program, JFR's or async-profiler's: shares of methods, by their ids in a
methodMapping.txt."""
import collections
import datetime
import json
import os
import re
import zipfile

from workloads import corpus, must

PERIOD_MS = 20
WALL_PERIOD_MS = 5
CPU_PERIOD_MS = 10  # a timer of CPU time fires with the system's tick at most
PROBES = re.compile(r'methodbeat[./]\w|\$MethodBeat|beat_')
SETTINGS = f'''<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0" label="samples" description="" provider="">
<event name="jdk.ExecutionSample"><setting name="enabled">true</setting>
<setting name="period">{PERIOD_MS} ms</setting></event>
</configuration>
'''


def options(folder, number):
    """Of java, to write samples to the second value, of this number. Methods that were inlined are told apart too."""
    settings, target = os.path.join(folder, 'samples.jfc'), os.path.join(folder, f'samples-{number}.jfr')
    with open(settings, 'w', encoding='utf-8') as file:
        file.write(SETTINGS)
    return ('-XX:FlightRecorderOptions=stackdepth=2048', '-Xlog:disable', '-XX:+UnlockDiagnosticVMOptions',
            '-XX:+DebugNonSafepoints',
            f'-XX:StartFlightRecording=filename={target},settings={settings},dumponexit=true'), target


def async_profiler(folder):
    library = os.path.join(folder, 'libasyncProfiler.so')
    with zipfile.ZipFile(corpus('async-profiler')) as jar, open(library, 'wb') as out:
        out.write(jar.read('linux-x64/libasyncProfiler.so'))
    return library


def wall_options(folder, name):
    """Of java, to have async-profiler write samples by the wall clock to the second value: of threads in each state."""
    target = os.path.join(folder, f'wall-{name}.jfr')
    return (f'-agentpath:{async_profiler(folder)}=start,event=wall,interval={WALL_PERIOD_MS}ms,nobatch,jstackdepth=2048,'
            f'cstack=no,jfr,file={target}',), target


def cpu_options(folder):
    """Likewise, by CPU time."""
    target = os.path.join(folder, 'cpu.txt')
    return (f'-agentpath:{async_profiler(folder)}=start,event=ctimer,interval={CPU_PERIOD_MS}ms,jstackdepth=2048,threads,'
            f'collapsed,file={target}',), target


def share_of_probes(path, others):
    """Of the CPU time of threads whose names do not begin as others: the share in probes, and how many samples."""
    inside, count = 0, 0
    with open(path, encoding='utf-8') as lines:
        for stack, number in (line.rsplit(' ', 1) for line in lines):
            thread, _, frames = stack.partition(';')
            if not thread.lstrip('[').startswith(others):
                count += int(number)
                inside += int(number) * (PROBES.search(frames) is not None)
    return inside / count, count


def read_map(path):
    """(class, method, descriptor) -> id."""
    found = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            id_, _, method = line.rstrip('\n').split(',', 2)
            class_, name, descriptor = (method.split(' ') + [''])[:3]
            found[class_, name, descriptor] = int(id_)
    return found


class Samples:
    """chains: for each sample with a method of the map, the ids, innermost first.

    JFR loses the outer frames of a part of the stacks (of FOP's nearly half) and calls them whole. They
    go on as whole stacks do around the same frame; cut counts those where none had it."""

    def __init__(self, paths, ids):
        taken = [sample for path in paths for sample in _read(path)]
        stacks = [stack for stack, _ in taken]
        around = _callers(stacks, {stack[-1] for stack in stacks if not _is_whole(stack)})
        self.chains = []
        self.cut = 0
        for stack, when in taken:
            if not _is_whole(stack):
                self.cut += stack[-1] not in around
                stack = stack + around.get(stack[-1], ())
            chain = [ids[frame] for frame in stack if frame in ids]
            if chain:
                self.chains.append((chain, when))

    def shares(self, muted=None):
        """id -> (total, own). Own time of what has no probe, or is muted, is its nearest caller's that has one.
        muted: id -> from which part of the run on."""
        total, own = collections.Counter(), collections.Counter()
        muted = muted or {}
        for chain, when in self.chains:
            total.update(set(chain))
            heard = [id_ for id_ in chain if when < muted.get(id_, 2)]
            if heard:
                own[heard[0]] += 1
        count = len(self.chains) or 1
        return {id_: (total[id_] / count, own[id_] / count) for id_ in total}


def _read(path):
    """Stacks, tuples of (class, method, descriptor), innermost first; and when in the run, from 0 to 1."""
    text = must('jfr', 'print', '--json', '--stack-depth', 2048, '--events', 'jdk.ExecutionSample', path)
    events = [event['values'] for event in json.loads(text)['recording']['events']]
    times = [datetime.datetime.fromisoformat(re.sub(r'(\.\d{6})\d*', r'\1', event['startTime'])).timestamp()
             for event in events]
    span = max(max(times) - min(times), 1e-6) if times else 1
    for event, at in zip(events, times):
        trace = event.get('stackTrace')
        if trace and trace['frames']:
            yield tuple(_key(frame['method']) for frame in trace['frames']), (at - min(times)) / span


def _key(method):
    return (method['type']['name'].replace('/', '.'), method['name'], method['descriptor'].replace('/', '.'))


def _is_whole(stack):
    """It begins where threads do."""
    return stack[-1][1] == 'main' or stack[-1][:2] == ('java.lang.Thread', 'run')


def _callers(stacks, wanted):
    """For each of the wanted frames, what most often is around it in whole stacks."""
    found = {frame: collections.Counter() for frame in wanted}
    for stack in filter(_is_whole, stacks):
        for at, frame in enumerate(stack):
            if frame in wanted:
                found[frame][stack[at + 1:]] += 1
    return {frame: chains.most_common(1)[0][0] for frame, chains in found.items() if chains}
