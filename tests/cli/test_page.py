#!/usr/bin/env python3
"""The page that people look at, as it is without JavaScript: it says what --format=json says, and
whatever stands in a trace stays text.

usage: test_page.py METHODBEAT
"""
import html
import json
import os
import subprocess
import sys

from checks import check, run_all
from agreement import differences, rows_of_text
from pages import Page
from reports import METHODBEAT, Bench
from profiles import PROGRAM, SERVER, add_profile, idle_trace, lapped_main, marked_trace
from sampled_traces import sampled_trace
from traces import CLOSED, ENDED, MAP, MESSAGE, MS, OPEN, enter, leave, trace

HOSTILE = [
    '</script><img src=x onerror="window.hit=1">', '</style><script>window.hit=1</script>',
    '"\'&<>`', '<!--', ']]>', '&lt;b&gt;', '\x1b[31mred', 'a\x7f\x08b', '\u202etxt.exe',
    'next\u2028line\u2029', '\U0001f600', 'x' * 10240, '<script ' * 400, "' onload='window.hit=1",
    'javascript:window.hit=1', 'tab\tvt\x0b', '\\u003cscript\\u003e', '${1}', '%3Cscript%3E']
BROKEN = [b'\xff\xfe<b>', b'\xed\xa0\x80', b'\xc3', b'\xf0\x9f\x98', b'\x9b31m']


class PageBench(Bench):
    def write_report(self, data, form, *options):
        code, text, error = self.report(data, '--format', form, *options)
        check(f'{form}: exit code', code == 0 and error == '', error)
        return text

    def page(self, data, *options):
        page = Page(self.write_report(data, 'html', *options))
        check('a page is well formed', page.faults == [], page.faults[:5])
        return page

    def json(self, data, *options):
        return json.loads(self.write_report(data, 'json', *options))


def words_of(messages):
    """Messages with calls in them, the longest first."""
    words, now = [], 0
    for length in messages:
        words += [enter(MESSAGE, now), enter(1, now), enter(2, now + length / 10),
                  leave(2, now + length * 9 / 10), leave(1, now + length),
                  leave(MESSAGE, now + length)]
        now += length + 5
    return words


def app_trace(**changes):
    pool = [enter(3, 50), leave(3, 51), enter(3, 60), enter(4, 61), leave(4, 69), leave(3, 70)]
    return trace([{'words': words_of([1000, 10, 750])},
                  {'words': pool, 'thread': 80, 'name': 'pool', 'main': 0, 'state': ENDED}],
                 **{'mapping_hash': 0, 'state': CLOSED, **changes})


def test_numbers(bench):
    """Every number is that of the JSON."""
    data = app_trace()
    page, report = bench.page(data), bench.json(data)
    methods = [[m['selfNs'], m['totalNs'], m['calls']] for m in report['methods']]
    rows = [[row[0], row[2], row[3]] for row in page.body('methods')]
    check('methods', sorted(rows) == sorted(methods), (rows, methods))
    check('methods by own time', rows == sorted(rows, key=lambda row: -row[0]), rows)
    names = {row[6] for row in page.body('methods')}
    check('names', {m['name'] for m in report['methods']} == names, names)
    threads = [[t['inCallsNs'], t['calls'], t['records']]
               for t in report['threads']]
    rows = [[row[0], row[5], row[6]] for row in page.body('threads')]
    check('threads', rows == threads, (rows, threads))
    slow = [(s['startNs'], s['ns']) for s in report['slow']]
    shown = [(int(d['data-start']), int(d['data-duration'])) for d in page.details]
    check('slow', shown == slow and len(slow) == 2, (shown, slow))
    check('slow: anchors', [d['id'] for d in page.details] == ['slow-1', 'slow-2'], page.details)
    stacks = [[i['ns'], i['count']] for s in report['slow'] for i in s['stack']]
    rows = [[row[0], row[2]] for row in page.body('slow')][-len(stacks):]
    check('stacks', rows == stacks, (rows, stacks))
    check('the answer', page.texts['main'].strip().startswith('2 of 5 messages took 700 ms'),
          page.texts['main'])


