"""Kinds of messages and frames of android/java/requests/Shop.java, in a report and in the issues of the monitors."""
import collections
import json

import judge

NEVER = 600000  # ms
SETTINGS = {'evil_ms': 40, 'lag_ms': NEVER, 'anr_ms': NEVER, 'hang_ms': NEVER, 'gap_ms': NEVER, 'cpu_enable': 0, 'often': '',
            **{f'start_{name}_ms': NEVER for name in ('cold', 'warm')}}
# What the program calls it: its name, and the methods that a planted cause may be found in.
KINDS = {'order': ('requests.Shop$Clicks.message-1', {'priceOf'}), 'user': ('requests.Shop$Clicks.message-2', {'sleep'}),
         'sync': ('requests.Shop$Sync.message', {'score', 'usual'}),
         'frame': ('android.view.Choreographer.doFrame', {'score', 'usual'})}
COUNT, SHARE, NEAR, SAME_NS, PLANTED_NS = 400, 0.95, 0.05, 5_000_000, 40_000_000  # the planted take more


def method_of(name):
    return name.split('(')[0].rpartition('.')[2]


def calls_of(facts, kind):
    """When each one began, how long it took, and why."""
    return [(int(begin), int(ns), cause) for begin, ns, cause in map(str.split, facts[kind])]


def judge_lengths(what, row, calls, errors_ns):
    lengths = sorted(ns for _, ns, _ in calls)
    told = [row[key] for key in ('p50Ns', 'p90Ns', 'p99Ns')]
    true = [lengths[len(lengths) * share // 100] for share in (50, 90, 99)]
    print(f'{what}: told {[ns // 1000 for ns in told]} us, measured {[ns // 1000 for ns in true]} us')
    judge.check(all(abs(a - b) <= b * NEAR + error for a, b, error in zip(told, true, errors_ns)), f'{what}: {told}, {true}')


def judge_causes(what, row, calls, start_ns, methods):
    """What is planted is told; where the machine had other things to do meanwhile, by the program's own word, that is."""
    told = collections.Counter()
    for slow in row['slowest']:
        near = [cause for begin, ns, cause in calls if cause != '-' and abs(begin - start_ns - slow['startNs']) < SAME_NS
                and slow['ns'] > ns / 2]
        is_busy = slow['state'] in ('ready', 'mixed', 'stopped', 'collection')
        if near:
            told[is_busy and near == ['machine'] or method_of(slow.get('name', '')) in methods] += 1
    print(f'{what}: right {told[True]}, wrong {told[False]}')
    judge.check(told.total() >= 5 and told[False] <= (1 - SHARE) * told.total(), f'{what}: {told} of {row["slowest"]}')


def judge_issues(what, rows, issues, names, start_ns):
    """Of the same message the same method, unless it fell silent between."""
    slow = [(slow, methods) for name, methods in KINDS.values() for slow in rows[name]['slowest'] if 'name' in slow and slow['ns'] > PLANTED_NS / 2]
    told = collections.Counter()
    for issue in issues:
        begin = issue['methodbeat']['begin_ns'] - start_ns
        for each, methods in slow:
            if issue['methodbeat']['detail'] == 'NORMAL' and abs(each['startNs'] - begin) < SAME_NS:
                name = names.get(int(issue['stackKey'].split('|')[0]), '')
                is_same = method_of(each['name']) == name or {method_of(each['name']), name} <= methods
                told[is_same or (each['name'], name)] += 1
    print(f'{what}: issues of the same cause {told}')
    judge.check(told[True] >= 10 and told[True] >= SHARE * told.total(), f'{what}: {told}')


def judge_run(what, trace, mapping, facts, is_other, error_ns=300_000, other_frames=0):
    """All of it; is_other tells the kinds of the test itself, which a busy machine shows. A message takes so much longer than its
    handler, and at p90 and p99 as long as such a machine makes it. The report's rows of the others."""
    errors_ns = error_ns, 6_000_000, 6_000_000
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', '--method-map', mapping, trace)).stdout)
    rows = {row['name'].split('(')[0]: row for row in report['requests']}
    judge.check({name for name in rows if not is_other(name)} == {name for name, _ in KINDS.values()}, f'{what}: kinds {sorted(rows)}')
    start_ns = judge.start_of(trace)
    for kind, (name, methods) in KINDS.items():
        calls = calls_of(facts, kind)
        count = rows[name]['count'] - (other_frames if kind == 'frame' else 0)
        judge.check(len(calls) == count == COUNT, f'{what}: {count} and {len(calls)} of {name}')
        judge_lengths(f'{what}, {name}', rows[name], calls, errors_ns)
        judge_causes(f'{what}, {name}', rows[name], calls, start_ns, methods)
    names = {number: method_of(method.replace(' ', '.', 1).split(' ')[0]) for number, method in judge.traced(mapping)}
    judge_issues(what, rows, list(map(json.loads, facts['issue'])), names, start_ns)
    return rows
