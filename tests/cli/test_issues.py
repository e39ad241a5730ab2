#!/usr/bin/env python3
"""methodbeat issues: what spools, logs and pipes hold, as people and programs read it.

usage: test_issues.py METHODBEAT FOLDER      FOLDER has the goldens
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
import unicodedata

from checks import Bench, check, on_a_terminal, run_all
from traces import fnv

METHODBEAT, FOLDER = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
DAY = 1790000000000
HOSTILE = '\x1b[31mred\x1b[2J\u202egnp.exe\u2028\x9b31m\x07"\\,\x00\n=cmd()'


class Issues(Bench):
    def run(self, *arguments, code=0, stdin=subprocess.DEVNULL):
        done = subprocess.run([METHODBEAT, 'issues', *map(str, arguments)], capture_output=True,
                              cwd=self.folder, stdin=stdin)
        shown = f'{arguments} {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-2000:]}'
        check('exit code', done.returncode == code, shown)
        for stream in (done.stdout, done.stderr):
            text = stream.decode().replace('\r\n', '\n')
            check('nothing that a terminal obeys',
                  not any(unicodedata.category(c) in ('Cc', 'Zl') and c != '\n' or c == '\u202e'
                          for c in text), shown)
        self.errors = done.stderr.decode()
        return done.stdout.decode()

    def read(self, *arguments, code=0):
        return json.loads(self.run('--format', 'json', *arguments, code=code))

    def spool(self):
        """Of one process: two stalls of one method, a copy for Matrix, and one of another."""
        day = 'spool/com.x/20260921/'
        first = issue('LAG', 2500, number=1, frames=['a.b.C.wait', 'a.b.C.load', 'a.b.C.run'],
                      busy=False, samples=9, repeats=8)
        copy = dict(first, detail='NORMAL', methodbeat=dict(first['methodbeat'], detail='NORMAL'))
        self.file(day + '142000.000-LAG-1.json', f'{json.dumps(first)}\n{json.dumps(copy)}\n')
        self.file(day + '142001.000-NORMAL-2.json', issue('NORMAL', 900, number=2, time=DAY + 5000))
        self.file(day + '142002.000-ANR-3.json',
                  issue('ANR', 6100, number=3, key=0, frames=['x.Y.z'], busy=True, ended='killed'))
        self.file(day + '.142003.000-LAG-4.json', '{"half')
        self.file('spool/com.x/.5f1c-5', b'\0\1\2')
        return self.folder / 'spool'


def issue(detail, ms, number=1, key=171, frames=(), time=DAY, busy=None, ended='normal', mapping='',
          samples=0, repeats=0, scene='a.b.Main', message='Handler (a.b.C$D) {..} a.b.C$1: 7',
          process='com.x'):
    own = {'schema': 1, 'incident': f'5f1c-{number}', 'detail': detail, 'loop': 'main',
           'message': message, 'begin_ns': number * 10**9, 'cost_ns': ms * 10**6,
           'watched_ns': ms * 10**6, 'ended': ended}
    if busy is not None:
        own['busy'] = busy
    if frames:
        own['hottest'] = {'samples': samples, 'frames': list(frames), 'repeats': [repeats]}
        own['app_key'] = frames[0]
    if mapping:
        own['mapping'] = mapping
    return {'tag': 'Trace_EvilMethod', 'process': process, 'time': time, 'detail': detail,
            'cost': ms, 'usage': '', 'scene': scene,
            'stack': f'0,1048574,1,{ms}\n1,{key},3,{ms - 30}\n' if key else '',
            'stackKey': f'{key}|' if key else '', 'methodbeat': own}


def matrix_log():
    normal = ('{"machine":"HIGH","cpu_app":0,"mem":3,"mem_free":4,"detail":"NORMAL","cost":1270,'
              '"usage":"66.33%","scene":"a.b.Main","stack":"0,1048574,1,1270\\n1,171,3,1200\\n",'
              f'"stackKey":"171|","tag":"Trace_EvilMethod","process":"com.m","time":{DAY}}}')
    lag = ('{"detail":"LAG","scene":"a.b.Main","threadStack":"\\tat a.b.C.m(C.java:3)\\n\\tat '
           'a.b.C.n(C.java:4)\\n","isProcessForeground":true,"tag":"Trace_EvilMethod",'
           f'"process":"com.m","time":{DAY + 1000}}}')
    return (f'11-22 06:00:00.1 I/Matrix.x: detect issue>>> tag[Trace_EvilMethod]type[0];key[171|];'
            f'content[{normal}]\n'
            '11-22 06:00:00.2 I/other: {"level":3} {broken {"a":1\n'
            f'11-22 06:00:00.3 W/Matrix.x: {lag}\r\n'
            '11-22 06:00:00.4 I/Matrix.x: {"tag":"Trace_FPS","fps":59.9,"scene":"a.b.Main"}\n'
            f'11-22 06:00:00.5 I/Matrix.x: {lag[:90]}\n')


METHOD_MAP = '171,1,a.b.C load (I)V\n172,1,a.b.C save ()V\n'


def golden(bench, name, output):
    path = FOLDER / name
    output = output.replace('\r\n', '\n')
    if os.environ.get('MB_UPDATE_GOLDEN'):
        path.write_text(output)
    check(f'{name} is as it was', path.exists() and output == path.read_text(), output)


def test_a_spool_as_people_read_it(bench):
    spool = bench.spool()
    bench.file('spool/methodMapping.txt', METHOD_MAP)
    bench.file('matrix.log', matrix_log())
    golden(bench, 'spool.txt', bench.run('spool'))
    golden(bench, 'matrix.txt', bench.run('matrix.log', '--method-map', spool / 'methodMapping.txt'))
    golden(bench, 'detail.txt', bench.run('spool', '--group=detail', '--top=1'))
    golden(bench, 'nothing.txt', bench.run('spool', '--detail=HANG'))
    golden(bench, 'spool.csv', bench.run('spool', '--format=csv'))
    golden(bench, 'spool.json', bench.run('spool', '--format=json'))


def test_groups_go_by_what_costs_most(bench):
    found = bench.read(bench.spool())
    check('issues, the copy counts once', found['issues'] == 3 and found['doubles'] == 1, found)
    check('names by number', [g['group'] for g in found['groups']] == ['x.Y.z', '#171'], found)
    check('sums', [g['total_ns'] for g in found['groups']] == [6100000000, 3400000000], found)
    for grouping, labels in {'detail': ['ANR', 'LAG', 'NORMAL'], 'scene': ['a.b.Main'],
                             'app': ['com.x'], 'day': ['2026-09-21']}.items():
        groups = bench.read('spool', '--group', grouping)['groups']
        check(grouping, [g['group'] for g in groups] == labels, groups)


MAPPING = '''com.app.Cart -> a.b:
    1:2:void com.app.Item.price():7:8 -> a
    1:2:void total():20 -> a
    3:3:void clear():30:30 -> a
    void load() -> b
com.app.Main$1 -> a.c:
'''


def test_sampled_frames_of_a_shrunk_program_are_named(bench):
    bench.file('mapping.txt', MAPPING)
    frames = ['a.b.a', 'a.b.b', 'a.c.run', 'java.lang.Thread.run']
    bench.file('lag.json', issue('LAG', 2500, key=0, frames=frames, samples=9, repeats=8))
    matrix = {'tag': 'Trace_EvilMethod', 'detail': 'ANR', 'process': 'com.m', 'time': DAY, 'scene': 'a.c',
              'threadStack': 'at a.b.a(SourceFile:2)\n\tat a.c.run(SourceFile)\n'}
    bench.file('matrix.json', matrix)
    shown = bench.run('lag.json', '--mapping', 'mapping.txt')
    check('as text', re.search(r'^com\.app\.Cart\.total or clear\n', shown, re.M) and re.search(
        r'com\.app\.Cart\.total or clear\n +com\.app\.Cart\.load\n +com\.app\.Main\$1\.run\n +java\.lang', shown),
        shown)
    for name, wanted in {
            'lag.json': ['com.app.Cart.total or clear', 'com.app.Cart.load', 'com.app.Main$1.run', frames[3]],
            'matrix.json': ['com.app.Item.price:8', 'com.app.Cart.total:20', 'com.app.Main$1.run']}.items():
        found, = bench.read(name, '--mapping', 'mapping.txt')['groups']
        check(f'{name}: frames', found['longest']['frames'] == wanted, found)
        check(f'{name}: the group has no line', found['group'] == wanted[0].split(':')[0], found)
    found, = bench.read('lag.json')['groups']
    check('without a mapping', found['longest']['frames'] == frames, found)
    bench.file('broken.txt', 'a -> b')
    bench.run('lag.json', '--mapping', 'broken.txt', code=1)
    check('a mapping that is none', 'broken.txt:1' in bench.errors, bench.errors)
    bench.run('lag.json', '--mapping', 'missing.txt', code=1)


def build(identity, name, more=''):
    return f'# compiler: R8\n# pg_map_id: {identity}\ncom.app.{name} -> a.b:\n    1:1:void run():7:7 -> a\n{more}'


def test_each_stack_is_named_by_the_mapping_of_its_build(bench):
    """Its frames say which, else its app; another build's is refused by name."""
    long = 'aa55aa55' * 8
    bench.file('maps/5.1/mapping.txt', build('bb66bb6', 'Old'))
    bench.file('maps/5.2/mapping.txt', build(long, 'New'))
    bench.file('maps/5.2/usage.txt', 'a.b\n')
    bench.file('maps/5.3/mapping.txt', build('dd88dd88', 'Broken', '    broken\n'))
    frames = {'new': f'a.b.a(r8-map-id-{long}:1)', 'old': 'a.b.a(r8-map-id-bb66bb66bb66:1)', 'by app': 'a.b.a(SourceFile:1)',
              'both': f'a.b.a(r8-map-id-{long}:1)', 'other': 'a.b.a(r8-map-id-cc77cc77:1)', 'none': 'a.b.a(SourceFile:1)',
              'broken': 'a.b.a(r8-map-id-dd88dd88:1)'}
    for number, (name, frame) in enumerate(frames.items()):
        one = issue('LAG', 2500, number=number + 1, key=0, frames=[frame])
        if name in ('by app', 'both'):
            one['methodbeat']['app'] = {'id': 'x', 'r8': 'bb66bb6'}
        bench.file(name + '.json', one)
    wanted = {'new': ('com.app.New.run:7', ''), 'old': ('com.app.Old.run:7', ''), 'by app': ('com.app.Old.run:7', ''),
              'both': ('com.app.New.run:7', ''), 'other': (frames['other'], 'maps: has no mapping of build cc77cc77'),
              'none': (frames['none'], 'maps: has mappings of 3 builds'), 'broken': (frames['broken'], '5.3/mapping.txt:5')}
    for name, (frame, warning) in wanted.items():
        found, = bench.read(name + '.json', '--mapping', 'maps')['groups']
        check(name, found['longest']['frames'] == [frame], found)
        check(f'{name}: warnings', warning in bench.errors and bool(warning) == bool(bench.errors), bench.errors)
    found, = bench.read('old.json', '--mapping', 'maps/5.2/mapping.txt')['groups']
    check('refused by name', found['longest']['frames'] == [frames['old']] and 'maps/5.2/mapping.txt: is of build aa55aa55aa55: '
          'what is of build bb66bb66bb66 keeps its names' in bench.errors, bench.errors)
    bench.run('old.json', '--mapping', 'maps/5.3', code=0)
    (bench.folder / 'maps/none').mkdir()
    bench.run('old.json', '--mapping', 'maps/none', code=1)
    check('a folder without any', 'has no mapping file' in bench.errors, bench.errors)
    bench.file('methodMapping.txt', '171,1,a.b a ()V\n')
    one = issue('LAG', 2500, mapping=f'{fnv((bench.folder / "methodMapping.txt").read_bytes()):x}')
    one['methodbeat']['app'] = {'id': 'x', 'r8': long[:12]}
    bench.file('traced.json', one)
    found, = bench.read('traced.json', '--mapping', 'maps')['groups']
    check('names of the method map', found['group'] == 'com.app.New.run', found)


