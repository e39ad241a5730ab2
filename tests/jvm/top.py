"""methodbeat top of a program whose methods take known shares of each second.

usage: top.py METHODBEAT AGENT
"""
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'top')


class Busy:
    """The program; it records from its start if it has a trace."""

    def __init__(self, folder, *arguments, trace=None):
        agent = [f'-agentpath:{AGENT}=file={trace}'] if trace else []
        self.process = subprocess.Popen(('java', *agent, '-cp', 'classes', 'Busy', *arguments), cwd=folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        judge.check(self.process.stdout.readline() == 'ready\n', 'the program starts')

    def end(self, what):
        out, errors = self.process.communicate('\n', timeout=60)
        judge.check((self.process.returncode, out) == (0, 'ended\n'), f'{what}: {self.process.returncode} {out} {errors[:500]}')

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=60)


def top(folder, *options, what='t.mbtrace'):
    return judge.run((judge.METHODBEAT, 'top', *options, what), cwd=folder)


def shares(text, method):
    """own%, waits%, total%, calls/s of each table's row of a method."""
    rows = re.findall(rf'^ *([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+) .* {re.escape(method)}$', text, re.M)
    return [tuple(map(float, row)) for row in rows]


def near(value, wanted, by):
    return wanted - by <= value <= wanted + by


def judge_shares(folder):
    program = Busy(folder, trace='t.mbtrace')
    time.sleep(2)
    text = top(folder, '--count', '3').stdout
    for method, total, calls in [('Busy.spin', 100, 0), ('Busy.nap', 100, 0), ('Busy.half', 100, 24), ('Busy.spinOnce', 50, 24)]:
        rows = shares(text, method)
        judge.check(len(rows) == 3 and all(near(row[2], total, 20) and near(row[3], calls, 12) for row in rows),
                    f'{method}: {rows} of {total} %, {calls}\n{text}')
    ticks = shares(text, 'Busy.tick')
    judge.check(len(ticks) == 3 and all(20 <= row[3] <= 101 for row in ticks), f'tick: {ticks}\n{text}')
    naps, burns = shares(text, 'Busy.nap'), shares(text, 'Busy.burn')
    judge.check(len(naps) == 3 and sum(row[1] for row in naps) / 3 > 85, f'nap waits: {naps}\n{text}')
    judge.check(len(burns) == 3 and all(near(row[0], 150, 20) and row[1] < 50 for row in burns), f'burn works: {burns}\n{text}')
    threads = top(folder, '--count', '1', '--threads').stdout
    judge.check(re.search(r' spinner +Busy\.burn$', threads, re.M) and re.search(r' napper-0 +Busy\.nap$', threads, re.M),
                f'what threads are in: {threads}')
    program.end('watched')


def judge_ends(folder):
    """By itself, and killed; the file can be read afterwards."""
    for what, message in {'end': 'recording has ended', 'kill': 'its process was killed'}.items():
        program = Busy(folder, trace='t.mbtrace')
        with subprocess.Popen((judge.METHODBEAT, 'top', '--interval', '300', 't.mbtrace'), cwd=folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            time.sleep(0.5)
            program.kill() if what == 'kill' else program.end('ends while watched')
            out, errors = child.communicate(timeout=60)
        judge.check(child.returncode == 0 and errors == '' and message in out.split('\n\n')[-2], f'{what}: {out} {errors}')
        judge.must((judge.METHODBEAT, 'report', 't.mbtrace'), cwd=folder)
        over = top(folder)
        judge.check(over.returncode == 0 and message in over.stdout, f'{what}: {over.stdout} {over.stderr}')


def judge_many_threads(folder):
    """With room for all, and without."""
    program = Busy(folder, '1000', trace='t.mbtrace')
    time.sleep(2)
    text = top(folder, '--count', '1').stdout
    judge.check('records of threads without room so far' in text, f'without room: {text}')
    program.end('without room')
    program = Busy(folder, '1000', trace='t.mbtrace,max_threads=1200,thread_words=4096')
    time.sleep(2)
    text = top(folder, '--count', '2').stdout
    naps = shares(text, 'Busy.nap')
    judge.check(len(naps) == 2 and all(row[2] > 95000 for row in naps), f'1,000 threads: {naps}\n{text}')
    program.end('1,000 threads')


def main():
    folder = judge.scratch_folder('top')
    judge.compile_java(os.path.join(folder, 'classes'), (SOURCE,))
    judge_shares(folder)
    judge_ends(folder)
    judge_many_threads(folder)
    judge.finish()


main()
