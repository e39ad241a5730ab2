#!/usr/bin/env python3
"""The report subcommand over traces drawn by hand.

usage: test_report.py METHODBEAT
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

PAGE, MESSAGE, MS = 16384, 0xFFFFE, 1000000
MAP = '1,1,a.Main run ()V\n2,1,a.Slow load ()V\n1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n'
failures = 0


def word(enter, method, ms):
    return enter << 63 | method << 43 | ms * MS


def trace(words, mapping_hash=0):
    header = struct.pack('<8sIIQIIQIIIIQ64sIIQQqqQQQQQ', b'mbtrace\n', 0x01020304, 1, PAGE, 1, 256,
                         PAGE + 256, 0, 64, 2, 77, mapping_hash, b'sample', 1, 0, 0, 1, 0, 0,
                         1 << 32 | 1, 0, 0, 0, 0)
    ring = struct.pack('<II64sQQQII', 1, 77, b'main\x1b[2J', PAGE * 2, len(words), 0, 1, 1)
    ring = ring.ljust(128, b'\0') + struct.pack('<QQQQ', len(words), 0, 0, 0)
    return (header.ljust(PAGE, b'\0') + ring.ljust(PAGE, b'\0') +
            struct.pack(f'<{len(words)}Q', *words))


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return value


def check(what, holds, shown=''):
    global failures
    if not holds:
        failures += 1
        print(f'{what}\n{shown}')


SLOW = [word(1, MESSAGE, 0), word(1, 1, 0), word(1, 2, 100), word(0, 2, 900), word(0, 1, 1000),
        word(0, MESSAGE, 1000), word(1, MESSAGE, 1010), word(0, MESSAGE, 1020)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        names = pathlib.Path(folder, 'map.txt')
        path = pathlib.Path(folder, 'trace')
        names.write_text(MAP)

        def run(data, *options):
            path.write_bytes(data)
            result = subprocess.run([sys.argv[1], 'report', '--method-map', names, *options, path],
                                    capture_output=True, text=True)
            return result.returncode, result.stdout, result.stderr

        code, text, error = run(trace(SLOW))
        check('text: exit code', code == 0, error)
        for part in ['1 of 2 messages took at least 700.000 ms', '1000.000 ms at 0.000 ms in main',
                     'key a.Slow.load', '800.000          800.000            1  a.Slow.load']:
            check(f'text lacks {part!r}', ' '.join(part.split()) in ' '.join(text.split()), text)
        check('an escape sequence gets through', '\x1b' not in text)

        code, text, error = run(trace(SLOW), '--format=json', '--threshold=10')
        report = json.loads(text)
        check('json: slow', [s['ns'] for s in report['slow']] == [1000 * MS, 10 * MS], text)
        check('json: key', report['groups'][0]['key'] == '2|', text)
        own = {m['id']: m['selfNs'] // MS for m in report['methods']}
        check('json: own times', own == {MESSAGE: 10, 1: 200, 2: 800}, text)

        code, text, error = run(trace(SLOW), '--format=matrix')
        check('matrix', '|*\t\t1048574 1 1000\n|*\t\t.1 1 1000\n|*\t\t..2 1 800\n' in text, text)
        code, text, error = run(trace(SLOW), '--format=folded')
        check('folded', 'dispatchMessage;a.Main.run;a.Slow.load 800000000\n' in text, text)
        code, text, error = run(trace(SLOW), '--format=chrome')
        check('chrome', len(json.loads(text)['traceEvents']) == 6, text)

        code, text, error = run(trace(SLOW[1:5]))
        check('no messages', 'outermost calls stand in' in text, text)
        code, text, error = run(trace(SLOW)[:-16])
        check('cut off', code == 0 and '2 records that the file is too short for' in text, text)
        code, text, error = run(trace(SLOW)[:100])
        check('too short', code == 1 and 'too short' in error, error)
        code, text, error = run(trace(SLOW, 5))
        check('wrong map', code == 1 and 'another method map' in error and text == '', error)
        code, text, error = run(trace(SLOW, 5), '--force')
        check('wrong map, forced', code == 0, error)
        code, text, error = run(trace(SLOW, fnv(MAP.encode())))
        check('right map', code == 0, error)
        code, text, error = run(trace(SLOW), '--thread=nobody')
        check('no such thread', code == 2, error)
        code, text, error = run(trace(SLOW), '--format=nothing')
        check('no such format', code == 2, error)
    return failures != 0


if __name__ == '__main__':
    sys.exit(main())
