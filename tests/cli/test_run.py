#!/usr/bin/env python3
"""methodbeat run: whatever the command is, words, streams, signals and exit code are its own.

usage: test_run.py METHODBEAT
"""
import os
import pathlib
import signal
import subprocess
import sys

from checks import check, run_all

METHODBEAT = os.path.abspath(sys.argv[1])
WORDS = ('', 'two words', "it's", '"', '\\', '$HOME', '*', 'line\nbreak', '-x', '--', '@file', 'a=b', 'ü')
SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)
ENDS = (signal.SIGABRT, signal.SIGSEGV, signal.SIGPIPE, signal.SIGKILL, signal.SIGXFSZ)


def obey_signals():
    """Whatever we were started with."""
    for number in (*SIGNALS, *ENDS):
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)


class Bench:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        version = subprocess.run((METHODBEAT, '--version'), capture_output=True, check=True).stdout.split()[1]
        (self.folder / 'agent.so').write_bytes(b'methodbeat agent ' + version + b'\0')

    def words(self, *command):
        return (METHODBEAT, 'run', '--agent', 'agent.so', *command)

    def run(self, *command, **more):
        return subprocess.run(self.words(*command), cwd=self.folder, capture_output=True, check=False,
                              preexec_fn=obey_signals, timeout=120, **more)


def test_words(bench):
    done = bench.run('threads=all', '--', sys.executable, '-c', 'import sys; print(ascii(sys.argv[1:]))', *WORDS)
    check('words', done.stdout.decode().strip() == ascii(list(WORDS)), done)


def test_streams(bench):
    sent = bytes(range(256)) * 4096
    done = bench.run('--', 'cat', input=sent)
    check('what comes in goes out', done.stdout == sent and done.returncode == 0, done.returncode)
    done = bench.run('--', 'sh', '-c', 'echo wrong >&2; echo right')
    check('each stream is its own', done.stdout == b'right\n' and b'\nwrong\n' in done.stderr, done)
    done = bench.run('--', 'sh', '-c', 'ls /proc/self/fd | tr "\\n" " "')
    check('no other stream is passed on', done.stdout == b'0 1 2 3 ', done)


def test_exit_codes(bench):
    for code in (0, 1, 2, 77, 126, 127, 128, 255):
        done = bench.run('--', 'sh', '-c', f'exit {code}')
        check(f'exit code {code}', done.returncode == code, done)
    for number in ENDS:
        done = bench.run('--', 'sh', '-c', f'ulimit -c 0; kill -{number.value} $$')
        check(f'ended by {number.name}', done.returncode == 128 + number, done)


def test_signals(bench):
    """Those that a process sends; the terminal sends its own to both."""
    for number in SIGNALS:
        trap = f'trap "echo heard; exit 7" {number.name[3:]}; echo ready; while :; do sleep 0.01; done'
        with subprocess.Popen(bench.words('--', 'sh', '-c', trap), cwd=bench.folder, preexec_fn=obey_signals,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            ready = process.stdout.readline()
            process.send_signal(number)
            out, _ = process.communicate(timeout=120)
        check(f'{number.name} is heard', (ready, out, process.returncode) == (b'ready\n', b'heard\n', 7),
              (ready, out, process.returncode))


def test_ignored_signals(bench):
    """As below nohup."""
    def ignore():
        obey_signals()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    done = subprocess.run(bench.words('--', 'sh', '-c', 'kill -HUP $PPID; kill -HUP $$; echo alive'),
                          cwd=bench.folder, capture_output=True, check=False, preexec_fn=ignore, timeout=120)
    check('what is ignored stays so', (done.stdout, done.returncode) == (b'alive\n', 0), done)


def test_what_cannot_be_started(bench):
    (bench.folder / 'text').write_text('no program')
    (bench.folder / 'script').write_text('#!/no/such/interpreter\n')
    (bench.folder / 'script').chmod(0o755)
    nowhere = {**os.environ, 'PATH': str(bench.folder)}
    for what, command, code, environment in (
            ('no java', ('java', '-jar', 'app.jar'), 127, nowhere),
            ('a program that is not there', ('./none',), 127, None),
            ('an empty name', ('',), 127, None),
            ('no interpreter', ('./script',), 127, None),
            ('a file that may not be run', ('./text',), 126, None),
            ('a folder', ('.',), 126, None)):
        done = bench.run('--', *command, env=environment)
        lines = done.stderr.decode().splitlines()
        check(f'{what}: {code}', done.returncode == code and done.stdout == b'' and
              f'{command[0]}: cannot be started: ' in lines[-1], done)


def test_environment(bench):
    """What was there stays in front; paths are those of here."""
    (bench.folder / "it's here").mkdir()
    done = bench.run('file=a b.mbtrace', '--', 'sh', '-c',
                     'cd /; echo "$JAVA_TOOL_OPTIONS"', env={**os.environ, 'JAVA_TOOL_OPTIONS': '-Dmine=1'})
    told = done.stdout.decode()
    check('ours stands behind', told.startswith('-Dmine=1 '), told)
    for path in ('agent.so', 'a b.mbtrace'):
        check(f'{path} is found from anywhere', f"{bench.folder.resolve() / path}'" in told, told)


if __name__ == '__main__':
    sys.exit(run_all(dict(globals()), Bench))