def test_findings(bench):
    """Each finding of the JSON is a sentence of the page and of the text, with the same numbers."""
    ring, main = lapped_main()
    for data in app_trace(), app_trace(state=OPEN), add_profile(trace([ring]), [{**main, 'position': 1570000000}]):
        page, text, found = bench.page(data), bench.write_report(data, 'text', '--show=names'), bench.json(data)['findings']
        check('topics', {'answer', 'coverage', 'overhead'} <= {finding['topic'] for finding in found}, found)
        for finding in found:
            shown = ' '.join((page.texts['main'] + page.texts['trust']).split()).replace('\N{MICRO SIGN}s', 'us')
            check('the page says it', finding['sentence'] in shown, (finding, shown))
            check('the text says it', finding['sentence'] in text, (finding, text))
            for name, value in finding.items():
                whole = name in ('calls', 'records', 'exits', 'threads') and 1 < value < 100000
                check('its numbers', not whole or f'{value} ' in finding['sentence'], finding)


def test_data(bench):
    """What the chart draws are the calls of --format=chrome, and the figures of the JSON."""
    data = app_trace()
    page, report = bench.page(data), bench.json(data)
    names, head = page.names(), json.loads(page.elements['head'])
    shown = [(thread['id'], names[rank], start, duration)
             for number, thread in enumerate(head['threads'])
             for start, duration, rank, depth, is_open in page.calls(number)]
    events = [e for e in json.loads(bench.write_report(data, 'chrome'))['traceEvents'] if e['ph'] == 'X']
    drawn = [(e['tid'], e['name'], round(e['ts'] * 1000), round(e['dur'] * 1000)) for e in events]
    check('calls', shown == drawn, (shown, drawn))
    check('nothing hidden', [t['hidden'] for t in head['threads']] == [0, 0], head)
    ids, calls, totals, owns, longest, muted, *_ = page.columns('figures', 10)
    figures = {i: row for i, row in zip(ids, zip(names, calls, totals, owns))}
    check('figures', figures == {m['id']: (m['name'], m['calls'], m['totalNs'], m['selfNs'])
                                 for m in report['methods']}, figures)
    depths = [depth for _, _, _, depth, _ in page.calls(0)]
    check('depths', depths == [0, 1, 2] * 3, depths)


def test_open_calls(bench):
    page = bench.page(trace([{'words': [enter(1, 0), enter(2, 1)]}], now=5 * MS))
    calls = [(depth, is_open) for _, _, _, depth, is_open in page.calls(0)]
    check('open', calls == [(0, 1), (1, 1)], calls)


def test_trust(bench):
    """One word is always there; what the text says of it is behind it."""
    ring, main = lapped_main()
    muted = add_profile(trace([ring], state=CLOSED), [{**main, 'position': 1570000000}],
                        mutes=[(3, 7850000, 4000, 9000)])
    for what, data, words in [
            ('whole', app_trace(), 'Complete.'),
            ('muted', muted, 'Some methods were muted.'),
            ('still open', app_trace(state=OPEN), 'The end of the run is missing.'),
            ('cut off', trace([{'words': words_of([10]), 'capacity': 64, 'written': 20}]),
             'The trace is damaged.')]:
        page = bench.page(data)
        check(f'trust: {what}', words in page.texts['trust'], page.texts['trust'])
    text = bench.write_report(app_trace(state=OPEN), 'text', '--show=names')
    shown = ' '.join(bench.page(app_trace(state=OPEN)).texts['trust'].split())
    for line in text.split('How far to trust this\n')[1].split('\n\n')[0].splitlines():
        check('the text tells more', ' '.join(line.split()[1:]) in shown, (line, shown))


