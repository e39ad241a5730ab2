"""methodbeat top of a program whose methods take known shares of each second.

usage: top.py METHODBEAT AGENT
"""
import fcntl
import glob
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
NAME = f'shares{os.getpid()}'  # others may run this test too
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'top')


class Program:
    """The program; it records from its start if it has a trace."""

    def __init__(self, folder, *arguments, trace=None):
        agent = [f'-agentpath:{AGENT}=file={trace}'] if trace else []
        self.process = subprocess.Popen(('java', *agent, '-jar', NAME + '.jar', *arguments), cwd=folder, text=True,
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
    program = Program(folder, trace='t.mbtrace')
    time.sleep(2)
    text = top(folder, '--count', '3').stdout
    for method, total, calls in [('Shares.spin', 100, 0), ('Shares.nap', 100, 0), ('Shares.half', 100, 24), ('Shares.spinOnce', 50, 24)]:
        rows = shares(text, method)
        judge.check(len(rows) == 3 and all(near(row[2], total, 20) and near(row[3], calls, 12) for row in rows),
                    f'{method}: {rows} of {total} %, {calls}\n{text}')
    ticks = shares(text, 'Shares.tick')
    judge.check(len(ticks) == 3 and all(20 <= row[3] <= 101 for row in ticks), f'tick: {ticks}\n{text}')
    naps, burns = shares(text, 'Shares.nap'), shares(text, 'Shares.burn')
    judge.check(len(naps) == 3 and sum(row[1] for row in naps) / 3 > 85, f'nap waits: {naps}\n{text}')
    judge.check(len(burns) == 3 and all(near(row[0], 150, 40) and row[1] < 50 for row in burns) and
                near(sum(row[0] for row in burns) / 3, 150, 20), f'burn works: {burns}\n{text}')
    threads = top(folder, '--count', '1', '--threads').stdout
    judge.check(re.search(r' spinner +Shares\.burn$', threads, re.M) and re.search(r' napper-0 +Shares\.nap$', threads, re.M),
                f'what threads are in: {threads}')
    program.end('watched')


def judge_ends(folder):
    """By itself, and killed; the file can be read afterwards."""
    for what, message in {'end': 'recording has ended', 'kill': 'its process was killed'}.items():
        program = Program(folder, trace='t.mbtrace')
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
    program = Program(folder, '1000', trace='t.mbtrace')
    time.sleep(2)
    text = top(folder, '--count', '1').stdout
    judge.check('records of threads without room so far' in text, f'without room: {text}')
    program.end('without room')
    program = Program(folder, '1000', trace='t.mbtrace,max_threads=1200,words=0:4096')
    time.sleep(2)
    text = top(folder, '--count', '2').stdout
    naps = shares(text, 'Shares.nap')
    judge.check(len(naps) == 2 and all(row[2] > 95000 for row in naps), f'1,000 threads: {naps}\n{text}')
    program.end('1,000 threads')


def left_behind(pid):
    return glob.glob(f'/tmp/methodbeat-{pid}-*')


def judge_attach(folder):
    """By number and by name; probes go in and out, and so does the trace."""
    program = Program(folder)
    for what in (str(program.process.pid), NAME):
        done = top(folder, '--count', '3', '--interval', '500', what=what)
        ticks = shares(done.stdout, 'Shares.tick')
        judge.check(done.returncode == 0 and ticks and 10 <= ticks[-1][3] <= 101, f'attach {what}: {done.stdout} {done.stderr}')
        judge.check('putting probes into' in done.stderr, done.stderr)
        judge.check(left_behind(program.process.pid) == [], f'left behind: {left_behind(program.process.pid)}')
    done = judge.run(('jcmd', str(program.process.pid), 'Thread.print'))
    judge.check('spinner' in done.stdout, 'the program goes on')
    program.end('attached')


def judge_attach_ends(folder):
    """Each signal takes the probes out; a process that dies meanwhile is told of."""
    program = Program(folder)
    pid = str(program.process.pid)
    command = (judge.METHODBEAT, 'top', '--interval', '300', pid)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            child.send_signal(number)
            errors = child.communicate(timeout=60)[1]
        again = judge.run((judge.METHODBEAT, 'attach', '--stop', pid))
        judge.check(child.returncode == 0 and left_behind(pid) == [], f'signal {number}: {child.returncode} {errors}')
        judge.check(again.returncode != 0 or 'already' in again.stdout + again.stderr,
                    f'signal {number}: nothing records any more: {again.stdout} {again.stderr}')
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, start_new_session=True,
                          env={**os.environ, 'TERM': 'xterm'}, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as child:
        os.close(theirs)
        shown = b''
        while b'Shares.tick' not in shown:
            shown = shown[-10000:] + os.read(ours, 1 << 16)
        os.close(ours)
        child.wait(timeout=60)
    judge.check(child.returncode == 0 and left_behind(pid) == [], f'terminal gone: {child.returncode} {left_behind(pid)}')
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        program.kill()
        out, errors = child.communicate(timeout=60)
    judge.check(child.returncode == 0 and 'its process was killed' in out and left_behind(pid) == [], f'killed: {out} {errors}')
    done = judge.run(command)
    judge.check(done.returncode == 1 and done.stdout == '' and pid in done.stderr, f'nobody: {done.stdout} {done.stderr}')


def judge_processes(folder):
    """One that records already needs no probes; one that is no JVM gets none."""
    program = Program(folder, trace='t.mbtrace')
    done = top(folder, '--count', '2', '--interval', '500', what=str(program.process.pid))
    judge.check(done.returncode == 0 and done.stderr == '' and shares(done.stdout, 'Shares.spin'), f'records: {done.stdout} {done.stderr}')
    command = (judge.METHODBEAT, 'top', '--interval', '500', '--count', '8', str(program.process.pid))
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        child.stdout.readline()
        program.process.stdin.write('again')
        program.process.stdin.flush()
        out, errors = child.communicate(timeout=60)
    judge.check(child.returncode == 0 and 'a new recording has begun' in errors and shares(out, 'Shares.half'),
                f'a new recording: {out} {errors}')
    trace = os.path.join(folder, 't.mbtrace')
    os.remove(trace)
    os.symlink('/etc/passwd', trace)
    done = top(folder, '--count', '2', '--interval', '500', what=str(program.process.pid))
    judge.check(done.returncode == 0 and shares(done.stdout, 'Shares.half'), f'a planted link: {done.stdout} {done.stderr}')
    os.remove(trace)
    program.end('recorded')
    with subprocess.Popen(('sleep', '60')) as other:
        done = top(folder, '--count', '1', what=str(other.pid))
        judge.check(done.returncode == 1 and str(other.pid) in done.stderr and other.poll() is None, f'sleep: {done.stderr}')
        other.kill()


def main():
    folder = judge.scratch_folder('top')
    judge.compile_java(os.path.join(folder, 'classes'), (SOURCE,))
    judge.must(('jar', '--create', '--file', NAME + '.jar', '--main-class', 'Shares', '-C', 'classes', '.'), cwd=folder)
    judge_shares(folder)
    judge_ends(folder)
    judge_many_threads(folder)
    judge_attach(folder)
    judge_attach_ends(folder)
    judge_processes(folder)
    judge.finish()


main()
