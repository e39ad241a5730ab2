#!/usr/bin/env python3
"""Names that fight: whatever stands in a class file, a map, a trace or a path, what people are shown
is UTF-8 without control characters, and what scripts read is JSON.

usage: test_hostile_names.py METHODBEAT
"""
import json
import os
import re
import subprocess
import sys
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'formats'))
import readers  # noqa: E402
from checks import Bench, check, run_all
from inputs import make_jar
from traces import MESSAGE, enter, leave, trace

METHODBEAT = os.path.abspath(sys.argv[1])
HOSTILE = [
    b'\x1b[31mred\x1b[2J', b'\xc2\x9b31mred', b'\x9b31mred', b'a\x7f\x08b', b'\xe2\x80\xaetxt.exe',
    b'\xe2\x81\xa6a\xe2\x81\xa9', b'\xe2\x80\xa8next', b'\xd8\x9cx', b'\xff\xfe', b'\xed\xa0\x80',
    b'\xc3', b'"q\\u"', b'tab\tvt\x0b',
]
BIDI = {0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a)}


def is_quiet(data, allowed='\n'):
    """True if a terminal does nothing with the bytes but to show them."""
    try:
        text = data.decode('utf-8')
    except UnicodeDecodeError:
        return False
    return not any((unicodedata.category(c) == 'Cc' and c not in allowed) or ord(c) in BIDI
                   for c in text)


class Names(Bench):
    def path(self, name):
        return os.path.join(os.fsencode(self.folder), name)

    def write(self, name, content):
        with open(self.path(name), 'wb') as file:
            file.write(content)
        return self.path(name)

    def run(self, *arguments, code=0, allowed='\n', stdin=b''):
        done = subprocess.run([METHODBEAT, *arguments], capture_output=True, input=stdin,
                              cwd=self.folder)
        shown = f'{arguments}\n{done.stdout[:2000]}\n{done.stderr[:2000]}'
        check('exit code', done.returncode == code, shown)
        check('standard output', is_quiet(done.stdout, allowed), shown)
        check('standard error', is_quiet(done.stderr), shown)
        return done.stdout


def method_map(name):
    return (b'1,1,a.' + name + b' run ()V\n2,1,a.Slow ' + name + b' ()V\n'
            b'3,1,b.Pool work (L' + name + b';)V\n4,1,b.Pool work (I)V\n'
            b'1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n')


def sample_trace(name):
    words = [enter(MESSAGE, 0), enter(1, 0), enter(2, 100), leave(2, 900), leave(1, 1000),
             enter(3, 1000), leave(3, 1010), leave(MESSAGE, 1020)]
    return trace([{'words': words, 'name': name}], [(0, 1, 2, name)], process=name)


def test_traces(bench):
    for name in HOSTILE:
        data = sample_trace(name)
        path, names = bench.write(b't.mbtrace', data), bench.write(b'map.txt', method_map(name))
        bench.run('report', '--method-map', names, '--threshold=0', '--show=threads,stacks', '--weight=calls',
                  '--show=names', path)
        bench.write(b'methodMapping.txt', method_map(name))  # of the trace to compare with
        bench.run('report', '--method-map', names, '--diff', path, path)
        bench.run('report', '--method-map', names, '--mark', name, path)
        bench.run('tune', '--overhead=0%', '--method-map', names, path)
        bench.run('report', '--format=records', '--method-map', names, path)
        for line in bench.run('report', '--method-map', names, '--format=records-json',
                              path).splitlines():
            json.loads(line)
        bench.run('report', '--method-map', names, '--thread', name + b'!', path, code=2)