def test_little(bench):
    """Nothing, one call, and nothing slow have their own sentences, and no empty tables."""
    for data in [trace([]), trace([{'words': []}])]:
        page = bench.page(data)
        check('nothing', 'This trace has no calls.' in page.texts['main'], page.texts['main'])
        check('no tables', not page.body('methods') and not page.body('slow'), page.rows)
    page = bench.page(trace([{'words': [enter(2, 1), leave(2, 2)]}]))
    check('one call', len(page.body('methods')) == 1 and 'slow' not in page.texts, page.rows)
    page = bench.page(trace([{'words': [enter(2, 0), leave(2, 900)]}]))
    check('no messages', 'outermost calls stand in' in page.texts['slow'], page.texts['slow'])


def hostile_page(bench, names):
    """Each name as that of a thread, a package and a method; the first one as the program's too."""
    rows = [b'%d,1,a.%s run ()V\n%d,1,a.Slow %s ()V\n' % (2 * i + 1, name, 2 * i + 2, name)
            for i, name in enumerate(names)]
    bench.map.write_bytes(b''.join(rows))
    rings = [{'words': [enter(2 * i + 1, 0), enter(2 * i + 2, 1), leave(2 * i + 2, 900),
                        leave(2 * i + 1, 901)],
              'thread': 80 + i, 'name': name[:63], 'main': int(i == 0)}
             for i, name in enumerate(names)]
    return bench.page(trace(rings, process=names[0][:63]), '--force')


def test_hostile_names(bench):
    page = hostile_page(bench, [name.encode() for name in HOSTILE])
    programs = [script for script in page.scripts
                if script.get('type') not in ('text/plain', 'application/json')]
    check('one program', programs == [{}], programs)
    check('names', len(page.names()) == 2 * len(HOSTILE), page.names())
    check('threads', [t['name'] for t in json.loads(page.elements['head'])['threads']][:2] ==
          [name[:63] for name in HOSTILE[:2]], page.elements['head'][:500])
    check('the title is text', HOSTILE[0] in page.title, page.title)
    for name in HOSTILE:
        if name.isprintable() and len(name.encode()) < 64:
            check(f'{name!r} is text', name in page.texts['threads'], page.texts['threads'])
            check(f'{name!r} is text', name in page.texts['methods'], page.texts['methods'][:2000])
    page = hostile_page(bench, BROKEN)
    check('bytes are shown', page.texts['threads'].count('\\x') >= len(BROKEN),
          page.texts['threads'])


def issue(ms, number, name):
    """As the monitors write it."""
    return json.dumps({
        'tag': 'Trace_EvilMethod', 'type': 0, 'process': name, 'time': 1790000000000 + number,
        'machine': 'UN', 'detail': 'LAG', 'cost': ms, 'stackKey': '1|', 'scene': name,
        'stack': f'0,1,1,{ms}\n', 'threadStack': f'{name}.wait\n{name}.run',
        'methodbeat': {'detail': 'LAG', 'frames': [f'{name}.wait', f'{name}.run']}})


def test_issues(bench):
    """What monitors wrote is part of the page, and text too."""
    spool = bench.folder / 'spool'
    spool.mkdir()
    page = bench.page(app_trace(), '--issues', spool)
    check('no issue', 'None was written.' in page.texts['issues'], page.texts['issues'])
    for number, name in enumerate(['com.x', HOSTILE[0]]):
        (spool / f'{number}.json').write_text(issue(2500 + number, number, name))
    page = bench.page(app_trace(), '--issues', spool)
    for part in ['LAG', '2.50 s', HOSTILE[0]]:
        check(f'issues have {part}', part in page.texts['issues'], page.texts['issues'])
    check('without a spool', 'issues' not in bench.page(app_trace()).texts)
    (spool / 'cut.json').write_text(issue(2500, 7, 'com.x')[:-30])
    done = subprocess.run([METHODBEAT, 'report', '--format=html', '--issues', spool,
                           bench.folder / 'sample.mbtrace'], capture_output=True)
    check('what cannot be read is told', done.returncode == 0 and done.stdout != b'' and
          b'warning: ' in done.stderr and b'cut.json:1: an issue that is cut off' in done.stderr, done.stderr)
    for options in [('--issues', bench.folder / 'none', '--format=html'), ('--issues', spool)]:
        done = subprocess.run([METHODBEAT, 'report', *options, bench.folder / 'sample.mbtrace'],
                              capture_output=True)
        check('no such spool, no page', done.returncode != 0 and done.stdout == b'', done)