def test_a_stack_that_is_cut_says_so(bench):
    """Of 64 kB whole frames are kept, and the cut is no function to blame; with a mapping, too."""
    bench.file('mapping.txt', 'com.app.AnotherRatherLongName -> java.a:\n')
    long = [f'java.a.recursive{number:06}' for number in range(4000)]
    bench.file('deep.json', issue('LAG', 2500, key=0, frames=long + ['own.C.m']))
    for options in ((), ('--mapping', 'mapping.txt')):
        found, = bench.read('deep.json', *options)['groups']
        frames = found['longest']['frames']
        check('cut', frames[-1] == '(more, cut off at 64 KiB)' and 1000 < len(frames) < 4000, frames[-3:])
        check('whole frames', all(len(frame) == len(frames[0]) for frame in frames[:-1]), frames[-3:])
        check('no blame', found['group'].endswith('recursive000000'), found['group'])
        check('in text', f'({len(frames) - 9} more, and those cut off at 64 KiB)' in bench.run('deep.json', *options), len(frames))
    bench.file('deep.json', issue('LAG', 2500, key=0, frames=long[:2500]))
    frames = bench.read('deep.json')['groups'][0]['longest']['frames']
    check('one that fits', frames == long[:2500], frames[-3:])


def test_lines_name_the_method_and_what_was_inlined(bench):
    """Of overloads and merged methods the line tells which; groups are of methods, whatever the line."""
    bench.file('mapping.txt', MAPPING)
    issues = [issue('LAG', 2500 + n, number=n, key=0, frames=[f'a.b.a({file}:{line})', 'a.c.run(SourceFile:9)'])
              for n, (file, line) in enumerate([('SourceFile', 1), ('Unknown Source', 2), ('r8-map-id-1f', 3)])]
    for one in issues:
        one['methodbeat']['app_key'] = 'a.b.a'
    bench.file('lines.json', '\n'.join(map(json.dumps, issues)))
    plain, = bench.read('lines.json')['groups']
    check('without a mapping: one group', (plain['group'], plain['issues']) == ('a.b.a', 3), plain)
    other, exact = sorted(bench.read('lines.json', '--mapping', 'mapping.txt')['groups'], key=lambda g: g['group'])
    check('a line of the method, and of one inlined there, which is to blame', (exact['group'], exact['issues']) ==
          ('com.app.Item.price', 2), exact)
    check('what was inlined comes back', exact['longest']['frames'] ==
          ['com.app.Item.price:8', 'com.app.Cart.total:20', 'com.app.Main$1.run:9'], exact)
    check('a line of the other method', other['group'] == 'com.app.Cart.clear', other)
    bench.file('threads.json', {'tag': 'Trace_EvilMethod', 'detail': 'ANR', 'process': 'p', 'time': DAY,
                                'scene': 's', 'threadStack': 'at x.Y.z(Y.java:7)\nat x.Y.run(Y.java:9)\n'})
    found, = bench.read('threads.json')['groups']
    check('of a stack of Matrix', found['group'] == 'x.Y.z' and
          found['longest']['frames'] == ['x.Y.z(Y.java:7)', 'x.Y.run(Y.java:9)'], found)


