"""Kinds of requests without a setting, and how long they took, beside what the program measured itself: by a server
of the JDK, tasks of a pool, virtual threads and Swing's queue; and by real servers, if they are named.

usage: requests.py METHODBEAT AGENT [HOST...]
"""
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
SERVERS = {'tomcat': ('TomcatShop.java', ['tomcat'], '$Orders.doGet'), 'spring': ('SpringShop.java', ['spring'], '$Orders.order'),
           'netty': ('NettyShop.java', ['netty'], '$Shop.order'), 'coroutine': ('CoroutineShop.kt', ['kotlin-stdlib', 'coroutines'], '.access$order')}
HOSTS = sys.argv[3:] or ['server', 'tasks', 'queue'] + ['virtual'] * (judge.jdk_version(judge.jdk()) >= [21])
COUNT, SERVED = 1600, 3000
PLANTED = {'fetch', 'compute', 'priceOf'}
NEAR, LEAST_NS, TICK_NS, SAME_NS, SHARE = 0.05, 200_000, 5_000_000, 3_000_000, 0.95
BUSY_NS = 100_000_000  # the longest may have lost its processor between its own clock and the recorder's


def path_of(libraries):
    """Of jars, and of folders with jars."""
    paths = [judge.corpus(library) for library in libraries]
    return os.pathsep.join(os.path.join(path, '*') if os.path.isdir(path) else path for path in paths)


def compile_server(host, classes):
    """What runs it, and the kind of its orders."""
    source, libraries, order = SERVERS[host]
    folder, path = judge.scratch_folder(f'{host}-classes'), path_of(libraries)
    sources = [os.path.join(judge.TESTS, 'jvm', 'requests', name) for name in ('Clients.java', source)]
    if source.endswith('.kt'):
        judge.corpus('kotlin')  # its compiler
        judge.must(('kotlinc', '-no-reflect', '-cp', os.pathsep.join((classes, path)), '-d', folder, sources[1]))
    else:
        judge.compile_java(folder, sources, '-cp', os.pathsep.join((classes, path)))
    main = source.partition('.')[0]
    return ('-cp', os.pathsep.join((folder, classes, path)), main, str(SERVED)), main + order


def command(host, classes):
    if host in SERVERS:
        return compile_server(host, classes)
    return ('-cp', classes, 'Requests', host, str(COUNT)), 'Requests.order'


def record(host, program):
    """The report, and the truth: kind: beginnings, lengths and causes."""
    folder = judge.scratch_folder(host)
    trace, truth = os.path.join(folder, 'trace'), os.path.join(folder, 'truth')
    judge.must((judge.METHODBEAT, 'run', '--agent', AGENT, '--trace', trace, '--', 'java', *judge.BRIEF, '-Djava.awt.headless=true',
                *program, truth, folder))
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', trace)).stdout)
    report['start'] = judge.start_of(trace)
    judge_rows(host, trace, report['requests'])
    text, page = (judge.must((judge.METHODBEAT, 'report', '--format', form, trace)).stdout for form in ('text', 'html'))
    calls = collections.defaultdict(list)
    for line in judge.read(truth).splitlines():
        kind, start, ns, cause = line.split()
        calls[kind].append((int(start), int(ns), cause))
    return report, text, page, calls


def percentiles(calls, more=0.0):
    lengths = sorted(ns for _, ns, _ in calls)
    return [lengths[int(len(lengths) * (share + more) / 100)] for share in (50, 90, 99)] + [lengths[-1]]


def judge_lengths(host, kind, found, calls):
    """Within a percent of the requests, too: some lose their processor between the program's clock and the recorder's."""
    told = [found[key] for key in ('p50Ns', 'p90Ns', 'p99Ns', 'longestNs')]
    true, least, most = percentiles(calls), percentiles(calls, -0.9), percentiles(calls, 0.9)
    print(f'{host}: {kind}: told {[ns // 1000 for ns in told]} us, measured {[ns // 1000 for ns in true]} us')
    # The longest one may be of the time before its kind was known: a server's first ones load classes.
    errors = [(LEAST_NS, LEAST_NS)] * 3 + [(BUSY_NS if host in SERVERS else TICK_NS, BUSY_NS)]
    judge.check(all(low - low * NEAR - less <= a <= high + high * NEAR + more
                    for a, low, high, (less, more) in zip(told, least, most, errors)),
                f'{host}: {kind}: {told}, {true}')


