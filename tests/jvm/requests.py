"""Kinds of requests without a setting, and how long they took, beside what the program measured itself: by a server
of the JDK, tasks of a pool, virtual threads and Swing's queue.

usage: requests.py METHODBEAT AGENT [HOST...]
"""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
HOSTS = sys.argv[3:] or ['server', 'tasks', 'queue'] + ['virtual'] * (judge.jdk_version(judge.jdk()) >= [21])
COUNT = 1600
PLANTED = {'fetch', 'compute', 'priceOf'}
NEAR, LEAST_NS = 0.05, 200_000


def record(host, classes):
    """The report, and the truth: kind: lengths and causes."""
    folder = judge.scratch_folder(host)
    trace, truth = os.path.join(folder, 'trace'), os.path.join(folder, 'truth')
    judge.must((judge.METHODBEAT, 'run', '--agent', AGENT, '--trace', trace, '--', 'java', *judge.BRIEF, '-Djava.awt.headless=true',
                '-cp', classes, 'Requests', host, str(COUNT), truth))
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', trace)).stdout)
    text, page = (judge.must((judge.METHODBEAT, 'report', '--format', form, trace)).stdout for form in ('text', 'html'))
    calls = collections.defaultdict(list)
    for line in judge.read(truth).splitlines():
        kind, ns, cause = line.split()
        calls[f'Requests.{kind}'].append((int(ns), cause))
    return report, text, page, calls


def percentiles(calls):
    lengths = sorted(ns for ns, _ in calls)
    return [lengths[len(lengths) * share // 100] for share in (50, 90, 99)] + [lengths[-1]]


def judge_lengths(host, kind, found, calls):
    told = [found[key] for key in ('p50Ns', 'p90Ns', 'p99Ns', 'longestNs')]
    true = percentiles(calls)
    print(f'{host}: {kind}: told {[ns // 1000 for ns in told]} us, measured {[ns // 1000 for ns in true]} us')
    judge.check(all(abs(a - b) <= b * NEAR + LEAST_NS for a, b in zip(told, true)), f'{host}: {kind}: {told}, {true}')


def judge_causes(host, found, calls):
    """Slow ones are those with a planted cause; a busy machine has some of its own, and who computes waits for it."""
    ready = sum(cause['count'] for cause in found['causes'] if cause['state'] == 'ready')
    causes = {cause.get('name', '-').split('(')[0].removeprefix('Requests.'): cause for cause in found['causes']}
    planted = collections.Counter(cause for _, cause in calls if cause != '-')
    print(f'{host}: told { {name: cause["count"] for name, cause in causes.items()} }, planted {dict(planted)}')
    for name in PLANTED:
        told = causes.get(name, {'count': 0})['count']
        most = told + (ready if name == 'compute' else 0)
        judge.check(planted[name] * 0.5 <= most and told <= planted[name], f'{host}: {name}: {causes}')
    owner = causes.get('priceOf', {}).get('owner')
    judge.check(owner == 'price-refresh' or host == 'virtual', f'{host}: {causes}')  # waits are told of carriers there


def judge_page(host, requests, page):
    """It has what the report has, causes too."""
    table = page.partition('<section id="requests">')[2].partition('</section>')[0].replace('</i>', '')
    for row in requests:
        name = row['name'].split('(')[0].rpartition('.')[2]
        judge.check(name in table and all(f'value="{row[key]}"' in table for key in ('count', 'p50Ns', 'p99Ns', 'longestNs')),
                    f'{host}: page: {row}: {table}')
        judge.check(row.get('slowerNs', 0) <= 0 or f'value="{row["slowerNs"]}"' in table, f'{host}: page: {row}')
    judge.check('id="slow"' not in page, f'{host}: page: outermost calls beside requests')


def judge_host(host, classes):
    report, text, page, calls = record(host, classes)
    judge_page(host, report['requests'], page)
    requests = {row['name'].split('(')[0]: row for row in report.get('requests', [])}
    judge.check(set(requests) == set(calls), f'{host}: kinds {sorted(requests)}')
    for kind in set(requests) & set(calls):
        judge.check(requests[kind]['count'] == len(calls[kind]), f'{host}: {requests[kind]["count"]} of {kind}')
        judge_lengths(host, kind, requests[kind], calls[kind])
        judge.check(kind in text.split('\nRequests\n')[1].split('\n\n')[0], text)
    judge.check('Slow outermost calls' not in text, text)
    judge_causes(host, requests['Requests.order'], calls['Requests.order'])
    judge.check(host == 'virtual' or 'in Requests.priceOf, for a lock that price-refresh held in Requests.refreshPrices' in text, text)
    methods = {row['name'].split('(')[0]: row for row in report['methods']}
    judge_lengths(host, 'Requests.order', methods['Requests.order'], calls['Requests.order'])


def judge_chosen(classes):
    """Where somebody knows better: as it is recorded, and of a trace that has others."""
    folder = judge.scratch_folder('chosen')
    for name, settings, options in (('set', ['requests=Requests.us*:none.*'], []), ('asked', [], ['--requests', 'Requests.user'])):
        trace = os.path.join(folder, name)
        judge.must((judge.METHODBEAT, 'run', '--agent', AGENT, '--trace', trace, *settings, '--', 'java', *judge.BRIEF, '-cp', classes,
                    'Requests', 'tasks', '400', os.path.join(folder, 'truth')))
        rows = json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', *options, trace)).stdout)['requests']
        told = {row['name'].split('(')[0]: row['count'] for row in rows}
        judge.check(told == {'Requests.user': 200}, f'{name}: {told}')


def main():
    classes = judge.scratch_folder('classes')
    judge.compile_java(classes, [os.path.join(judge.TESTS, 'jvm', 'Requests.java')])
    for host in HOSTS:
        judge_host(host, classes)
    judge_chosen(classes)
    judge.finish()


main()