def own_issue(number, detail, begin_ms, lasted_ms, **own):
    """Of a program whose time 0 is START and WALL."""
    return {'tag': 'Trace_FPS' if detail == 'FPS' else 'Trace_EvilMethod', 'process': 'com.x',
            'time': (WALL + (begin_ms + lasted_ms) * MS) // MS, 'scene': 'a.b.Shop',
            'methodbeat': {'schema': 1, 'incident': f'5f1c-{number}', 'detail': detail, 'loop': 0,
                           'begin_ns': START + begin_ms * MS, 'cost_ns': lasted_ms * MS,
                           'watched_ns': lasted_ms * MS, 'ended': 'normal', **own}}


def drawn_issue(number, begin_ms, lasted_ms, levels, fps):
    """Frames of a scene as figures.c writes them."""
    names = [f'DROPPED_{name}' for name in ('BEST', 'NORMAL', 'MIDDLE', 'HIGH', 'FROZEN')]
    issue = own_issue(number, 'FPS', begin_ms, lasted_ms, frames={
        'count': sum(levels), 'drawing_ms': lasted_ms, 'late_ms': 120, 'longest_ms': 80, 'janky': 3,
        'hitch_ms_per_s': 12.5, 'rate': fps, 'refresh': 60.0, 'lost': 0, 'stages_cut': 0})
    return {**issue, 'dropLevel': dict(zip(names, levels)), 'fps': fps, 'REFRESH_RATE': 60}


WALL, START = 1790000000 * 1000 * MS, 7000 * 1000 * MS


def test_frames(bench):
    """Sums of frames have a table; those of the time that was recorded are drawn, too."""
    spool = bench.folder / 'spool'
    spool.mkdir()
    other = drawn_issue(3, 200, 300, [9, 0, 0, 0, 1], 30.0)
    other['time'] += 3600000  # of another boot
    for number, text in enumerate([drawn_issue(1, 900, 600, [30, 3, 2, 1, 0], 48.25),
                                   drawn_issue(2, 100, 500, [60, 0, 0, 0, 0], 59.99), other]):
        (spool / f'{number}.json').write_text(json.dumps(text))
    page = bench.page(app_trace(wall=WALL, monotonic=START), '--issues', spool)
    rows = [row[:1] + row[2:3] + row[4:7] for row in page.body('frames')]
    check('frames', rows == [[5999, 60, 120 * MS, 80 * MS, 12500000],
                             [4825, 36, 120 * MS, 80 * MS, 12500000],
                             [3000, 10, 120 * MS, 80 * MS, 12500000]], rows)
    places = [(row.get('data-start'), row.get('data-duration')) for row in page.drawn]
    check('frames: where', places == [(str(100 * MS), str(500 * MS)), (str(900 * MS), str(600 * MS)),
                                      (None, None)], places)
    check('frames: levels', page.drawn[1]['data-levels'] == '30,3,2,1,0', page.drawn)
    check('frames: no cause of their own', 'None was written.' in page.texts['issues'], page.texts['issues'])
    page = bench.page(app_trace(), '--issues', spool)
    check('a trace that does not know its time', all('data-start' not in row for row in page.drawn),
          page.drawn)
    none = bench.write('none', issue(2500, 1, 'com.x').encode())
    check('no frames', 'frames' not in bench.page(app_trace(), '--issues', none).texts)


