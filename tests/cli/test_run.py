#!/usr/bin/env python3
"""methodbeat run: whatever the command is, words, streams, signals and exit code are its own.

usage: test_run.py METHODBEAT
"""
import os
import pathlib
import shutil
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


def test_says_where_it_looked(bench):
    """A command that was copied without its agent."""
    copy = shutil.copy(METHODBEAT, bench.folder / 'methodbeat')
    done = subprocess.run((copy, 'run', 'true'), capture_output=True, text=True, check=False)
    check('without agent', done.returncode == 1 and 'cannot be found: give run or attach its path with --agent' in done.stderr and
          f'methodbeat: looked in {bench.folder}/../lib' in done.stderr, done.stderr)


class Bench:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.chmod(0o755)  # else root shares a copy of the agent
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


def test_settings(bench):
    """What is wrong is said before the program starts; variables of others pass."""
    for setting, said in (('throttle=of', 'throttle=of is not understood: off, on or a number up to 100'),
                          ('tick_ms=abc', 'tick_ms=abc is not understood: a number up to 1000'),
                          ('lag_ms=1', "there is no setting 'lag_ms': did you mean stall_ms?"),
                          ('evil_ms=0', 'evil_ms=0 is not understood: a number from 1 to 600000'),
                          ('flavour=fast', 'flavour=fast is not understood: mapped or native'),
                          ('throtle=off', "there is no setting 'throtle': did you mean throttle?"),
                          ('THROTTLE=off', "there is no setting 'THROTTLE'"), ('zzz=1', "there is no setting 'zzz'")):
        done = bench.run(setting, '--', 'echo', 'started')
        check(setting, done.returncode == 2 and done.stdout == b'' and said in done.stderr.decode(), done)
        name, value = setting.split('=')
        done = bench.run('--', 'echo', 'started', env={**os.environ, f'METHODBEAT_{name.upper()}': value})
        check(f'variable {setting}', (done.stdout == b'started\n') == (name in ('THROTTLE', 'zzz')), done)
    done = bench.run('throttle=off', 'evil_ms=300', 'main=worker', '--', 'echo', 'started', env={**os.environ, 'METHODBEAT_RUN': '1'})
    check('settings of recorder, monitors and Java', done.stdout == b'started\n', done)


def test_streams(bench):
    sent = bytes(range(256)) * 4096
    done = bench.run('--', 'cat', input=sent)
    check('what comes in goes out', done.stdout == sent and done.returncode == 0, done.returncode)
    done = bench.run('--', 'sh', '-c', 'echo wrong >&2; echo right')
    check('each stream is its own', done.stdout == b'right\n' and done.stderr.startswith(b'wrong\n'), done)
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
              lines and f'{command[0]}' in lines[0] and 'cannot be started: ' in lines[0], done)


def test_environment(bench):
    """What was there stays in front; paths are those of here, byte for byte, and no '%' of ours is a sign."""
    folder = os.path.join(os.fsencode(bench.folder.resolve()), b"it's \xff 100%pure")
    os.mkdir(folder)
    agent = bench.folder.resolve() / 'agent.so'
    show = ('--', 'sh', '-c', 'cd /; echo "$JAVA_TOOL_OPTIONS"; echo "$METHODBEAT_FILE"')
    for trace, wanted in (('a b.mbtrace', folder.replace(b'%', b'%%') + b'/a b.mbtrace'), ('/tmp/%p%%', b'/tmp/%p%%'),
                          (os.fsdecode(b'\xe9%p'), folder.replace(b'%', b'%%') + b'/\xe9%p')):
        for options in ((f'file={trace}',), ('--trace', trace)):
            done = subprocess.run((METHODBEAT, 'run', '--agent', agent, 'throttle=off', *options, *show), cwd=folder, check=True,
                                  capture_output=True, env={**os.environ, 'JAVA_TOOL_OPTIONS': '-Dmine=1', 'LC_ALL': 'C'})
            told = done.stdout.splitlines()
            check('options', told[0] == b"-Dmine=1 '-agentpath:%s' '-Dmethodbeat.throttle=off'" % bytes(agent), told)
            check(f'{options}: the path', told[1] == wanted, told)
    done = bench.run('--', 'sh', '-c', 'stat -c "%a %u" "$METHODBEAT_RUN"; echo "$METHODBEAT_RUN"')
    told = done.stdout.decode().splitlines()
    check('a folder of our own', told[0] == ('700' if os.getuid() else '1733') + f' {os.getuid()}' and not os.path.exists(told[1]), told)


def test_refused_folder(bench):
    """Before the program starts."""
    done = bench.run('--trace', 'absent/a.mbtrace', '--', 'echo', 'started')
    check('no folder for the trace', done.returncode == 1 and done.stdout == b'' and
          b'absent/: the trace cannot be written there' in done.stderr, done)


def test_cache(bench):
    """Without a name the trace lies in the cache, which keeps twenty; report takes the newest."""
    folder = bench.folder.resolve() / 'cache' / 'methodbeat'
    folder.mkdir(parents=True)
    for number in range(25):
        path = folder / f'{number}.mbtrace'
        path.write_bytes(b'mbtrace\n')
        os.utime(path, (number, number))
    environment = {**os.environ, 'XDG_CACHE_HOME': str(folder.parent)}
    done = bench.run('--', 'sh', '-c', 'echo "$METHODBEAT_FILE"', env=environment)
    check('the default', done.stdout.decode() == f'{folder}/methodbeat-%p.mbtrace\n', done)
    check('twenty stay', sorted(os.listdir(folder)) == sorted(f'{number}.mbtrace' for number in range(5, 25)), os.listdir(folder))
    done = subprocess.run((METHODBEAT, 'report'), capture_output=True, env=environment, check=False)
    check('the newest', done.returncode == 1 and b'/24.mbtrace: @ 0x8: too short' in done.stderr, done)


