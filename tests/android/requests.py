"""Messages of the main Looper and frames as kinds of requests, on Android's own framework: how long they took beside what
the program measured, and why the slow ones did, by the report and by the issues of the monitors alike.

usage: requests.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY LEVEL...
"""
import collections
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
NEVER = 600000  # ms
SETTINGS = {'evil_ms': 40, 'lag_ms': NEVER, 'anr_ms': NEVER, 'hang_ms': NEVER, 'gap_ms': NEVER, 'cpu_enable': 0, 'often': '',
            **{f'start_{name}_ms': NEVER for name in ('cold', 'warm')}}
# What the program calls it: its name, and the methods that a planted cause may be found in.
KINDS = {'order': ('requests.Shop$Clicks.message-1', {'priceOf'}), 'user': ('requests.Shop$Clicks.message-2', {'sleep'}),
         'sync': ('requests.Shop$Sync.message', {'score', 'usual'}),
         'frame': ('android.view.Choreographer.doFrame', {'score', 'usual'})}
COUNT, SHARE, NEAR, SAME_NS = 400, 0.95, 0.05, 5_000_000
ERRORS_NS = [300_000, 6_000_000, 6_000_000]  # of a message around its handler, on a busy machine


def method_of(name):
    return name.split('(')[0].rpartition('.')[2]


def judge_lengths(what, row, calls):
    lengths = sorted(ns for _, ns, _ in calls)
    told = [row[key] for key in ('p50Ns', 'p90Ns', 'p99Ns')]
    true = [lengths[len(lengths) * share // 100] for share in (50, 90, 99)]
    print(f'{what}: told {[ns // 1000 for ns in told]} us, measured {[ns // 1000 for ns in true]} us')
    judge.check(all(abs(a - b) <= b * NEAR + error for a, b, error in zip(told, true, ERRORS_NS)), f'{what}: {told}, {true}')


def judge_causes(what, row, calls, start_ns, methods):
    """What is planted is told; where the machine had other things to do meanwhile, by the program's own word, that is."""
    told = collections.Counter()
    for slow in row['slowest']:
        near = [cause for begin, ns, cause in calls if cause != '-' and abs(begin - start_ns - slow['startNs']) < SAME_NS]
        is_busy = slow['state'] in ('ready', 'mixed', 'stopped', 'collection')
        if near:
            told[is_busy and near == ['machine'] or method_of(slow.get('name', '')) in methods] += 1
    print(f'{what}: right {told[True]}, wrong {told[False]}')
    judge.check(told.total() >= 5 and told[False] <= (1 - SHARE) * told.total(), f'{what}: {told} of {row["slowest"]}')


def judge_issues(level, rows, issues, names, start_ns):
    """Of the same message the same method, unless it fell silent between."""
    slow = [(slow, methods) for name, methods in KINDS.values() for slow in rows[name]['slowest'] if 'name' in slow]
    told = collections.Counter()
    for issue in issues:
        begin = issue['methodbeat']['begin_ns'] - start_ns
        for each, methods in slow:
            if issue['methodbeat']['detail'] == 'NORMAL' and abs(each['startNs'] - begin) < SAME_NS:
                name = names.get(int(issue['stackKey'].split('|')[0]), '')
                is_same = method_of(each['name']) == name or {method_of(each['name']), name} <= methods
                told[is_same or (each['name'], name)] += 1
    print(f'level {level}: issues of the same cause {told}')
    judge.check(told[True] >= 10 and told[True] >= SHARE * told.total(), f'level {level}: {told}')


def judge_level(level):
    framework = Framework(level)
    folder = os.path.join(HERE, 'java')
    app = framework.compile(f'app-{level}', [os.path.join(folder, 'requests', 'Shop.java')], RUNTIME, ANDROID)
    tests = framework.compile(f'tests-{level}', [os.path.join(folder, 'requests', 'Requests.java'), os.path.join(folder, 'stage')],
                              app, RUNTIME, ANDROID)
    output, trace = judge.scratch(f'instrumented-{level}'), judge.scratch(f'trace-{level}')
    judge.instrument('--output', output, '--classpath', framework.jars[0], app)
    mapping = os.path.join(output, 'methodMapping.txt')
    settings = judge.listed({**SETTINGS, 'library': LIBRARY, 'file': trace, 'mapping': mapping})
    facts = facts_of(framework.run('requests.Requests', tests, os.path.join(output, os.path.basename(app)), RUNTIME, ANDROID,
                                   application='requests.Shop',
                                   options=[f'-Dmethodbeat.{name}={value}' for name, value in settings.items()]))
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', '--method-map', mapping, trace)).stdout)
    rows = {row['name'].split('(')[0]: row for row in report['requests']}
    kinds = {name for name in rows if not name.startswith('org.robolectric.')}  # a busy machine shows those of the framework's test
    judge.check(kinds == {name for name, _ in KINDS.values()}, f'level {level}: kinds {sorted(rows)}')
    start_ns = judge.start_of(trace)
    for kind, (name, methods) in KINDS.items():
        calls = [(int(begin), int(ns), cause) for begin, ns, cause in map(str.split, facts[kind])]
        judge.check(len(calls) == rows[name]['count'] == COUNT, f'level {level}: {rows[name]["count"]} and {len(calls)} of {name}')
        judge_lengths(f'level {level}, {name}', rows[name], calls)
        judge_causes(f'level {level}, {name}', rows[name], calls, start_ns, methods)
    names = {number: method_of(method.replace(' ', '.', 1).split(' ')[0]) for number, method in judge.traced(mapping)}
    judge_issues(level, rows, list(map(json.loads, facts['issue'])), names, start_ns)


def main():
    for level in sys.argv[5:]:
        judge_level(level)
    judge.finish()


main()