WAIT = ['jdk.internal.misc.Unsafe.park', 'java.util.concurrent.locks.LockSupport.parkNanos(LockSupport.java:252)']
BLOCKING = '''kotlinx.coroutines.BlockingCoroutine -> x.b:
    1:1:java.lang.Object joinBlocking():121:121 -> a
com.app.Main -> x.c:
    1:1:void load():5:5 -> a
    2:2:void news():6:6 -> a
    3:3:void lib.Pool.get():9:9 -> a
    3:3:void load():7 -> a
'''


def test_a_shrunk_program_has_the_groups_of_the_plain_one(bench):
    """Whom to blame is chosen by original names: the writer chose the library, by names that R8 had changed."""
    def spool(name, frames, **more):
        issues = [issue('LAG', 2000, number=n, key=0, frames=rows) for n, rows in enumerate(frames)]
        for one, rows in zip(issues, frames):
            one['methodbeat'].update(app_key=rows[-2].split('(')[0], platform='lib.')
        bench.file(name, '\n'.join(map(json.dumps, issues)))
        return sorted((g['group'], g['longest']['app_key'], g['longest'].get('waits_in'))
                      for g in bench.read(name, *more.get('options', ()))['groups'])
    joined = 'kotlinx.coroutines.BlockingCoroutine.joinBlocking'
    main = ['java.lang.Thread.run(Thread.java:840)']
    plain = spool('plain.json', [[*WAIT, f'{joined}(Builders.kt:121)', 'com.app.Main.load(Main.kt:5)', *main],
                                 [*WAIT, f'{joined}(Builders.kt:121)', 'com.app.Main.news(Main.kt:6)', *main],
                                 ['lib.Pool.get(Pool.java:9)', 'com.app.Main.load(Main.kt:7)', *main]])
    check('two callers are two causes', plain == [
        ('com.app.Main.load', 'com.app.Main.load', None),
        (f'com.app.Main.load in {joined}', 'com.app.Main.load', joined),
        (f'com.app.Main.news in {joined}', 'com.app.Main.news', joined)], plain)
    bench.file('blocking.txt', BLOCKING)
    shrunk = spool('shrunk.json', [[*WAIT, 'x.b.a(SourceFile:1)', f'x.c.a(SourceFile:{line})', *main] for line in (1, 2)] +
                   [['x.c.a(SourceFile:3)', *main]], options=('--mapping', 'blocking.txt'))
    check('shrunk', shrunk == plain, shrunk)