def test_leftovers(bench):
    """The folder goes, whatever was put there, and though nobody reads the report."""
    script = 'echo x > "$METHODBEAT_RUN/x"; printf "La.Main\\0T/none\\0" > "$METHODBEAT_RUN/1"; sleep 0.2'
    for reader in ('cat', 'true'):
        subprocess.run(('bash', '-c', f'"$@" 2>&1 | {reader}', 'bash', *bench.words('sh', '-c', script)), cwd=bench.folder, check=True,
                       capture_output=True, preexec_fn=obey_signals, env={**os.environ, 'TMPDIR': str(bench.folder.resolve())})
        left = [name for name in os.listdir(bench.folder) if name.startswith('methodbeat-run-')]
        check(f'read by {reader}: nothing is left', not left, left)


def test_java(bench):
    """A command that is java has the options itself, and the variable only for what it starts."""
    java = bench.folder / 'bin' / 'java'
    java.parent.mkdir(exist_ok=True)
    java.write_text('#!/bin/sh\nprintf "%s\\n" "$@" "V=$JAVA_TOOL_OPTIONS" "C=$METHODBEAT_CHILDREN"\n')
    java.chmod(0o755)
    agent = f'-agentpath:{bench.folder.resolve()}/agent.so=focus=a/**,only=A:b.jar'
    options = ('--focus', 'a/**', '--only', 'A:b.jar', 'throttle=off')
    done = bench.run(*options, str(java), '-jar', 'x y', env={'PATH': os.environ['PATH'], 'METHODBEAT_CHILDREN': 'old'})
    wanted = [agent, '-Dmethodbeat.throttle=off', '-jar', 'x y', 'V=', f"C='{agent}' '-Dmethodbeat.throttle=off'"]
    check('words', done.stdout.decode().splitlines() == wanted, done)


def test_reasons(bench):
    """What JVMs tell, or not, is said of each; whatever the file holds."""
    for notes, wanted in (
            ({}, ['no JVM loaded the agent: the command started none, or one that does not see our JAVA_TOOL_OPTIONS']),
            ({'7': 'L\\0E0 0 0 0 0 0 0 0\\0'}, ['process 7: it ran no program']),
            ({'7': 'La.Main\\0S\\0'}, ['process 7 (a.Main): --only leaves it out']),
            ({'7': 'La.Main\\0Fno \\033 room\\0E3 1\\0'}, ['process 7 (a.Main): no \\x1b room']),
            ({'7': 'La.Main\\0'}, ['process 7 (a.Main): no probe was called; it still runs, or was killed']),
            ({'7': 'La.Main\\0E0 0\\0', '12': 'Lb.jar\\0E1 0\\0'},
             ["process 7 (a.Main): it loaded no class but the JDK's", 'process 12 (b.jar): its only class has no probes']),
            ({'7': 'La.Main\\0E9 4 1\\0'}, ['process 7 (a.Main): 4 of its classes have probes, and none of these was called']),
            ({'7': 'La.Main\\0E9 0 1 2 3\\0'}, ['none of its 9 classes has probes, 1 cannot be read, 2 ran out of memory, 3 cannot be']),
            ({'7': 'La.Main\\0E9 0 0 0 0 7 7 7 5 4\\0'}, ['has probes, 5 came after too many of their kind, 4 got no method id']),
            ({'7': 'E1\\0\\0\\0Lx\\0Q\\0La.Main\\0E', '8': '', 'x': 'L\\0'}, ['process 7 (x): ', 'process 7 (a.Main): it loaded'])):
        script = ''.join(f"printf '{text}' > $METHODBEAT_RUN/{name}; " for name, text in notes.items())
        done = bench.run('--', 'sh', '-c', script + 'exit 3')
        said = done.stderr.decode().splitlines()
        check(f'{notes}', done.returncode == 3 and len(said) == len(wanted) and
              all(line.startswith('methodbeat run: nothing was recorded: ' ) and text in line for line, text in zip(said, wanted)),
              done)
    script = 'for i in $(seq 12); do printf "La.Main\\0" > $METHODBEAT_RUN/$i; done'
    done = bench.run('--', 'sh', '-c', script)
    check('not all of many', done.stderr.count(b'nothing was recorded') == 8 and b'and 4 other processes' in done.stderr, done)
    script = 'printf "La.Main\\0T/none.mbtrace\\0" > $METHODBEAT_RUN/1; printf "Lb.Main\\0Ffull\\0" > $METHODBEAT_RUN/2'
    done = bench.run('--', 'sh', '-c', script)
    check('beside one with a trace', b'/none.mbtrace' in done.stderr and
          b'methodbeat run: not recorded: process 2 (b.Main): full\n' in done.stderr, done)
    done = bench.run('--', 'ls', env={**os.environ, 'TMPDIR': '/none'})
    check('no folder', done.returncode == 1 and done.stdout == b'' and b'/none/' in done.stderr, done)


if __name__ == '__main__':
    sys.exit(run_all(dict(globals()), Bench))
