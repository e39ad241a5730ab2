#!/usr/bin/env python3
"""methodbeat top of traces that this test writes as a recorder does: in place, and locked.

usage: test_top.py METHODBEAT
"""
import fcntl
import os
import signal
import subprocess
import sys
import time

from checks import check, run_all
from profiles import BOUNDS, MAIN, PROGRAM, add_profile, add_sections
from sampled_traces import NODES, STACKS
from traces import CLOSED, MS, OPEN, enter, leave, trace

METHODBEAT = sys.argv[1]
WORDS = [enter(1, 0), leave(1, 1)]


def now_ms():
    return time.monotonic_ns() / MS


class Recorder:
    """A trace that began ten seconds ago: 1 runs, and called 2 for so many ms until now."""

    def __init__(self, path):
        self.path = path
        self.start = now_ms() - 10000
        self.file = None

    def bytes(self, busy=0, calls=0, state=OPEN, mutes=(), threads=1):
        rows = [{'name': f'main-{n}', 'flags': BOUNDS | (0 if n else MAIN), 'id': 70 + n, 'last': 9000 + busy, 'tree': [
            {'id': 1, 'calls': 0, 'since': 1, 'inner': [{'id': 2, 'calls': calls, 'ms': busy}]}]} for n in range(threads)]
        return add_profile(trace([{'words': WORDS}], state=state, monotonic=int(self.start * MS), process='sample',
                                 now=int((now_ms() - self.start) * MS)), rows, mutes)

    def begin(self, **says):
        data = self.bytes(**says)
        with open(self.path + '.new', 'wb') as file:
            file.write(data)
        os.rename(self.path + '.new', self.path)
        self.file = open(self.path, 'r+b')
        fcntl.flock(self.file, fcntl.LOCK_EX)
        return self

    def say(self, **says):
        """A file of the same size, changed in place."""
        self.file.seek(0)
        self.file.write(self.bytes(**says))
        self.file.flush()

    def end(self):
        self.file.close()