def matrix_issue(stack):
    return {'tag': 'Trace_EvilMethod', 'detail': 'LAG', 'process': 'com.m', 'time': DAY, 'scene': 'a.c', 'threadStack': stack}


def test_stacks_are_read_as_matrix_writes_them(bench):
    """Its Utils.getStack, with and without the lead of its log, and getWholeStack; a line below 0 is none."""
    bench.file('mapping.txt', MAPPING)
    frames = [('a.b', 'a', 2), ('a.c', 'run', -2), ('java.lang.Thread', 'run', 829)]
    for name, stack in {
            'colon': ' \n' + ''.join(f'at {c}:{m}({n})\n' for c, m, n in frames),
            'logged': ' \n' + ''.join(f'|*\t\tat {c}:{m}({n})\n' for c, m, n in frames)}.items():
        bench.file('matrix.json', matrix_issue(stack))
        found, = bench.read('matrix.json', '--mapping', 'mapping.txt')['groups']
        check(f'{name}: named', (found['group'], found['longest']['frames']) == ('com.app.Item.price', [
            'com.app.Item.price:8', 'com.app.Cart.total:20', 'com.app.Main$1.run',
            'java.lang.Thread.run(Unknown Source:829)']), found)
        found, = bench.read('matrix.json')['groups']
        check(f'{name}: no line in the group', found['group'] == 'a.b.a', found)
    bench.file('plain.json', matrix_issue('java.lang.Object.wait(Native Method)\na.c.run(X.java:7)\n'))
    found, = bench.read('plain.json')['groups']
    check('the program\'s own function', found['group'] == 'a.c.run', found)