def strings_of(value):
    """All that are anywhere in it, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            for part in pair:
                yield from strings_of(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from strings_of(part)


def read_quiet(read):
    """Bytes for a program that shows their strings as they are."""
    def judge(data):
        names = list(strings_of(read(data)))
        check('names came in', names != [], data[:200])
        for name in names:
            check('a name', is_quiet(name.encode('utf-8', 'surrogatepass')), name[:200])
    return judge


def read_quietly(allowed='\n', part=b'a.'):
    """Text that a person may look at."""
    return lambda data: check('text', is_quiet(data, allowed) and part in data, data[:2000])


def read_json(data):
    json.loads(data)
    read_quietly()(data)


def read_json_lines(data):
    for line in data.splitlines():
        json.loads(line)
    read_quietly()(data)


# How the names of each format are judged: of a new one, too.
FORMATS = {
    'text': read_quietly(), 'folded': read_quietly(), 'html': read_quietly(), 'matrix': read_quietly('\n\t', b'Thread:'),
    'callgrind': read_quietly(), 'nanoscope': read_quietly(),
    'records': read_quietly(), 'records-json': read_json_lines,
    'json': read_json, 'chrome': read_json, 'speedscope': read_json,
    'art': read_quiet(readers.art), 'perfetto': read_quiet(readers.perfetto), 'pprof': read_quiet(readers.pprof),
}
WORSE = [*HOSTILE, b'</script><script>alert(1)</script>', b'<!--', b']]>', b"' onload='x", b'x' * 10240,
         '\U0001f600'.encode(), b'\\', b'%n%s', b'$(x)`x`']


def formats(bench):
    """All that this build has, as it lists them itself."""
    done = subprocess.run([METHODBEAT, 'report', '--format=none', 'x'], capture_output=True, text=True,
                          cwd=bench.folder)
    return re.split(', | or ', re.search('it is (.*)', done.stderr)[1])


START = 7000 * 10**9  # of the trace, on the clock that monitors tell


def write_spool(bench):
    """Monitors tell JSON, which holds what is UTF-8."""
    spool = bench.folder / 'spool'
    spool.mkdir()
    for number, name in enumerate(WORSE):
        text = name.decode('utf-8', 'replace')
        own = {'detail': text, 'loop': text, 'begin_ns': START + number, 'cost_ns': 5, 'incident': f'5f-{number}',
               'message': text, 'hottest': {'frames': [text, text]}}
        drawn = {**own, 'detail': 'FPS', 'incident': f'60-{number}'}
        for row in [{'tag': 'Trace_EvilMethod', 'detail': text, 'scene': text, 'methodbeat': own},
                    {'tag': 'Trace_FPS', 'detail': 'FPS', 'scene': text, 'fps': 59.9, 'methodbeat': drawn}]:
            (spool / f'{number}-{row["tag"]}.json').write_text(json.dumps(row))
    return spool


def write_worse(bench):
    """A trace with each name as a thread's, and as a class's and a method's; and its map."""
    rings = [{'words': [enter(2 * n + 1, 0), enter(2 * n + 2, 1), leave(2 * n + 2, 8), leave(2 * n + 1, 9)],
              'thread': 80 + n, 'name': name[:63], 'main': int(n == 0)} for n, name in enumerate(WORSE)]
    rows = [b'%d,1,a.%s run ()V\n%d,1,a.Slow %s ()V\n' % (2 * n + 1, name, 2 * n + 2, name)
            for n, name in enumerate(WORSE)]
    return (bench.write(b't.mbtrace', trace(rings, process=WORSE[0], monotonic=START)),
            bench.write(b'map.txt', b''.join(rows)))


def test_formats(bench):
    """Names are text in every format, wherever it has them: of programs, threads, methods and stalls."""
    path, names = write_worse(bench)
    spool = write_spool(bench)
    for form in formats(bench):
        check(f'{form} has a judge', form in FORMATS)
        options = ['--method-map', names, '--format', form, '--threshold=0', '--output', 'out']
        bench.run('report', *options, path)
        FORMATS[form]((bench.folder / 'out').read_bytes())
        if form in ('html', 'chrome', 'perfetto'):
            bench.run('report', *options, '--issues', spool, path)
            FORMATS[form]((bench.folder / 'out').read_bytes())