class Bench:
    def __init__(self, folder):
        self.folder = folder
        self.trace = os.path.join(folder, 't.mbtrace')
        with open(os.path.join(folder, 'methodMapping.txt'), 'w') as file:
            file.write(PROGRAM)

    def command(self, *options):
        return (METHODBEAT, 'top', *options, self.trace)

    def run(self, *options):
        return subprocess.run(self.command(*options), capture_output=True, text=True, timeout=60)

    def start(self, *options):
        return subprocess.Popen(self.command(*options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def row_of(text, method):
    """The figures of a method's last row."""
    rows = [line.split() for line in text.splitlines() if method in line.split()]
    return rows[-1][:-1] if rows else ['none'] * 9


def test_a_second(bench):
    recorder = Recorder(bench.trace).begin()
    with bench.start('--count', '2', '--interval', '500') as child:
        time.sleep(0.25)
        recorder.say(busy=400, calls=40)
        out, errors = child.communicate(timeout=30)
    blocks = out.split('\n\n')
    row = row_of(blocks[0], 'org.example.fo.TreeBuilder.startElement')
    check('two tables', child.returncode == 0 and len(blocks) == 3 and errors == '', (out, errors))
    check('own time of the interval', 30 < float(row[0]) <= 85, out)
    check('calls a second', 30 < float(row[3]) <= 85, out)
    check('mean', row[4:6] == ['10.0', 'ms'], out)
    check('what runs', 'org.example.cli.Main.main' in blocks[1] and float(row_of(blocks[1], 'org.example.cli.Main.main')[6]) > 10, out)
    check('what did nothing is left out', 'TreeBuilder' not in blocks[1], out)
    recorder.end()


def test_an_end(bench):
    """The process is killed while it is watched: the last table, and the reason."""
    recorder = Recorder(bench.trace).begin()
    with bench.start('--interval', '300') as child:
        first = child.stdout.readline()
        recorder.say(busy=100, calls=1)
        recorder.end()
        out, errors = child.communicate(timeout=30)
    check('while it runs', 'killed' not in first and '(4711), by work: ' in first, first)
    check('killed', child.returncode == 0 and 'sample (4711), its process was killed, by work: ' in out, (out, errors))
    check('the last figures', 'TreeBuilder' in out, out)


def test_a_stop_and_a_start(bench):
    recorder = Recorder(bench.trace).begin()
    with bench.start('--interval', '200') as child:
        child.stdout.readline()
        recorder.say(busy=100, calls=5, state=CLOSED)
        time.sleep(1)
        another = Recorder(bench.trace).begin(busy=50)
        recorder.end()
        time.sleep(0.5)
        another.say(busy=150, calls=7, state=CLOSED)
        another.end()
        out, errors = child.communicate(timeout=30)
    check('stopped', child.returncode == 0 and out.count('recording has stopped') == 1, (out, errors))
    check('begins again', errors == 'methodbeat top: a new recording has begun\n', errors)
    check('ended', out.count('recording has ended') == 1, out)


def test_what_is_over(bench):
    Recorder(bench.trace).begin(busy=2000, calls=10, state=CLOSED, mutes=[(2, 10, 2000, 5)]).end()
    done = bench.run()
    row = row_of(done.stdout.replace(' (muted)', ''), 'org.example.fo.TreeBuilder.startElement')
    check('the whole run', done.returncode == 0 and done.stdout.count('own%') == 1, done)
    check('its share', 15 < float(row[0]) < 25, done.stdout)
    check('mutes', 'and 1 muted' in done.stdout and 'startElement (muted)' in done.stdout, done.stdout)


def test_a_wait_for_work(bench):
    """Whatever the system tells of it: it is no work."""
    with open(os.path.join(bench.folder, 'methodMapping.txt'), 'w') as file:
        file.write(PROGRAM.replace('org.example.fo.TreeBuilder startElement (I)V', 'org.example.TaskQueue take ()V'))
    Recorder(bench.trace).begin(busy=2000, calls=10, state=CLOSED).end()
    done = bench.run()
    row = row_of(done.stdout, 'org.example.TaskQueue.take')
    check('a wait for work', done.returncode == 0 and row[0] == row[1] and float(row[0]) > 15, done.stdout)
    names = [line.split()[-1] for line in done.stdout.splitlines() if 'org.example' in line]
    check('comes last', names[:2] == ['org.example.cli.Main.main', 'org.example.TaskQueue.take'], names)


def test_wrong_files(bench):
    for what, content in {'nothing': b'', 'text': b'text' * 5000, 'zeroes': b'\0' * 40000}.items():
        with open(bench.trace, 'wb') as file:
            file.write(content)
        done = bench.run('--count', '1')
        check(what, done.returncode == 1 and done.stdout == '' and bench.trace in done.stderr, done)
    os.unlink(bench.trace)
    done = bench.run('--count', '1')
    check('absent', done.returncode == 1 and 'No such file' in done.stderr, done)
    with open(bench.trace, 'wb') as file:
        file.write(trace([{'words': WORDS}]))
    done = bench.run()
    check('no profile', done.returncode == 1 and 'profile=on' in done.stderr, done)
    with open(bench.trace, 'wb') as file:
        file.write(add_sections(trace([{'words': WORDS}]), {STACKS: NODES}))
    done = bench.run()
    check('samples alone', done.returncode == 1 and 'samples alone are recorded' in done.stderr, done)
    os.rename(bench.trace, os.path.join(bench.folder, 'app.jar'))
    done = subprocess.run((os.path.abspath(METHODBEAT), 'top', 'app.jar'), cwd=bench.folder, capture_output=True, text=True, timeout=60)
    check('a jar is that of a JVM', done.returncode == 1 and 'samples alone' not in done.stderr and 'app.jar' in done.stderr, done)


def test_a_cut(bench):
    recorder = Recorder(bench.trace).begin()
    with bench.start('--interval', '200') as child:
        child.stdout.readline()
        os.truncate(bench.trace, 20000)
        errors = child.communicate(timeout=30)[1]
    check('cut while it is watched', child.returncode == 1 and 'shorter than when it was opened' in errors, errors)
    recorder.end()


def test_usage(bench):
    Recorder(bench.trace).begin(state=CLOSED).end()
    for what, options in {'number': ('--count', 'x'), 'none': ('--count', '0'), 'order': ('--sort', 'name'),
                          'interval': ('--interval', '1')}.items():
        done = bench.run(*options)
        check(what, done.returncode == 2 and options[0] in done.stderr, done)
    done = subprocess.run((METHODBEAT, 'top'), capture_output=True, text=True)
    check('no trace', done.returncode == 2 and 'trace file' in done.stderr, done)


def test_signals(bench):
    """Each ends it in good order."""
    recorder = Recorder(bench.trace).begin()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with bench.start('--interval', '200') as child:
            child.stdout.readline()
            child.send_signal(number)
            errors = child.communicate(timeout=30)[1]
        check(f'signal {number}', child.returncode == 0 and errors == '', (child.returncode, errors))
    with bench.start('--interval', '100') as child:
        child.stdout.readline()
        child.stdout.close()
        child.stderr.read()
        check('a reader that goes away', child.wait(timeout=30) != 0, child.returncode)
    recorder.end()


def test_threads(bench):
    recorder = Recorder(bench.trace).begin(threads=1000)
    with bench.start('--count', '1', '--threads', '--interval', '500') as child:
        time.sleep(0.25)
        recorder.say(threads=1000, busy=100, calls=1)
        out = child.communicate(timeout=60)[0]
    check('threads', '1000 threads, 1000 in calls' in out and '(980 more)' in out and 'main-' in out, out[:3000])
    recorder.end()


if __name__ == '__main__':
    sys.exit(run_all(globals(), Bench))