THREADS = '''----- pid 4711 at 2026-11-20 09:12:31.123456789+0100 -----
Cmd line: com.x

"Signal Catcher" daemon prio=10 tid=6 Runnable
  native: #00 pc 000000000053a6e0  /apex/com.android.art/lib64/libart.so (art::DumpNativeStack(...)+152)
  (no managed stack frames)

%s
  | sysTid=4711 nice=-10 cgrp=top-app
%s
"pool-1-thread-1" prio=5 tid=21 Sleeping
  at a.b.b(SourceFile:7)
  - locked <0x0a1b2c3d> (a java.lang.Object)
'''
JAVA_FRAMES = '''  native: #00 pc 00000000000d1c88  /system/lib64/libc.so (syscall+28) (BuildId: 00)
  at a.b.a(SourceFile:3)
  - waiting to lock <0x0a1b2c3d> (a java.lang.Object) held by thread 21
  at android.os.Looper.loop(Looper.java:294)
'''
NATIVE_FRAMES = '''    #00 pc 00000000000d1c88  /apex/com.android.runtime/lib64/bionic/libc.so (__epoll_pwait+8) (BuildId: 00)
    #01 pc 0000000000017e5c  /data/app/x/lib/arm64/libgame.so (game::Loop::wait(int, int*)+112)
    #02 pc 0000000000000001  /data/app/x/lib/arm64/libgame.so
'''


def test_the_system_s_text_of_a_death_is_a_stack(bench):
    """The main thread, whatever it is called and wherever it stands."""
    def death(header, frames):
        one = issue('EXIT_ANR', 0, key=0, message='')
        one['methodbeat'].update(pid=4711, threads=THREADS % (header, frames))
        return one
    bench.file('mapping.txt', MAPPING)
    for header in ('"main" prio=5 tid=1 Blocked', '"com.x" sysTid=4711', '"thread-x" sysTid=4711', '"y" prio=5 tid=1 Native'):
        bench.file('death.json', death(header, JAVA_FRAMES))
        found, = bench.read('death.json', '--mapping', 'mapping.txt')['groups']
        check(f'{header}: named', (found['group'], found['longest']['frames']) == ('com.app.Cart.clear', [
            '/system/lib64/libc.so (syscall)', 'com.app.Cart.clear:30', 'android.os.Looper.loop(Looper.java:294)']), found)
        check('and so are the others', 'com.app.Cart.load:7\n  - locked' in found['longest']['threads'], found)
    check('where to see them', 'json shows the stacks of all' in (shown := bench.run('death.json')), shown)
    several = death('"main" prio=5 tid=1 Blocked', JAVA_FRAMES)
    several['methodbeat']['threads'] = ('----- pid 999 at 2026-11-20 -----\nCmd line: y\n\n"main" prio=5 tid=1 Native\n  at y.Other.wait(Y.java:7)\n\n'
                                        '----- end 999 -----\n\n----- pid 4711 at 2026-11-20 -----\n' + several['methodbeat']['threads'])
    bench.file('several.json', several)
    found, = bench.read('several.json', '--mapping', 'mapping.txt')['groups']
    check('of several processes its own', found['group'] == 'com.app.Cart.clear', found)
    bench.file('native.json', death('"com.x" sysTid=4711', NATIVE_FRAMES))
    found, = bench.read('native.json')['groups']
    check('native frames', (found['group'], found['longest']['frames'][0]) == (
        '/data/app/x/lib/arm64/libgame.so (game::Loop::wait(int, int*))',
        '/apex/com.android.runtime/lib64/bionic/libc.so (__epoll_pwait)'), found)
    bench.file('other.json', death('"RenderThread" prio=7 tid=9 Native', JAVA_FRAMES))
    found, = bench.read('other.json')['groups']
    check('without it the detail', found['group'] == 'EXIT_ANR', found)


