#!/usr/bin/env python3
"""report --output: a file that is there when it is whole, and only then.

usage: test_output.py METHODBEAT
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys

from checks import check, run_all
from traces import MAP, enter, leave, trace

METHODBEAT = sys.argv[1]
OLD = b'what was there before'


def calls(count):
    """So many calls, in pairs that are equal and follow each other."""
    words = [enter(1, 0)]
    for i in range(count):
        words += [enter(2 + i // 2 % 2, 2 * i + 1), leave(2 + i // 2 % 2, 2 * i + 2)]
    return trace([{'words': words + [leave(1, 2 * count + 1)]}])


class Bench:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.map = self.folder / 'methodMapping.txt'
        self.map.write_text(MAP)
        self.trace = self.folder / 'sample.mbtrace'
        self.trace.write_bytes(calls(4))

    def report(self, *options, **more):
        return subprocess.run([METHODBEAT, 'report', '--method-map', self.map, *options, self.trace],
                              capture_output=True, check=False, **more)

    def files(self):
        return sorted(path.name for path in self.folder.rglob('*'))


def test_file(bench):
    before = bench.files()
    for name in ('text', 'json', 'folded', 'chrome'):
        options = ['--show=names', f'--format={name}']
        plain = bench.report(*options)
        path = bench.folder / 'new folder' / 'out'
        done = bench.report(*options[name != 'folded':], '--output', path)
        check(f'{name}: done in silence', (done.returncode, done.stdout, done.stderr) ==
              (0, b'', b''), done)
        check(f'{name}: the same bytes', path.read_bytes() == plain.stdout, plain)
    check('nothing else', bench.files() == sorted([*before, 'new folder', 'out']), bench.files())


def test_extensions(bench):
    for name, begins in (('a.json', b'{"process"'), ('a.trace.json', b'{"displayTimeUnit"'),
                         ('a.folded', b'main;'), ('a.txt', b'main was in recorded'), ('a', b'main was')):
        done = bench.report('-o', bench.folder / name)
        check(f'{name}: done', done.returncode == 0, done)
        content = (bench.folder / name).read_bytes()
        check(f'{name}: its format', content.startswith(begins), content[:80])
    bench.report('-o', bench.folder / 'b.json', '--format=folded')
    check('what is asked for wins', (bench.folder / 'b.json').read_bytes().startswith(b'main;'))
    before = bench.files()
    for name in ('page.htm', 'a.html.bak', 'page.HTML'):
        done = bench.report('-o', bench.folder / name)
        check(f'{name}: refused', done.returncode == 2 and b'no format has the extension' in done.stderr and
              b'.txt, .json,' in done.stderr and b'.html' in done.stderr, done)
    check('nothing is written', bench.files() == before, bench.files())
    for name in ('.hidden', 'a.b/report'):
        check(f'{name}: none is text', bench.report('-o', bench.folder / name).returncode == 0 and
              (bench.folder / name).read_bytes().startswith(b'main was'))
    done = bench.report('-o', bench.folder / 'a.htm', '--format=html')
    check('unless the format is given', done.returncode == 0, done)


def test_each_call_is_drawn(bench):
    done = bench.report('--format=chrome')
    events = [e for e in json.loads(done.stdout)['traceEvents'] if e['ph'] == 'X']
    found = [(e['name'], e['ts'], e['dur']) for e in events[1:]]
    check('equal calls in a row', found == [
        (name, (2 * i + 1) * 1000, 1000) for i, name in
        enumerate(['a.Slow.load', 'a.Slow.load', 'b.Pool.work', 'b.Pool.work'])], found)
    totals = json.loads(bench.report('--format=json').stdout)['methods']
    check('as many as are counted', {m['id']: m['calls'] for m in totals} == {1: 1, 2: 2, 3: 2},
          totals)


def test_failures(bench):
    path = bench.folder / 'out.json'
    path.write_bytes(OLD)
    before = bench.files()
    done = bench.report('--thread=nobody', '-o', path)
    check('a failure', done.returncode == 2 and b'nobody' in done.stderr, done)
    bench.trace.write_bytes(calls(20000))
    done = bench.report('--format=chrome', '-o', path, preexec_fn=lambda: resource.setrlimit(
        resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
    check('no room', done.returncode == 1 and str(path).encode() in done.stderr, done)
    check('what was there is there', path.read_bytes() == OLD and bench.files() == before,
          bench.files())
    done = bench.report('-o', bench.trace)
    check('not over the trace', done.returncode == 2 and b'is the trace' in done.stderr, done)
    done = bench.report('-o', '/dev/null')
    check('no device', done.returncode == 1 and b'/dev/null' in done.stderr, done)


def test_interrupted(bench):
    """A trace that comes from a pipe: the signal is there before it ends."""
    path = bench.folder / 'out.json'
    before = bench.files()
    with subprocess.Popen([METHODBEAT, 'report', '--method-map', bench.map, '-o', path,
                           '/dev/stdin'], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        program.stdin.write(b'mbtrace\n')
        program.stdin.flush()
        while len(bench.files()) == len(before):
            check('alive', program.poll() is None)
            if program.poll() is not None:
                break
        program.send_signal(signal.SIGTERM)
        error = program.stderr.read()
        check('stopped', program.wait() == 1, error)
    check('nothing is left', bench.files() == before, bench.files())


def test_closed_pipe(bench):
    """Most of the output is never read."""
    bench.trace.write_bytes(calls(100000))
    for name in ('chrome', 'json', 'folded'):
        read, write = os.pipe()
        os.close(read)
        with subprocess.Popen([METHODBEAT, 'report', f'--format={name}', '--method-map', bench.map,
                               bench.trace], stdout=write, stderr=subprocess.PIPE,
                              preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN),
                              restore_signals=False) as program:
            os.close(write)
            error = program.stderr.read().decode()
            check(f'{name}: a closed pipe', program.wait() == 1 and
                  error == 'methodbeat: standard output: Broken pipe\n', error)


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