def test_issue_figures(bench):
    """Issues without a stack say what they know."""
    spool = bench.folder / 'spool'
    spool.mkdir()
    issues = [
        own_issue(1, 'START', 0, 2310, start={'kind': 'cold', 'screen': 'a.b.Shop', 'drawn_ms': 2100}),
        own_issue(2, 'CPU', 0, 4000, cpu={'used_ns': 3200 * MS, 'of_ns': 4000 * MS, 'average': False,
                                          'threads': [{'id': 7, 'name': '<b>pool', 'cpu_ns': 1500 * MS}, {'cpu_ns': 1}]}),
        own_issue(3, 'checkout', 100, 0, told={'key': 'empty cart', 'value': {'items': 0}})]
    for number, text in enumerate(issues):
        (spool / f'{number}.json').write_text(json.dumps(text))
    page = bench.page(app_trace(wall=WALL, monotonic=START), '--issues', spool)
    for part in ['cold start, drawn after 2.10 s', '3.20 s of a processor\'s time in 4.00 s, <b>pool 1.50 s',
                 '{"items":0}', 'checkout empty cart']:
        check(f'issues have {part}', part in page.texts['issues'], page.texts['issues'])
    places = [issue.get('data-start') for issue in page.issues]
    check('where issues are', places.count('0') == 2 and str(100 * MS) in places, places)


def test_agreement(bench):
    """The first rows of each table are those of the text, whatever was recorded."""
    long = [enter(2, 0), *(word for i in range(40) for word in (enter(3, 10 * i), leave(3, 10 * i + 3 + i % 3))), leave(2, 900)]
    for what, names, data in [
            ('messages', MAP, app_trace()), ('a loop', MAP, trace([{'words': long}])), ('a profile', PROGRAM, marked_trace()),
            ('idle loops', SERVER, idle_trace()), ('samples', PROGRAM, sampled_trace()), ('nothing', MAP, trace([]))]:
        bench.map.write_text(names)
        _, text, _ = bench.report(data, trust=None)
        found = differences(text, bench.page(data))
        check(f'text and page, {what}', found == [] and (what == 'nothing' or rows_of_text(text, 'Hot path of')), (found, text))
        bench.map.write_bytes(MAP.encode())


def test_open(bench):
    """--open writes the page beside the trace, says where, and hands it to the desktop."""
    opener = bench.write('xdg-open', b'#!/bin/sh\nprintf "%s\\n" "$@" > "$SEEN"\n')
    opener.chmod(0o755)
    data = bench.write('app.mbtrace', app_trace())
    seen = bench.folder / 'seen'
    for options, page in [((), 'app.html'), (('--output', '-x.html'), '-x.html')]:
        done = subprocess.run([METHODBEAT, 'report', '--open', *options, data], cwd=bench.folder,
                              capture_output=True, text=True,
                              env={**os.environ, 'PATH': f'{bench.folder}:{os.environ["PATH"]}',
                                   'SEEN': str(seen), 'DISPLAY': ':0'})
        check('open', (done.returncode, done.stdout) == (0, f'page: {bench.folder.resolve() / page}\n'), done)
        check('the page is there', Page((bench.folder / page).read_text()).faults == [], page)
        check('it was shown', seen.read_text().endswith(f'{page}\n'), seen.read_text())
        check('not as an option', not seen.read_text().startswith('-'), seen.read_text())
    seen.unlink()
    bare = {name: value for name, value in os.environ.items() if name not in ('DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER')}
    done = subprocess.run([METHODBEAT, 'report', '--open', data], capture_output=True, text=True,
                          env={**bare, 'PATH': f'{bench.folder}:{os.environ["PATH"]}', 'SEEN': str(seen)})
    check('without a desktop', (done.returncode, done.stdout, done.stderr, seen.exists()) ==
          (0, f'page: {bench.folder.resolve() / "app.html"}\n', '', False), done)
    done = subprocess.run([METHODBEAT, 'report', '--open', '--format=json', data], capture_output=True)
    check('only pages are shown', done.returncode == 2, done)


def test_same_bytes(bench):
    check('same bytes', bench.write_report(app_trace(), 'html') == bench.write_report(app_trace(), 'html'))


def test_policy(bench):
    """No address outside the page, and a policy that would not let it load one."""
    text = bench.write_report(app_trace(), 'html')
    head = html.unescape(text.split('</head>')[0])
    check('policy', "default-src 'none'" in head and 'unsafe' not in head, head[:600])
    check('no address', '://' not in text, text[max(0, text.find('://') - 80):][:160])


if __name__ == '__main__':
    sys.exit(run_all(globals(), PageBench))