def test_a_death_is_told_in_the_system_s_words(bench):
    death = issue('EXIT_ANR', 0, key=0, scene='', message='', ended='killed')
    death['methodbeat'].update(reason='timed out\x1b[31m (com.x/a.b.Main)', confirmed=True, pid=4711, threads='"main" prio=5')
    bench.file('death.json', death)
    shown = bench.run('death.json')
    check('as text', re.search(r'^  system     timed out.* \(com\.x/a\.b\.Main\)$', shown, re.M), shown)
    check('how long it was, nobody knows', re.search(r'^  longest    EXIT_ANR, ended: killed', shown, re.M), shown)
    found = bench.read('death.json')['groups'][0]
    check('as JSON', found['group'] == 'EXIT_ANR' and found['longest']['reason'] == death['methodbeat']['reason'], found)


def test_frames_that_lack_a_time_are_told(bench):
    one = issue('FPS', 0, key=0, message='')
    one['methodbeat']['frames'] = {'count': 244, 'late_ms': 5937, 'longest_ms': 41, 'refresh': 60.0, 'lacking': 12}
    bench.file('odd.json', one)
    shown = ' '.join(bench.run('odd.json').split())
    check('how many', 'longest 41.0 ms, 12 lack a time that the device did not know' in shown, shown)
    del one['methodbeat']['frames']['lacking']
    bench.file('even.json', one)
    check('none does', 'lack' not in (shown := bench.run('even.json')), shown)


def test_what_a_spool_left_out_is_told(bench):
    one, two = issue('LAG', 900, number=1), issue('LAG', 900, number=2)
    one['methodbeat']['counted'], two['methodbeat']['counted'] = {'same_key_today': 1}, {'same_key_today': 41}
    bench.file('day.json', f'{json.dumps(one)}\n{json.dumps(two)}\n')
    check('as text', '  a day      41 or more on one device, of' in (shown := bench.run('day.json')), shown)
    check('as JSON', (found := bench.read('day.json'))['groups'][0]['seen_in_a_day'] == 41, found)
    one['methodbeat']['counted'] = {'same_key_today': 2}
    two = issue('LAG', 900, number=2, key=0, frames=['x.Y.z'])
    bench.file('few.json', f'{json.dumps(one)}\n{json.dumps(two)}\n')  # of one key on the device, which writes both
    check('none was', 'a day' not in (shown := bench.run('few.json')), shown)


def test_a_huge_file_in_a_folder_keeps_no_other_out(bench):
    bench.file('huge/b.json', issue('LAG', 900))
    with open(bench.folder / 'huge/a.json', 'wb') as file:
        file.truncate(10 ** 12)
    found = bench.read('huge')
    check('others', found['issues'] == 1, found)
    check('named', [row['reason'] for row in found['damaged']][0] == 'the rest of more than 256 MB', found)


def test_filters(bench):
    bench.spool()
    now = int(time.time() * 1000)
    bench.file('spool/new.json', issue('LAG', 3000, number=9, time=now - 3600000))
    for options, count in ((['--detail', 'lag,ANR'], 3), (['--detail=NORMAL'], 1),
                           (['--since', '2h'], 1), (['--since=30m'], 0), (['--since=900000d'], 4)):
        found = bench.read('spool', *options)
        check(f'{options}', found['issues'] == count and found['left_out'] == 4 - count, found)
    for wrong in (['--since', '2w'], ['--since', 'd'], ['--since=-1d'], ['--group=x'],
                  ['--format=html'], ['--top=x'], []):
        bench.run(*wrong, *(['spool'] if wrong else []), code=2)


