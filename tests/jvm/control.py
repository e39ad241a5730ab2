"""methodbeat attach --dump and --stop: a program that records on eight threads obeys it, and what cannot is told why.

usage: control.py METHODBEAT RUNTIME_JAR LIBRARY [AGENT]
"""
import contextlib
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY, *AGENT = (os.path.abspath(path) for path in sys.argv[2:])
ROUNDS = 50
THREADS = 8
NOBODY = 65534
NO_PROCESS = 4194304 + 1  # Linux has no higher ids than the first


@contextlib.contextmanager
def eight(folder, **settings):
    """The process and its trace; at the end it does what it does without us. What is muted stays so: none is."""
    trace = os.path.join(judge.scratch_folder('traces'), 'it is %p.mbtrace')
    settings = {'library': LIBRARY, 'file': trace, 'throttle': 'off', **settings}
    command = judge.java_command('-cp', os.path.join(folder, 'classes'), 'Eight', runtime=RUNTIME,
                                 options=[f'-Dmethodbeat.{name}={value}'
                                          for name, value in settings.items()])
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        judge.check(process.stdout.readline() == 'ready\n', f'{settings}: ready')
        yield process, trace.replace('%p', str(process.pid))
        if process.poll() is None:
            out, told = process.communicate('\n', timeout=240)
            judge.check((process.returncode, out) == (0, 'done\n'),
                        f'{settings}: {process.returncode} {out!r} {told}')


def control(pid, command, *more, **options):
    done = judge.run((judge.METHODBEAT, 'attach', f'--{command}', *more, pid), timeout=240, **options)
    return done.returncode, (done.stdout + done.stderr).strip()


def judge_answer(what, answer, code, text):
    judge.check(answer[0] == code and text in answer[1], f'{what}: {answer}, not {code} {text!r}')


def threads_of(trace):
    """Those with words, by the report; a damaged trace fails."""
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json',
                                    '--method-map', judge.scratch('eight'), trace)).stdout)
    damaged = [finding for finding in report['findings'] if finding['kind'] == 'RING_DAMAGED']
    judge.check(not damaged, f'{trace}: {damaged}')
    return {thread['name'] for thread in report['threads'] if thread['records']}


def judge_rounds(folder, flavour):
    wanted = {f'tree {number}' for number in range(THREADS)}
    with eight(folder, flavour=flavour) as (process, trace):
        while not threads_of(trace) >= wanted:  # or the test's time ends
            pass
        for number in range(ROUNDS):
            code, dump = control(process.pid, 'dump')
            if judge.check(code == 0 and dump.startswith(trace.removesuffix('.mbtrace')),
                           f'dump {number}: {code} {dump}'):
                judge.check(threads_of(dump) >= wanted, f'dump {number}: threads')
                os.unlink(dump)
        judge_answer('stop', control(process.pid, 'stop'), 0, f'stopped {trace}')
        judge.check(threads_of(trace) >= wanted, 'stop: threads')
        judge_answer('stop again', control(process.pid, 'stop'), 0, 'was stopped already')
        judge_answer('dump of what is stopped', control(process.pid, 'dump'), 1, 'has stopped recording')
    judge.check(threads_of(trace) >= wanted, 'what was stopped is there after the end')
    print(f'{flavour}: {ROUNDS} dumps')


def judge_refusals(folder):
    judge_answer('no process', control(NO_PROCESS, 'dump'), 1, 'does not exist')
    judge_answer('no recorder', control(os.getpid(), 'dump'), 1, 'does not record into a file')
    judge_answer('no word', control(os.getpid(), 'dmup'), 2, 'did you mean --dump?')
    judge_answer('no JVM', control('no.such.Program', 'dump'), 1, 'no JVM runs such a program')
    judge_answer('both', control(os.getpid(), 'dump', '--stop'), 2, 'exclude each other')
    judge_answer('a setting', control('tick_ms=1', 'stop', os.getpid()), 2, 'do not apply')
    with eight(folder) as (process, trace):
        if os.geteuid() == 0:
            judge_answer('another user', control(process.pid, 'dump', user=NOBODY, group=NOBODY,
                                                 extra_groups=()), 1, "is another user's")
        process.send_signal(signal.SIGSTOP)
        os.waitpid(process.pid, os.WUNTRACED)  # until it has
        judge_answer('stopped', control(process.pid, 'dump', '--timeout', '1'), 1,
                     'does not answer')
        process.send_signal(signal.SIGCONT)
        judge_answer('goes on', control(process.pid, 'stop'), 0, 'stopped')
        process.kill()
        process.wait()
        judge_answer('killed', control(process.pid, 'dump'), 1, 'does not exist')


def judge_below(folder):
    """Whoever started the program stands for it, through a script too, but not for two."""
    script = judge.scratch('start.sh')
    classes = os.path.join(folder, 'classes')
    for line, code, text in ((f'java -cp {classes} Eight; exit $?', 0, '.mbtrace'),
                             (f'exec 3<&0; java -cp {classes} Eight <&3 & exec java -cp {classes} Eight', 1, 'several')):
        with open(script, 'w', encoding='utf-8') as file:
            file.write(line + '\n')
        traces = os.path.join(judge.scratch_folder('below'), '%p.mbtrace')
        command = (judge.METHODBEAT, 'run', '--agent', *AGENT, f'file={traces}', 'sh', script)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            for _ in range(line.count('Eight')):
                judge.check(process.stdout.readline() == 'ready\n', f'{line}: ready')
            judge_answer(line, control(process.pid, 'dump'), code, text)
            process.communicate('\n\n', timeout=240)


CUT = """
import os, struct, sys, time
head = bytearray(open(sys.argv[1], 'rb').read(16384))
head[52:56] = struct.pack('<I', os.getpid())  # whose trace it is
file = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
os.pwrite(file, head, 0)
print('ready', flush=True)
while True:
    time.sleep(.003)
    os.truncate(file, 0)
    time.sleep(.001)
    os.pwrite(file, head, 0)
"""


def judge_cuts(folder):
    """A trace that is cut short meanwhile ends nobody who asks."""
    with eight(folder) as (process, trace):
        command = sys.executable, '-c', CUT, trace, judge.scratch('cut.mbtrace')
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as enemy:
            judge.check(enemy.stdout.readline() == 'ready\n', 'cut: ready')
            for _ in range(8):
                answer = control(enemy.pid, 'dump', '--timeout', '1')
                if not judge.check(answer[0] == 1 and 'methodbeat attach' in answer[1], f'cut: {answer}'):
                    break
            enemy.kill()


def main():
    classes = judge.compile_java(judge.scratch('classes'),
                                 (os.path.join(judge.TESTS, 'jvm', 'Eight.java'),))
    folder = judge.scratch_folder('eight')
    judge.instrument('--output', folder, classes)
    for flavour in ('mapped', 'native'):
        judge_rounds(folder, flavour)
    judge_refusals(folder)
    judge_cuts(folder)
    if AGENT:
        judge_below(folder)
    judge.finish()


main()