def judge_rows(host, trace, requests):
    """As rows of a fleet they are in buckets of 2 %, of us."""
    judge.must((judge.METHODBEAT, 'fleet', 'rows', '-o', f'{trace}.ndjson', trace))
    sums = next(row for row in map(json.loads, judge.read(f'{trace}.ndjson').splitlines()) if row['t'] == 'profiles')['sum_list']
    for row in requests:
        own = next(each for each in sums if each['kind'] == 'request' and each['name'] == row['name'])
        counts = sum(own['n_list'])
        lengths = [1.02 ** (bucket + 0.5) * 1000 for bucket, count in zip(own['bucket_list'], own['n_list']) for _ in range(count)]
        least, most = lengths[int(0.985 * counts)], lengths[int(0.995 * counts)]
        judge.check(0.9 * row['count'] <= counts <= row['count'] and
                    least * (1 - NEAR) - LEAST_NS <= row['p99Ns'] <= most * (1 + NEAR) + LEAST_NS,
                    f'{host}: rows: {counts}, {least}, {most}, {row}')


def told_cause(row):
    return row.get('name', row['state']).split('(')[0].removeprefix('Requests.')


def judge_causes(host, found, calls, start):
    """Those of which one is planted have it, but where the machine had other things to do meanwhile."""
    right, wrong, owners = collections.Counter(), collections.Counter(), collections.Counter()
    for row in found['slowest']:
        near = [cause for begin, ns, cause in calls if abs(begin - start - row['startNs']) + abs(ns - row['ns']) < SAME_NS]
        causes = near[0].split('+') if near and near[0] != '-' else []
        if causes and row['state'] not in ('ready', 'mixed', 'stopped', 'throttled'):
            is_right = told_cause(row) in causes and (told_cause(row) != 'compute' or row['state'] in ('worked', 'time'))
            (right if is_right else wrong)[near[0], told_cause(row), row['state']] += 1
        if row['state'] == 'locked':
            owners[row.get('owner', '')] += 1
    print(f'{host}: right {right.total()}: {dict(right)}; wrong: {dict(wrong)}; holders {dict(owners)}')
    judge.check(right.total() >= SHARE * (right.total() + wrong.total()), f'{host}: {dict(right)}, {dict(wrong)}')
    told = {name for causes, *_ in right for name in causes.split('+')}
    busy = {'compute'} if any(row['state'] == 'ready' for row in found['slowest']) else set()  # it waits for a processor then
    judge.check(told >= PLANTED - busy, f'{host}: {dict(right)}')
    judge.check(set(owners) <= {'price-refresh', ''}, f'{host}: holders {dict(owners)}')
    judge.check(owners['price-refresh'] > 0 or host == 'virtual', f'{host}: {dict(owners)}')  # waits are told of carriers there


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
    program, order = command(host, classes)
    report, text, page, calls = record(host, program)
    judge_page(host, report['requests'], page)
    requests = {row['name'].split('(')[0]: row for row in report.get('requests', [])}
    calls = {kind.replace('.', '.access$') if kind.startswith('Coroutine') else kind: rows for kind, rows in calls.items()}
    judge.check(set(requests) == set(calls), f'{host}: kinds {sorted(requests)}')
    for kind in set(requests) & set(calls):
        judge.check(requests[kind]['count'] == len(calls[kind]), f'{host}: {requests[kind]["count"]} of {kind}')
        judge_lengths(host, kind, requests[kind], calls[kind])
        judge.check(kind in text.split('\nRequests\n')[1].split('\n\n')[0], text)
    judge.check('Slow outermost calls' not in text, text)
    judge_causes(host, requests[order], calls[order], report['start'])
    judge.check(host == 'virtual' or re.search(
        r'in Requests\.priceOf( below \S+)?, for a lock that price-refresh held in Requests\.refreshPrices', text), text)
    methods = {row['name'].split('(')[0]: row for row in report['methods']}
    judge_lengths(host, order, methods[order], calls[order])


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
