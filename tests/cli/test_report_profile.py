#!/usr/bin/env python3
"""Reports of traces that have a profile of the whole run, and the golden texts of all.

usage: test_report_profile.py METHODBEAT GOLDEN_FOLDER

MB_UPDATE_GOLDEN=1 writes the golden texts anew.
"""
import json
import os
import pathlib
import sys
from unittest import mock

from checks import check, run_all
from profiles import (BOUNDS, MAIN, NODES, PROGRAM, READY, SERVER, VIRTUAL, add_profile, idle_trace,
                      lapped_main, requests_trace)
from profiles import ENDED as ROW_ENDED
from reports import FORMATS, Bench, lapped_ring, main_ring, pool_ring, squeeze
from traces import MESSAGE, MS, OPEN, enter, leave, trace

GOLDEN = pathlib.Path(sys.argv[2])


def server_trace():
    """Four threads of a pool that call deeper and deeper, one that waits, and a coarse clock."""
    rings = []
    for n in range(4):
        words = []
        for request in range(5):
            time = request * 200 + n
            words += [enter(1, time), enter(3, time + 5), enter(2, time + 20), leave(2, time + 150),
                      leave(3, time + 160), enter(4, time + 160), leave(4, time + 160),
                      leave(1, time + 165)]
        rings.append({'words': words, 'name': f'http-nio-8089-exec-{n + 1}', 'thread': 90 + n,
                      'main': 0, 'capacity': 64 if n else 40, 'written': 40 if n else 4000})
    return trace([{'words': [enter(1, 0), enter(2, 5), leave(2, 15)]}, *rings], coarse=True,
                 state=OPEN, now=1000 * MS)


def throttled_trace():
    ring, main = lapped_main(words=4000000)
    main['tree'][0]['inner'][0]['inner'][0]['until'] = 5000
    return add_profile(trace([ring], now=17700 * MS), [main],
                       [(3, 100000, 0.4, 21), (5, 120000, 0.9, 22.5)])


def waiting_trace():
    """Main waits for four workers, one of which was faster than the profile; and requests."""
    main = {'name': 'main', 'flags': MAIN, 'id': 77, 'first': 3, 'last': 8600, 'words': 2000,
            'cpu': 500, 'tree': [{'id': 1, 'calls': 0, 'since': 3, 'inner': [
                {'id': 6, 'calls': 1, 'ms': 8100}, {'id': 3, 'calls': 20, 'ms': 90}]}]}
    workers = [{'name': f'pool-1-thread-{n + 1}', 'id': 90 + n, 'first': 100, 'last': 8500,
                'words': 300000, 'cpu': 3900 + n, 'lost': 12000 if n == 1 else 0,
                'flags': ROW_ENDED, 'tree': [{'id': 7, 'calls': 90, 'ms': 4300, 'inner': [
                    {'id': 5, 'calls': 100000, 'ms': 3900 - n * 100}]}]} for n in range(4)]
    for index, worker in enumerate(workers[2:]):
        worker |= {'flags': ROW_ENDED | BOUNDS | READY, 'worked': 3800, 'ready': 300 + index,
                   'waited': 150}
    requests = {'name': 'requests', 'flags': VIRTUAL, 'id': 0, 'count': 10000, 'first': 200,
                'last': 8400, 'words': 90000, 'tree': [{'id': 8, 'calls': 10000, 'ms': 90000,
                                                        'inner': [{'id': 3, 'calls': 10000,
                                                                   'ms': 500}]}]}
    return add_profile(trace([], now=8600 * MS), [main, *workers, requests], lost={NODES: 17})