def test_names_come_from_the_map_of_the_hash(bench):
    path = bench.file('maps/methodMapping.txt', METHOD_MAP)
    hashed = fnv(path.read_bytes())
    bench.file('a/1.json', issue('NORMAL', 900, mapping=f'{hashed:x}'))
    bench.file('a/2.json', issue('NORMAL', 800, number=2, mapping='1234'))
    one, other = bench.read('a', '--method-map=maps')['groups']
    check('the right one', one['group'] == 'a.b.C.load', one)
    check('its calls', one['longest']['calls'][1]['name'] == 'a.b.C.load', one)
    check('no other', other['group'] == '#171 of map 0000000000001234', other)
    check('it is said', 'no method map with the hash 0000000000001234' in
          ' '.join(bench.run('a', '--method-map=maps').split()))
    named = bench.read('a', f'--method-map={path}')['groups']
    check('a named map is not for others', [g['group'] for g in named] ==
          ['a.b.C.load', '#171 of map 0000000000001234'], named)
    bench.run('a', '--method-map=none.txt', code=1)


def test_issues_of_matrix(bench):
    path = bench.file('m.log', matrix_log())
    found = bench.read(path)
    check('both', found['issues'] == 2 and found['others'] == 1, found)
    check('the cut one is named', [d['place'][-7:] for d in found['damaged']] == ['m.log:5'], found)
    lag = found['groups'][1]
    check('its stack', lag['group'] == 'a.b.C.m' and
          lag['longest']['frames'] == ['a.b.C.m(C.java:3)', 'a.b.C.n(C.java:4)'], lag)
    check('its time is not known', 'cost_ns' not in lag['longest'], lag)
    many = [issue('LAG', 3000, number=n) for n in range(200)]
    for text in (json.dumps(many), json.dumps(many, indent=2), json.dumps(many, separators=(',', ':')),
                 '\r\n'.join(json.dumps(i) for i in many)):
        found = bench.read(bench.file('many.json', text))
        check('any form', found['issues'] == 200 and not found['damaged'], text[:50])


def test_issues_of_the_program_itself(bench):
    for number, (detail, key, value) in enumerate((('checkout', 'cart', {'items': 0}), ('checkout', 'cart', 7),
                                                   ('checkout', '', HOSTILE), ('sync', 'cart', None))):
        own = issue(detail, 0, number=number, key=0, message='')
        own['methodbeat']['told'] = {'key': key, 'thread': 'main', 'value': value}
        bench.file(f'own/{number}.json', own)
    found = bench.read('own')
    groups = {g['group']: g['issues'] for g in found['groups']}
    check('by detail and key', groups == {'checkout cart': 2, 'checkout': 1, 'sync cart': 1}, found)
    check('without a length', not any('cost_ns' in g['longest'] for g in found['groups']), found)
    check('what they hold', {g['longest']['told'] for g in found['groups']} >=
          {'{"items":0}', 'null'}, found)
    check('chosen', bench.read('own', '--detail=SYNC')['issues'] == 1)
    check('shown', 'told       {"items":0}' in bench.run('own'), bench.run('own'))


def test_groups_say_which_versions_and_devices(bench):
    def from_app(number, **app):
        one = issue('LAG', 2500, number=number)
        one['methodbeat']['app'] = dict({'id': 'com.x', 'os': 'Android'}, **app)
        return one

    issues = [from_app(n, version='5.2', model='Pixel 6', os_level='33') for n in range(3)]
    issues += [from_app(3, version='5.1', model='Pixel 6', os_level=33), from_app(4, version='5.1', os='Linux', os_level='6.1'),
               from_app(5, version=7, model=[], os_level={}, os=None), issue('LAG', 2500, number=6)]
    issues += [from_app(7 + n, version=f'4.{n:02}', model='x.' * 5000) for n in range(30)]
    bench.file('from.json', '\n'.join(map(json.dumps, issues)))
    bench.file('none.json', issues[6])
    text = bench.run('from.json')
    lines = on_a_terminal([METHODBEAT, 'issues', bench.folder / 'from.json']).decode().splitlines()
    check('lines fit', max(map(len, lines)) <= 80, lines)
    words = ' '.join(text.split())
    check('versions, bounded', re.search(r' versions 5\.2 x 3, 5\.1 x 2, 4\.00 x 1, (4\.0\d x 1,? ){5}and 24 more ', words), text)
    check('devices', ', Pixel 6 (API 33) x 4, Linux 6.1 x 1 ' in words, text)
    found, = bench.read('from.json')['groups']
    check('as JSON', found['versions'][:2] == [{'name': '5.2', 'issues': 3}, {'name': '5.1', 'issues': 2}] and
          len(found['versions']) == 8 and found['more_versions'] == 24 and 'more_devices' not in found, found)
    row, = csv.DictReader(io.StringIO(bench.run('from.json', '--format=csv'), newline=''))
    check('as CSV', row['versions'].startswith('5.2 x 3, 5.1 x 2, ') and row['versions'].endswith('and 24 more') and
          row['devices'].endswith(', Pixel 6 (API 33) x 4, Linux 6.1 x 1'), row)
    found, = bench.read('none.json')['groups']
    check('of none nothing is said', not {'versions', 'devices'} & set(found) and 'versions' not in bench.run('none.json'))


