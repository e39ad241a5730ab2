"""Virtual threads are recorded as what they are: every call, none in another's.

usage: virtual.py METHODBEAT RUNTIME_JAR LIBRARY [SECONDS]     with MB_JDK=newest
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
SECONDS = sys.argv[4] if len(sys.argv) > 4 else '3'
LOST = ('exitsWithoutEntry', 'entriesWithoutExit', 'overwrittenRecords', 'missingRecords',
        'endedBeforeStart')
NAME = 'a thread with a name longer than 15, '
PARKED = 10000
MODES = ('finally', 'catch', 'returns')
# What each part of Virtual.java is to be recorded as: names of threads, beside main.
THREADS = {
    'naps': [*(f'{NAME}{n}' for n in range(4)), 'virtual-*'],
    'parked': ['virtual threads'],
    'pooled': ['virtual threads', 'worker-*'],
    'pinned': ['virtual threads'],
    'dying': ['dying'],
}


def report(folder, trace, *options):
    done = judge.must((judge.METHODBEAT, 'report', '--format=json', '--top=1000', '--method-map',
                       os.path.join(folder, 'methodMapping.txt'), *options, trace))
    return json.loads(done.stdout)


def record(folder, *parts, says='', **settings):
    """The path of the trace of a run, and what it printed."""
    trace = judge.scratch('virtual.mbtrace')
    settings = {'library': LIBRARY, 'file': trace, 'throttle': 'off', **settings}
    done = judge.java('-cp', os.path.join(folder, 'classes'), f'-Dvirtual.seconds={SECONDS}', 'Virtual', *parts, runtime=RUNTIME,
                      options=[f'-Dmethodbeat.{name}={value}' for name, value in settings.items()])
    judge.check(done.returncode == 0 and done.stdout.endswith('done\n') and done.stderr == says,
                f'{parts} {settings}: {done.stdout} {done.stderr}')
    return trace, done.stdout


def count(folder, *parts):
    """The calls of each method, as the stub counts them."""
    file = judge.scratch('counts')
    done = judge.java('-cp', os.path.join(folder, 'classes'), 'Virtual', *parts, counts=file)
    judge.check(done.stdout == 'done\n', f'{parts}: {done.stderr}')
    names = dict(judge.traced(os.path.join(folder, 'methodMapping.txt')))
    rows = (line.split() for line in judge.read(file).splitlines())
    return {names[int(row[0])]: int(row[1]) for row in rows}


def losses(found):
    return {name: lost for name in LOST
            if (lost := sum(thread.get(name, 0) for thread in found['threads']))}


def calls_of(found):
    """By name as the map has it, without parameters, as the stub's."""
    return {method['name']: method['calls'] for method in found['methods'] if method['calls']}


def by_name(counts):
    """Without parameter types: 'Virtual nap (I)I' is 'Virtual.nap'."""
    return {'.'.join(name.split(' ')[:2]): calls for name, calls in counts.items()}


def left_out(found):
    return [finding['records'] for finding in found['findings'] if finding['kind'] == 'VIRTUAL_LEFT_OUT']


def judge_part(folder, mode, flavour, part, profile='on'):
    expected = by_name(count(folder, part))
    trace, _ = record(folder, part, flavour=flavour, profile=profile)
    found = report(folder, trace)
    what = f'{mode}, {flavour}, profile {profile}, {part}'
    judge.check(calls_of(found) == expected, f'{what}: calls {calls_of(found)}, not {expected}')
    lost = losses(found)
    judge.check(not lost, f'{what}: lost {lost}')
    judge.check(not left_out(found), f'{what}: {left_out(found)}')
    names = sorted({thread['name'] for thread in found['threads']} - {'main'})
    judge.check(names == THREADS[part], f'{what}: threads {names}')
    print(f'{what}: {sum(expected.values())} calls of {len(expected)} methods, '
          f'{len(found["threads"])} rows of threads', flush=True)
    return trace


def judge_few_lanes(folder):
    """With fewer lanes than threads, what has one is whole, and what has none is counted."""
    expected = by_name(count(folder, 'parked'))
    trace, _ = record(folder, 'parked', max_threads='255:100')
    found = report(folder, trace)
    calls = calls_of(found)
    judge.check(not losses(found), f'few lanes: lost {losses(found)}')
    judge.check(all(calls.get(name, 0) <= expected[name] for name in expected) and
                100 <= calls['Virtual.hold'] < PARKED, f'few lanes: calls {calls}')
    records = 2 * (sum(expected.values()) - sum(calls.values()))
    judge.check(left_out(found) == [records], f'few lanes: {left_out(found)}, not {records}')
    print(f'few lanes: {calls["Virtual.hold"]} of {PARKED}, {left_out(found)} records')


def judge_restarts(folder, flavour):
    trace, text = record(folder, 'restarted', flavour=flavour)
    found = report(folder, trace)
    lost = losses(found)
    # What was open when the last recording began has exits only, on threads of the system.
    judge.check(sum(lost.values()) < 100 and calls_of(found).get('Virtual.wander', 0) > 0,
                f'restarts, {flavour}: {lost}, {calls_of(found)}')
    print(f'{flavour}: {text.split()[0]} restarts, in the last {calls_of(found)}, lost {lost}')


def main():
    if judge.jdk_version(judge.jdk()) < [21]:
        print('skipped: this JDK has no virtual threads')
        sys.exit(77)
    classes = judge.compile_java(judge.scratch('classes'),
                                 (os.path.join(judge.TESTS, 'jvm', 'Virtual.java'),), '-cp', RUNTIME)
    folders = {mode: judge.scratch_folder('virtual ' + mode) for mode in MODES}
    for mode, folder in folders.items():
        judge.instrument('--output', folder, f'--exceptions={mode}', classes)
        for flavour in ('native', 'mapped') if mode == 'finally' else ('native',):
            for part in THREADS:
                trace = judge_part(folder, mode, flavour, part)
                if (mode, flavour) == ('finally', 'native'):
                    judge_part(folder, mode, flavour, part, profile='off')
                if part == 'naps':
                    one = report(folder, trace, f'--thread={NAME}2')
                    judge.check([thread['name'] for thread in one['threads']] == [f'{NAME}2'],
                                f'{flavour}: --thread with the whole name')
            judge_restarts(folder, flavour)
    judge_few_lanes(folders['finally'])
    # A virtual thread is never main, whatever its name.
    record(folders['finally'], 'naps', main='virtual-7', says='methodbeat: main=virtual-7: no thread of '
           'this name had a probe; the first that had one is main\n')
    judge.finish()


main()