def test_idle_loops(bench):
    """The request is the slow call; who only waits is named once. Nothing is idle that may have worked."""
    bench.map.write_text(SERVER)
    code, text, error = bench.report(idle_trace(), '--format=json')
    report = json.loads(text)
    slow = [(s['ns'] // MS, s['stack'][0]['name']) for s in report['slow']]
    check('slow calls', slow == [(800, 'org.example.web.Orders.handle')] and report['roots'] == 2, slow)
    idle = {t['name']: [m['id'] for m in t['idle']] for t in report['threads'] if 'idle' in t}
    check('idle loops', idle == {'acceptor': [1], 'poller': [2, 3], 'worker-1': [4, 5], 'worker-2': [4, 5],
                                 'worker-3': [4, 5]}, idle)
    for flags in (BOUNDS, 0):
        code, text, error = bench.report(idle_trace(flags), '--format=json')
        check('not known to wait', '"idle"' not in text and len(json.loads(text)['slow']) == 2, text)


SUSPENDING = ''.join(f'{line}\n' for line in [
    '1,1,a.Shop serve (ILkotlin.coroutines.Continuation;)Ljava.lang.Object;',
    '2,1,a.Shop$serve$1 invokeSuspend (Ljava.lang.Object;)Ljava.lang.Object;',
    '3,1,a.Shop access$serve (La.Shop;ILkotlin.coroutines.Continuation;)Ljava.lang.Object;',
    '4,1,a.Shop find (Lkotlin.coroutines.Continuation;)Ljava.lang.Object;',
    '5,1,a.Shop$main$1 invokeSuspend (Ljava.lang.Object;)Ljava.lang.Object;'])


def test_suspend(bench):
    """A suspend function's calls are starts and resumptions, told apart by what its own class calls."""
    bench.map.write_text(SUSPENDING)
    main = {'name': 'main', 'flags': MAIN, 'first': 0, 'last': 1000, 'words': 80, 'tree': [
        {'id': 5, 'calls': 3, 'ms': 300, 'inner': [{'id': 1, 'calls': 3, 'ms': 200, 'inner': [
            {'id': 4, 'calls': 3, 'ms': 50}]}]},
        {'id': 2, 'calls': 22, 'ms': 600, 'inner': [{'id': 3, 'calls': 20, 'ms': 500, 'inner': [
            {'id': 1, 'calls': 20, 'ms': 400}]}, {'id': 1, 'calls': 2, 'ms': 20}]}]}
    data = add_profile(trace([], now=1000 * MS), [main])
    code, text, error = bench.report(data, '--format=json')
    marks = {m['id']: m.get('resumed', 0) for m in json.loads(text)['methods'] if m.get('suspend')}
    check('resumed', marks == {1: 22, 3: 0, 4: 0}, text)
    code, text, error = bench.report(data)
    check('rows', 'a.Shop.serve (suspend, resumed 22 times)\n' in text and 'a.Shop.find (suspend)\n' in text and
          'a.Shop$main$1.invokeSuspend\n' in text, text)


def messages_trace():
    """50,000 messages, of which the ring has two."""
    main = {'name': 'main', 'flags': MAIN, 'id': 77, 'ring': 0, 'position': 8, 'first': 0,
            'last': 90000, 'words': 200000, 'tree': [
                {'id': MESSAGE, 'calls': 50000, 'ms': 60000, 'longest': 5830, 'inner': [
                    {'id': 1, 'calls': 50000, 'ms': 50000, 'longest': 5800,
                     'inner': [{'id': 2, 'calls': 40000, 'ms': 31000}]}]}]}
    return add_profile(trace([main_ring(written=8)]), [main])


def test_profile(bench):
    """Trees, calls and totals are of the whole run, slow calls and records of the ring."""
    bench.map.write_text(PROGRAM)
    ring, main = lapped_main()
    whole = add_profile(trace([ring], now=17700 * MS), [main])
    code, text, error = bench.report(whole, '--format=json')
    report = json.loads(text)
    calls = {m['id']: (m['calls'], m['totalNs'] // MS, m['selfNs'] // MS)
             for m in report['methods']}
    check('totals of the whole run', calls == {1: (1, 17697, 2697), 2: (60000, 11000, 7000),
                                               3: (7851000, 4100, 4100), 4: (300, 4000, 3900)},
          text)
    check('one thread', [(t['name'], t['calls'], t['records'], t['startNs'] // MS,
                          t['waitedNs'] // MS) for t in report['threads']] ==
          [('main', 7911301, 1570000000, 3, 97)], text)
    code, text, error = bench.report(whole, '--format=chrome')
    check('records of the ring', text.count('"ph":"X"') == 20, text)
    code, text, error = bench.report(whole, '--format=folded')
    check('stacks of the whole run',
          'main;org.example.cli.Main.main;org.example.fo.TreeBuilder.startElement 7000000000\n'
          in text, text)
    code, text, error = bench.report(whole, '--mark=0')
    check('no such mark', code == 2, error)
    marked = add_profile(trace([ring], [(0, 1, 1569999980, 'here')], now=17700 * MS), [main])
    code, text, error = bench.report(marked, '--format=json', '--mark=here')
    check('a mark is of the ring', [m['calls'] for m in json.loads(text)['methods']] == [10], text)
    code, text, error = bench.report(whole, '--thread=nobody')
    check('no such thread', code == 2, error)


def test_rows_and_rings(bench):
    """A row has the ring that it names, while that is its own; rings without a row stay."""
    rings = [main_ring(), pool_ring(), pool_ring(name='late', thread=81),
             pool_ring(name='shared', thread=82, drained=7), lapped_ring()]
    rows = [{'name': 'other', 'id': 99, 'ring': 1, 'claim': 7, 'tree': [{'id': 4, 'ms': 1}]},
            {'name': 'shared', 'id': 83, 'count': 2, 'tree': [{'id': 3, 'ms': 4}]},
            {'name': 'far', 'id': 84, 'ring': 4000, 'tree': [{'id': 3, 'ms': 5}]},
            {'name': 'main', 'id': 77, 'flags': MAIN, 'ring': 0, 'tree': [{'id': 1, 'ms': 7}]}]
    data = add_profile(trace(rings), rows)
    code, text, error = bench.report(data, '--format=json', '--threshold=10')
    report = json.loads(text)
    check('rows and rings', [(t['name'], t['inCallsNs'] // MS) for t in report['threads']] ==
          [('main', 7), ('other', 1), ('shared', 4), ('far', 5), ('pool', 11), ('late', 11),
           ('lapped', 3)], text)
    slow = sorted((s['ns'] // MS, s['thread']) for s in report['slow'])
    check('slow calls of all rings', slow == [(10, 77), (10, 80), (10, 81), (10, 82), (1000, 77)],
          slow)
    code, text, error = bench.report(data, '--format=chrome')
    check('a ring once', text.count('"thread_name"') == 5 and text.count('"tid":82') == 4, text)
    code, text, error = bench.report(data, '--format=json', '--thread=83')
    check('a row by its id', len(json.loads(text)['threads']) == 1, text)


def test_diff_of_profiles(bench):
    """Between versions of the file, and between profiles, it is what was recorded that counts."""
    bench.map.write_text(PROGRAM)
    ring, main = lapped_main()
    old = bench.write('old.mbtrace', trace([{'words': [
        enter(1, 0), enter(4, 10), leave(4, 40), leave(1, 100)]}]))
    new = add_profile(trace([ring], now=17700 * MS), [main])
    code, text, error = bench.report(new, '--diff', old)
    check('an old version', '+ 3.87 s 30.0 ms 3.90 s 1 300 slower' in squeeze(text), error + text)
    old.write_bytes(new)
    main['tree'][0]['inner'][1]['ms'] = 3000
    newer = add_profile(trace([ring], now=17700 * MS), [main])
    code, text, error = bench.report(newer, '--diff', old)
    check('two profiles', '- 1.00 s 3.90 s 2.90 s 300 300 faster' in squeeze(text), error + text)


def test_chosen_requests(bench):
    """Names that fit nothing get a warning, where a report tells requests."""
    bench.map.write_text(SERVER)
    data = requests_trace(100)
    for globs, options, is_warned in (('a.None.such', (), True), ('*', (), False), ('a.None.such', ('--thread=90',), False)):
        code, text, error = bench.report(data, f'--requests={globs}', *options)
        check(f'{globs} {options}', code == 0 and ('no method of this trace matches --requests' in error) == is_warned, error)
    code, text, error = bench.report(trace([main_ring()]), '--requests=a.None.such')
    check('no profile', code == 0 and 'matches' not in error, error)


def test_golden(bench):
    data = trace([main_ring(), pool_ring(), lapped_ring()],
                 [(0, 1, 6, 'second'), (2, 1, 1, 'gone')], state=OPEN)
    texts = {f: bench.report(data, '--format', f, '--threshold=10', trust=None)
             for f in FORMATS if f != 'html'}
    texts['records'] = bench.records(data, '--method-map', bench.map)
    texts['text-details'] = bench.report(data, '--threshold=10', '--show=threads,stacks', '--weight=calls')
    texts['text-diff'] = bench.report(data, '--diff', bench.write('old.mbtrace', trace(
        [main_ring(words=main_ring()['words'][:6])])))
    texts['text-server'] = bench.report(server_trace(), trust=None)
    with mock.patch.dict(os.environ, CLICOLOR_FORCE='1'):
        texts['text-colour'] = bench.report(trace([main_ring()]))
    bench.map.write_text(PROGRAM)
    texts['profile-throttled'] = bench.report(throttled_trace(), trust=None)
    texts['profile-muted'] = bench.report(throttled_trace(), '--show=muted', trust=None)
    texts['profile-waiting'] = bench.report(waiting_trace(), '--show=threads')
    texts['profile-wide'] = bench.report(waiting_trace(), '--show=names')
    texts['profile-messages'] = bench.report(messages_trace())
    bench.map.write_text(SERVER)
    texts['profile-idle'] = bench.report(idle_trace(), '--show=threads', trust=None)
    bench.map.write_text(PROGRAM)
    texts['profile-json'] = bench.report(throttled_trace(), '--format=json')
    for name, (code, text, error) in texts.items():
        path = GOLDEN / f'{name}.txt'
        text = text.replace(str(bench.folder), 'FOLDER')
        if os.environ.get('MB_UPDATE_GOLDEN') == '1':
            path.write_text(text)
        check(f'golden {name}', code == 0 and path.exists() and path.read_text() == text,
              error + text)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
