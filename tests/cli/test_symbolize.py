#!/usr/bin/env python3
"""The symbolize subcommand: logs and issues as Matrix writes them.

usage: test_symbolize.py METHODBEAT
"""
import json
import pathlib
import random
import select
import subprocess
import sys
import time

from checks import check, run_all
from traces import MAP, MESSAGE, enter, leave, trace

METHODBEAT = sys.argv[1]
ISSUE = {'detail': 'NORMAL', 'cost': 1006, 'stack': '0,1048574,1,1006\n1,2,1,1000\n',
         'stackKey': '2|', 'tag': 'Trace_EvilMethod'}
NAMED = {**ISSUE, 'stack': '0,android.os.Handler.dispatchMessage,1,1006\n1,a.Slow.load,1,1000\n',
         'stackKey': 'a.Slow.load|'}


class Bench:
    """A folder with a method map, and symbolize with that map."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.map = self.write('map.txt', MAP)
        self.command = [METHODBEAT, 'symbolize', '--method-map', self.map]

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def run(self, data, *arguments):
        result = subprocess.run([*self.command, *arguments], input=data, capture_output=True)
        return result.returncode, result.stdout, result.stderr.decode()


def test_the_log_of_a_report(bench):
    """What report writes is what symbolize reads."""
    words = [enter(MESSAGE, 0), enter(1, 0), enter(2, 100), leave(2, 900), leave(1, 1000),
             leave(MESSAGE, 1000)]
    path = bench.folder / 'trace'
    path.write_bytes(trace([{'words': words}]))
    printed = subprocess.run([METHODBEAT, 'report', '--method-map', bench.map, '--format=matrix',
                              path], capture_output=True).stdout
    code, out, error = bench.run(printed)
    for line in [b'|*\t\tStackKey: a.Slow.load|\n', b'|*\t\t..a.Slow.load 1 800\n',
                 b'|*\t\tandroid.os.Handler.dispatchMessage 1 1000\n']:
        check(f'the log of a report lacks {line}', code == 0 and line in out, out)
    check('the rest of the log', [line for line in printed.splitlines() if b'Stack' not in line
                                  and b'1 ' not in line and b'2 ' not in line] ==
          [line for line in out.splitlines() if b'Stack' not in line and b' 1 ' not in line],
          out)


def test_issues(bench):
    for text in [json.dumps(ISSUE), json.dumps(ISSUE, indent=4)]:
        code, out, error = bench.run(text.encode())
        check('an issue', code == 0 and json.loads(out) == NAMED, out)
    code, out, error = bench.run(json.dumps({'content': json.dumps(ISSUE)}).encode())
    check('an issue in an issue', json.loads(json.loads(out)['content']) == NAMED, out)


def test_overloads(bench):
    bench.write('map.txt', '7,1,a.B of (ILjava.lang.String;[[JLa.B$C;)V\n8,1,a.B of ()V\n'
                '9,1,a.B alone (I)V\n10,1,a.B broken (L\n11,1,a.B broken ([Q)V\n'
                '12,1,a.B get (I)Ljava.lang.Object;\n13,1,a.B get (I)[J\n'
                '14,1,a.B get ()V\n15,1,a.B set ()V\n16,1,a.B set ()I\n')
    code, out, error = bench.run(b''.join(b'1,%d,1,5\n' % id for id in range(7, 17)))
    check('overloads', out == b'1,a.B.of(int,String,long[][],B$C),1,5\n'
          b'1,a.B.of(),1,5\n1,a.B.alone,1,5\n1,a.B.broken(),1,5\n1,a.B.broken([]),1,5\n'
          b'1,a.B.get(int): Object,1,5\n1,a.B.get(int): long[],1,5\n1,a.B.get(),1,5\n'
          b'1,a.B.set(): void,1,5\n1,a.B.set(): int,1,5\n', out)


def test_names(bench):
    code, out, error = bench.run(b'1,4,1,5\n')
    check('a native method has no descriptor', out == b'1,b.Pool.stop,1,5\n', out)
    mapping = bench.write('mapping.txt', 'com.example.Loader -> a.Slow:\n'
                          '    1:4:void fetch():10:13 -> load\n')
    code, out, error = bench.run(b'1,2,1,7\n', '--mapping', mapping)
    check('original names', out == b'1,com.example.Loader.fetch,1,7\n' and not error, out)
    mapping.write_text(mapping.read_text() + 'com.x.Last -> a.Slow:\n    void last() -> load\n')
    code, out, error = bench.run(b'1,2,1,7\n', '--mapping', mapping)
    check('of a class twice the last', out == b'1,com.x.Last.last,1,7\n' and 'has a/Slow twice' in error, (out, error))
    code, out, error = bench.run(b'1,2,1,7\n', '--mapping', bench.write('empty.txt', ''))
    check('an empty mapping', (code, out) == (0, b'1,a.Slow.load,1,7\n') and 'empty.txt: names no class' in error, error)


def test_other_bytes(bench):
    noise = random.Random(1).randbytes(300000)
    code, out, error = bench.run(noise)
    check('other bytes change', code == 0 and out == noise)
    long = b'x' * 5000000 + b'"stackKey":"2|"'
    code, out, error = bench.run(long + b'\n1,2,1,5')
    check('a long line', out == long.replace(b'2|', b'a.Slow.load|') + b'\n1,a.Slow.load,1,5')


def test_files(bench):
    log = bench.write('log.txt', '1,1,1,9\n')
    code, out, error = bench.run(b'1,2,1,7', log, '-', log)
    check('files and standard input',
          out == b'1,a.Main.run,1,9\n1,a.Slow.load,1,71,a.Main.run,1,9\n', out)
    code, out, error = bench.run(b'', log, bench.folder / 'none', bench.folder, log)
    check('files that cannot be read', code == 1 and out == b'1,a.Main.run,1,9\n' * 2 and
          'none' in error and f'{bench.folder}: cannot read' in error, error)


def test_a_log_that_is_followed(bench):
    with subprocess.Popen(bench.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as follow:
        follow.stdin.write(b'|*\t\t.1 1 5\n|*\t\t.2')
        follow.stdin.flush()
        ready, _, _ = select.select([follow.stdout], [], [], 60)
        check('a log that is followed', ready and
              follow.stdout.readline() == b'|*\t\t.a.Main.run 1 5\n')
        follow.stdin.write(b' 1 4\n')
        follow.stdin.close()
        check('a line that comes in parts', follow.stdout.read() == b'|*\t\t.a.Slow.load 1 4\n')


def test_a_line_without_end(bench):
    """It does not wait in memory until the line is whole."""
    line, path = b'x' * (17 << 20), bench.folder / 'out'
    with open(path, 'wb') as out, subprocess.Popen(bench.command, stdin=subprocess.PIPE,
                                                   stdout=out) as follow:
        follow.stdin.write(line)
        follow.stdin.flush()
        deadline = time.monotonic() + 60
        while path.stat().st_size == 0 and time.monotonic() < deadline:
            time.sleep(0.02)
        check('a line without end waits', path.stat().st_size > 0)
        follow.stdin.close()
    check('a line in parts', path.read_bytes() == line)


def test_usage(bench):
    result = subprocess.run([METHODBEAT, 'symbolize', bench.map], capture_output=True)
    check('no map', result.returncode == 2 and b'--method-map' in result.stderr)
    code, out, error = bench.run(b'', '--nothing')
    check('no such option', code == 2, error)
    bench.write('map.txt', 'nonsense\n')
    code, out, error = bench.run(b'1,2,1,7\n')
    check('no method map', code == 1 and 'map.txt:1' in error and out == b'', error)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
