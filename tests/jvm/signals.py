"""Samples beside whatever else has to do with signals in a process: threads that are not Java's get none of ours, and where ours do not
arrive there are stacks all the same, and a line.

usage: signals.py METHODBEAT AGENT TAKER [TIMES]
"""
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT, TAKER = map(os.path.abspath, sys.argv[2:4])
TIMES = int(sys.argv[4]) if len(sys.argv) > 4 else 2
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'signals')
TAKEN = (('block', 'block or lose our signals'), ('wait', 'block or lose our signals'), ('handler', 'has taken our signal'),
         ('default', 'has taken our signal'))
GO = shutil.which('go') or shutil.which('go', path='/usr/lib/go/bin:/usr/lib/go-1.19/bin:/usr/local/go/bin')


def count_stacks(text):
    found = re.search(r'([\d,]+) stacks', text)
    return int(found[1].replace(',', '')) if found else 0


def environment_of(mode):
    return {**os.environ, 'LD_PRELOAD': TAKER, 'TAKER': mode} if mode else os.environ


def attach(folder, mode=None, library=None):
    """What the JVM says on standard error; it lives on."""
    words = 'java', *judge.BRIEF, '-cp', folder, 'Busy', '0', *([library] if library else [])
    with subprocess.Popen(words, env=environment_of(mode), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as jvm:
        judge.check(jvm.stdout.readline() == 'ready\n', f'{words} is ready')
        time.sleep(.2)
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, '--sample', '--for', '1', str(jvm.pid)), cwd=folder)
        out, errors = jvm.communicate('\n', timeout=60)
    judge.check((jvm.returncode, out) == (0, 'ended\n'), f'{mode} {library}: the program lives on: {jvm.returncode} {errors[-2000:]}')
    judge.check(done.returncode == 0 and 'Busy.work' in done.stdout and count_stacks(done.stdout) > 10, f'{mode} {library}: {done}')
    return errors


def run(folder, mode=None, within=(), program=('2500',)):
    done = judge.run((*within, judge.METHODBEAT, 'run', '--agent', AGENT, '--sample', '--trace', 'run.mbtrace',
                      'sample_us=500', '--', 'env', *([f'LD_PRELOAD={TAKER}', f'TAKER={mode}'] if mode else []),
                      'java', *judge.BRIEF, '-cp', folder, 'Busy', *program), cwd=folder)
    os.remove(os.path.join(folder, 'run.mbtrace'))
    judge.check(done.returncode == 0 and 'ended' in done.stdout, f'{mode}: {done}')
    judge.check(count_stacks(done.stdout + done.stderr) > 30 and 'Busy.work' in done.stdout + done.stderr, f'{mode}: {done}')
    return done.stderr


def judge_strangers(folder):
    """Threads that are not Java's: their stacks may be too small, and their system calls end for no reason."""
    for _ in range(TIMES):
        attach(folder, 'small')
        judge.check('nap was ended' not in attach(folder, 'naps'), 'system calls of others go on')
        if GO is not None:
            attach(folder, library=os.path.join(folder, 'libspin.so'))


def judge_takers(folder):
    for _ in range(TIMES):
        for mode, line in TAKEN:
            said = run(folder, mode)
            judge.check(line in said and said.count(line) == 1, f'{mode}: one line: {said}')
            judge.check('it took a signal' not in said, f'{mode}: only threads of Java get signals: {said}')
        said = run(folder, within=('prlimit', '--sigpending=0'))
        judge.check('block or lose our signals' in said or os.geteuid() != 0, f'no room for signals: {said}')
        run(folder, 'exec', program=('700', TAKER, 'last'))


def main():
    folder = judge.scratch_folder('signals')
    judge.must(('javac', '-d', folder, os.path.join(SOURCE, 'Busy.java')))
    if GO is not None:
        judge.must((GO, 'build', '-buildmode=c-shared', '-o', 'libspin.so', os.path.join(SOURCE, 'spin.go')), cwd=folder,
                   env={**os.environ, 'GOCACHE': os.path.join(folder, 'cache'), 'GO111MODULE': 'off', 'GOFLAGS': ''})
    judge_strangers(folder)
    judge_takers(folder)
    print(f'{TIMES} attaches each beside {"goroutines, " if GO else ""}small stacks and naps; {len(TAKEN) + 2} that take signals' +
          ('' if GO else '; no go is installed: goroutines were not tried'))
    judge.finish()


main()
