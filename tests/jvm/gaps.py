"""Samples in the gaps: a muted method gets its share of the time back, and nothing is sampled where none is muted: at defaults.

usage: gaps.py METHODBEAT AGENT RUNTIME_JAR
"""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402
import sampled  # noqa: E402

AGENT, RUNTIME = map(os.path.abspath, sys.argv[2:4])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'gaps', 'Gaps.java')
ATTACH = judge.METHODBEAT, 'attach', '--agent', AGENT
ENOUGH = 80  # stacks of the worker: a share of 64 % of them varies by 5 points
POINTS = 20  # what is between two stacks goes to one of them, and some of a call to its caller


class Program:
    def __init__(self, folder, *options):
        self.process = subprocess.Popen(('java', *options, '-cp', f'classes:{RUNTIME}', 'Gaps'), cwd=folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        judge.check(self.process.stdout.readline() == 'ready\n', 'the program starts')

    def restart(self, trace):
        self.process.stdin.write(f'restart {trace}\n')
        self.process.stdin.flush()
        judge.check(self.process.stdout.readline() == 'restarted\n', f'{trace}: begins')

    def end(self):
        """What hot took of what it and cold took together, in percent, by the program's clock."""
        out, _ = self.process.communicate('end\n', timeout=60)
        judge.check(self.process.returncode == 0, f'the program ends: {self.process.returncode} {out}')
        hot, cold = map(int, out.split())
        return 100 * hot / (hot + cold)


def stacks_of(path):
    """0 while nothing is muted, or the file is being made."""
    try:
        return sum(thread.samples for thread in sampled.Trace(path).threads if thread.name == 'worker')
    except (OSError, IndexError, ValueError, KeyError):
        return 0


def await_stacks(path):
    while stacks_of(path) < ENOUGH:  # or the test's time ends
        time.sleep(.2)


def report(path):
    return json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', '--top', '100', path)).stdout)


def judge_share(what, path, true):
    told = report(path)
    muted = {row['name'] for row in told['muted']}
    own = {row['name']: row['selfNs'] for row in told['methods']}
    both = own.get('Gaps.hot', 0) + own.get('Gaps.cold', 0) + own.get('Gaps.batch', 0)
    share = 100 * own.get('Gaps.hot', 0) / max(both, 1)
    judge.check('Gaps.hot' in muted, f'{what}: muted {muted}')
    judge.check(abs(share - true) <= POINTS, f'{what}: hot has {share:.1f} %, truly {true:.1f} %: {own}')
    print(f'{what}: hot has {share:.1f} %, truly {true:.1f} %')


def judge_run(folder):
    """Also in the next recording of the process, which finds the method muted."""
    first, second = (os.path.join(folder, f'{name}.mbtrace') for name in ('first', 'second'))
    program = Program(folder, f'-agentpath:{AGENT}=file={first}')
    await_stacks(first)
    program.restart(second)
    await_stacks(second)
    true = program.end()
    judge_share('run', first, true)
    judge_share('restarted', second, true)


def judge_attaches(folder):
    program = Program(folder)
    traces = [os.path.join(folder, f'attach{number}.mbtrace') for number in (1, 2)]
    for trace in traces:
        with subprocess.Popen((*ATTACH, '--trace', trace, str(program.process.pid)), cwd=folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as attach:
            await_stacks(trace)
            attach.send_signal(2)
            attach.wait(timeout=60)
    true = program.end()
    for trace in traces:
        judge_share(os.path.basename(trace), trace, true)


def judge_silence(folder, setting):
    trace = os.path.join(folder, 'silent.mbtrace')
    program = Program(folder, f'-agentpath:{AGENT}=file={trace},{setting}')
    time.sleep(2)
    program.end()
    judge.check(stacks_of(trace) == 0 and not [row for row in report(trace)['findings'] if row['kind'] == 'GAP_SAMPLES'],
                f'{setting}: {stacks_of(trace)} stacks')


def main():
    folder = judge.scratch_folder('gaps')
    judge.compile_java(os.path.join(folder, 'classes'), (SOURCE,), '-cp', RUNTIME)
    judge_run(folder)
    judge_attaches(folder)
    for setting in ('throttle=off', 'sample=off'):
        judge_silence(folder, setting)
    judge.finish()


main()