def test_monitors(bench):
    """What issues prints."""
    spool = write_spool(bench)
    bench.run('issues', spool)
    for form in ['json', 'csv']:
        bench.run('issues', '--format', form, spool, allowed='\n\r')


def test_frames(bench):
    """What fps prints of layers, and of files that make no sense."""
    for name in HOSTILE[::3]:
        sums = (b'layerName = com.x/' + name + b'#1\npackageName = com.x\ntotalFrames = 500\n'
                b'droppedFrames = 2\naverageFPS = 58.1\npresent2present histogram is as below:\n'
                b'0ms=0 16ms=490 17ms=10\n\n')
        path = bench.write(b'sums.txt', b'SurfaceFlinger TimeStats:\nstatsStart = 1\nstatsEnd = 2\n\n' + sums)
        for form in ['text', 'json', 'csv']:
            bench.run('fps', '--package', 'com.x', '--format', form, path, allowed='\n\r')
        bench.run('fps', bench.write(b'words.txt', name + b'\n'), code=1)
        bench.run('fps', name, code=1)


def test_logs(bench):
    for name in HOSTILE:
        names = bench.write(b'map.txt', method_map(name))
        bench.run('symbolize', '--method-map', names, stdin=b'|* ..1 1 17\n|* StackKey: 2|\n')
        for log in [b'{"stack":"0,1,1,98\\n1,2,1,17\\n","stackKey":"2|"}',
                    b'{"inner":"{\\"stack\\":\\"0,1,1,98\\",\\"stackKey\\":\\"2|\\"}"}']:
            said = bench.run('symbolize', '--method-map', names, stdin=log)
            check('a name came in', b'a.' in said, said)
            inner = json.loads(said).get('inner', '{}')
            json.loads(inner)


def test_command_lines(bench):
    for name in HOSTILE:
        bench.run(b'--' + name, code=2)
        bench.run(name, code=2)
        bench.run('help', name, code=2)
        bench.run('report', b'--' + name, code=2)
        bench.run('instrument', b'--rules=' + name, 'x.jar', code=2)
        bench.run('instrument', '-j' + name.decode('latin-1'), 'x.jar', code=2)
        bench.run('instrument', b'@' + name, code=1)
        bench.run('report', '--format=records', name, code=1)
        bench.run('instrument', '-o', 'out', name, code=1)
        rules = bench.write(b'rules', b'-keepclass ' + name + b' ' + name + b'\n-' + name + b'\n')
        bench.run('instrument', '-o', 'out', '--blacklist', rules, name, code=1)
        broken = bench.write(b'map.txt', b'1,1,' + name + b'\n')
        bench.run('report', '--method-map', broken, bench.write(b't', sample_trace(b'x')), code=1)


def test_classes(bench):
    for name in ['\x1b[31mred', '\u009b31m', '\u202etxt', 'a\u2028b', 'x\x08']:
        make_jar(bench.folder / 'app.jar',
                 [f'p/{name}:android/app/Activity {name} run', 'p/Other go',
                  (f'p/{name}2.class', b'\xca\xfe\xba\xbe\0\0\0\x34\0\x09'), (f'p/{name}.txt', b'1')])
        make_jar(bench.folder / 'twin.jar', ['p/Other go on', f'p/{name}:x {name}'])
        bench.run('instrument', '-o', 'out', '--json', 'counts.json', '--explain', 'why.json',
                  'app.jar')
        bench.run('instrument', '--output-jar', 'all.jar', '--method-map', 'm.txt', '--ignore-map',
                  'i.txt', 'app.jar', 'twin.jar')
        check('counts', is_quiet(bench.folder.joinpath('counts.json').read_bytes()), name)
        json.loads(bench.folder.joinpath('counts.json').read_bytes())
        why = bench.folder.joinpath('why.json').read_bytes()
        check('why', is_quiet(why), why)
        for line in why.splitlines():
            json.loads(line)
        bench.run('instrument', '-o', 'strict', '--strict', 'app.jar', code=1)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Names))
