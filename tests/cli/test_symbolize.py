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
import tempfile

from checks import check, have_failed
from traces import MAP, MESSAGE, enter, leave, trace

METHODBEAT = sys.argv[1]
ISSUE = {'detail': 'NORMAL', 'cost': 1006, 'stack': '0,1048574,1,1006\n1,2,1,1000\n',
         'stackKey': '2|', 'tag': 'Trace_EvilMethod'}
NAMED = {**ISSUE, 'stack': '0,android.os.Handler.dispatchMessage,1,1006\n1,a.Slow.load,1,1000\n',
         'stackKey': 'a.Slow.load|'}


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        names, log = folder / 'map.txt', folder / 'log.txt'
        names.write_text(MAP)
        command = [METHODBEAT, 'symbolize', '--method-map', names]

        def run(data, *arguments):
            result = subprocess.run([*command, *arguments], input=data, capture_output=True)
            return result.returncode, result.stdout, result.stderr.decode()

        # What report writes is what symbolize reads.
        words = [enter(MESSAGE, 0), enter(1, 0), enter(2, 100), leave(2, 900), leave(1, 1000),
                 leave(MESSAGE, 1000)]
        (folder / 'trace').write_bytes(trace([{'words': words}]))
        printed = subprocess.run([METHODBEAT, 'report', '--method-map', names, '--format=matrix',
                                  folder / 'trace'], capture_output=True).stdout
        code, out, error = run(printed)
        for line in [b'|*\t\tStackKey: a.Slow.load|\n', b'|*\t\t..a.Slow.load 1 800\n',
                     b'|*\t\tandroid.os.Handler.dispatchMessage 1 1000\n']:
            check(f'the log of a report lacks {line}', code == 0 and line in out, out)
        check('the rest of the log', [line for line in printed.splitlines() if b'Stack' not in line
                                      and b'1 ' not in line and b'2 ' not in line] ==
              [line for line in out.splitlines() if b'Stack' not in line and b' 1 ' not in line],
              out)

        for text in [json.dumps(ISSUE), json.dumps(ISSUE, indent=4)]:
            code, out, error = run(text.encode())
            check('an issue', code == 0 and json.loads(out) == NAMED, out)
        code, out, error = run(json.dumps({'content': json.dumps(ISSUE)}).encode())
        check('an issue in an issue', json.loads(json.loads(out)['content']) == NAMED, out)

        overloads = folder / 'overloads.txt'
        overloads.write_text('7,1,a.B of (ILjava.lang.String;[[JLa.B$C;)V\n8,1,a.B of ()V\n'
                             '9,1,a.B alone (I)V\n10,1,a.B broken (L\n11,1,a.B broken ([Q)V\n'
                             '12,1,a.B get (I)Ljava.lang.Object;\n13,1,a.B get (I)[J\n'
                             '14,1,a.B get ()V\n15,1,a.B set ()V\n16,1,a.B set ()I\n')
        names_only = subprocess.run([METHODBEAT, 'symbolize', '--method-map', overloads],
                                    input=b''.join(b'1,%d,1,5\n' % id for id in range(7, 17)),
                                    capture_output=True).stdout
        check('overloads', names_only == b'1,a.B.of(int,String,long[][],B$C),1,5\n'
              b'1,a.B.of(),1,5\n1,a.B.alone,1,5\n1,a.B.broken(),1,5\n1,a.B.broken([]),1,5\n'
              b'1,a.B.get(int): Object,1,5\n1,a.B.get(int): long[],1,5\n1,a.B.get(),1,5\n'
              b'1,a.B.set(): void,1,5\n1,a.B.set(): int,1,5\n',
              names_only)

        noise = random.Random(1).randbytes(300000)
        code, out, error = run(noise)
        check('other bytes change', code == 0 and out == noise)
        long = b'x' * 5000000 + b'"stackKey":"2|"'
        code, out, error = run(long + b'\n1,2,1,5')
        check('a long line', out == long.replace(b'2|', b'a.Slow.load|') + b'\n1,a.Slow.load,1,5')

        code, out, error = run(b'1,4,1,5\n')
        check('a native method has no descriptor', out == b'1,b.Pool.stop,1,5\n', out)

        log.write_bytes(b'1,1,1,9\n')
        code, out, error = run(b'1,2,1,7', log, '-', log)
        check('files and standard input',
              out == b'1,a.Main.run,1,9\n1,a.Slow.load,1,71,a.Main.run,1,9\n', out)
        code, out, error = run(b'', log, folder / 'none', folder, log)
        check('files that cannot be read', code == 1 and out == b'1,a.Main.run,1,9\n' * 2 and
              'none' in error and f'{folder}: cannot read' in error, error)

        mapping = folder / 'mapping.txt'
        mapping.write_text('com.example.Loader -> a.Slow:\n    1:4:void fetch():10:13 -> load\n')
        code, out, error = run(b'1,2,1,7\n', '--mapping', mapping)
        check('original names', out == b'1,com.example.Loader.fetch,1,7\n', out)

        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as follow:
            follow.stdin.write(b'|*\t\t.1 1 5\n|*\t\t.2')
            follow.stdin.flush()
            ready, _, _ = select.select([follow.stdout], [], [], 60)
            check('a log that is followed', ready and
                  follow.stdout.readline() == b'|*\t\t.a.Main.run 1 5\n')
            follow.stdin.write(b' 1 4\n')
            follow.stdin.close()
            check('a line that comes in parts',
                  follow.stdout.read() == b'|*\t\t.a.Slow.load 1 4\n')

        result = subprocess.run([METHODBEAT, 'symbolize', log], capture_output=True)
        check('no map', result.returncode == 2 and b'--method-map' in result.stderr)
        code, out, error = run(b'', '--nothing')
        check('no such option', code == 2, error)
        names.write_text('nonsense\n')
        code, out, error = run(b'1,2,1,7\n')
        check('no method map', code == 1 and 'map.txt:1' in error and out == b'', error)
    return have_failed()


if __name__ == '__main__':
    sys.exit(main())