def test_damage_is_named(bench):
    whole = json.dumps(issue('LAG', 3000))
    bench.file('bad/cut.json', whole[:-10])
    bench.file('bad/empty.json', '')
    bench.file('bad/words.json', 'nothing here\n')
    bench.file('bad/class.json', b'\xca\xfe\xba\xbe\0\0')
    bench.file('bad/utf8.json', whole.replace('com.x', 'X').encode().replace(b'"X"', b'"\xff"'))
    bench.file('bad/deep.json', '{"methodbeat":' * 5000)
    bench.file('bad/good.json', whole)
    os.mkfifo(bench.folder / 'bad/pipe.json')
    os.symlink(bench.folder, bench.folder / 'bad/loop')
    found = bench.read('bad')
    check('the good one', found['issues'] == 1, found)
    names = sorted(pathlib.Path(d['place']).name for d in found['damaged'])
    check('each once', names == ['class.json', 'cut.json:1', 'deep.json:1',
                                 'empty.json', 'pipe.json', 'utf8.json:1', 'words.json'], found)
    check('and on standard error', 'bad/empty.json' in bench.errors, bench.errors)
    bench.run('bad', '--strict', code=1)
    bench.run('bad/good.json', '--strict')
    bench.run('none', 'bad/good.json', code=1)
    for member in ('time', 'cost', 'detail', 'stack', 'stackKey', 'methodbeat', 'process'):
        for value in (None, [], {}, -1, 2**63 - 1, 1.5, True, '\0', '1' * 40):
            wrong = dict(issue('LAG', 3000), **{member: value})
            bench_file = bench.file('wrong.json', wrong)
            if (member, value) in (('cost', -1), ('time', 2**63 - 1)) or member == 'methodbeat':
                for form in ('text', 'json', 'csv'):
                    bench.run('--format', form, bench_file)


def test_cut_anywhere(bench):
    lines = ''.join(json.dumps(issue('LAG', 3000, number=n)) + '\n' for n in range(3))
    for size in range(0, len(lines), 97):
        found = bench.read(bench.file('cut.json', lines[:size]))
        check('whole ones count', found['issues'] == lines[:size].count('}}\n') or
              lines[:size].endswith('}}'), found)


def test_hostile_names(bench):
    long = 'x.' * 5000 + 'Y.z'
    path = bench.file('h.json', json.dumps(issue(
        HOSTILE, 3000, key=0, frames=[HOSTILE, long], scene=HOSTILE, message=long, process=HOSTILE,
        ended=HOSTILE)) + '\n' + json.dumps(issue('LAG', 9000, number=2, key=0, frames=[long])))
    check('in full', long in bench.run(path))
    text = on_a_terminal([METHODBEAT, 'issues', path]).decode()
    check('lines fit', max(map(len, text.replace('\r', '').splitlines())) <= 80 or str(path) in text, text)
    rows = list(csv.reader(io.StringIO(bench.run(path, '--format=csv'), newline='')))
    check('rows', len(rows) == 3 and all(len(row) == len(rows[0]) for row in rows), rows)
    check('no formula', not any(cell[:1] in '=+@' for row in rows for cell in row if cell), rows)
    check('as it was', bench.read(path)['groups'][1]['longest']['process'] == HOSTILE)
    os.rename(path, bench.folder / 'a\x1b[31m.json')
    bench.run(bench.folder)


def test_pipes(bench):
    path = bench.folder / 'pipe'
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(json.dumps(issue('LAG', 3000)),))
    writer.start()
    check('a pipe', bench.read(path)['issues'] == 1)
    writer.join()
    with open(bench.file('in.json', issue('LAG', 3000)), 'rb') as stdin:
        check('standard input', '1 issue' in bench.run('-', stdin=stdin))


def test_much(bench):
    """10,000 issues in one file of 8 MB, a stack of all of them kept once."""
    line = json.dumps(issue('LAG', 3000, number=123456, frames=['a.b.C.load', 'a.b.C.run'])) + '\n'
    with open(bench.folder / 'much.log', 'w') as file:
        for number in range(10000):
            file.write(line.replace('123456', str(200000 + number)))
    found = bench.read('much.log')
    check('all', found['issues'] == 10000 and len(found['groups']) == 1, found['issues'])


sys.exit(1 if run_all(globals().copy(), Issues) else 0)
