"""methodbeat attach on a server that never rests: 50 times, and killed at any moment; no request fails, and afterwards
one costs what it costs another server, that runs beside it and was never attached to.

usage: busy.py METHODBEAT AGENT
"""
import json
import os
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'busy')
ATTACH = judge.METHODBEAT, 'attach', '--agent', AGENT
TIMES, KILLED = 50, 12
PAUSE = 3
BESIDE = 5


class Busy:
    def __init__(self, folder):
        self.process = subprocess.Popen(('java', '-Xmx64m', '-Dsun.net.httpserver.nodelay=true', '-cp', 'classes', 'Busy'), cwd=folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        judge.check(self.process.stdout.readline() == 'ready\n', 'the server starts')

    def ask(self, what):
        """How many requests of the time since it was asked last take a second of CPU time."""
        self.process.stdin.write('\n')
        self.process.stdin.flush()
        done, failed, cpu = map(int, self.process.stdout.readline().split())
        judge.check(failed == 0, f'{what}: {done} requests, and {failed} failed')
        return done / max(cpu / 1e9, 0.01)

    def holdings(self):
        """Megabytes of address space and of memory, threads, open files."""
        status = dict(line.split(':', 1) for line in judge.read(f'/proc/{self.process.pid}/status').splitlines())
        return [int(status[name].split()[0]) // 1024 for name in ('VmSize', 'VmRSS')] + [
            int(status['Threads']), len(os.listdir(f'/proc/{self.process.pid}/fd'))]

    def end(self):
        self.process.stdin.close()
        errors = self.process.stderr.read()
        judge.check(self.process.wait(60) == 7 and 'Exception' not in errors, f'the server: {errors[:2000]}')


def attach_until(folder, pid, number, delay):
    """Until it says that it records, and so much longer."""
    with subprocess.Popen((*ATTACH, '--for', '60', '--trace', 'busy.mbtrace', str(pid), 'throttle=off'), cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as child:
        if number == signal.SIGINT:
            judge.await_line(child.stderr, 'recording for')
        time.sleep(delay)
        child.send_signal(number)
        child.communicate(timeout=60)
    return child.returncode


def cost_beside(server, folder):
    """Requests for a second of CPU time, relative to those of a new server in the same seconds: what else runs here
    changes both alike. The middle of several times."""
    fresh = Busy(folder)
    ratios = []
    for _ in range(BESIDE + 1):  # the first for the compiler
        server.ask('after')
        fresh.ask('beside it')
        time.sleep(PAUSE)
        ratios.append(server.ask('after') / max(fresh.ask('beside it'), 1))
    fresh.end()
    return statistics.median(ratios[1:])


def main():
    folder = judge.scratch_folder('busy')
    judge.compile_java(os.path.join(folder, 'classes'), (SOURCE,), '-nowarn')
    server = Busy(folder)
    time.sleep(PAUSE)  # for the compiler
    for number in range(TIMES):
        code = attach_until(folder, server.process.pid, signal.SIGINT, 0.05)
        judge.check(code == 0, f'attach {number}: {code}')
        if number == TIMES // 5:
            held = server.holdings()
    server.ask('attached')
    most = [each + more for each, more in zip(held, (1000, 200, 8, 8))]
    judge.check(all(a <= b for a, b in zip(server.holdings(), most)), f'it grows from {held} to {server.holdings()}')
    for number in range(KILLED):
        attach_until(folder, server.process.pid, signal.SIGKILL, 0.04 * number)
    server.ask('killed')
    done = judge.run((*ATTACH, '--for', '1', '--trace', 'last.mbtrace', str(server.process.pid), 'throttle=off'),
                     cwd=folder)
    found = json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', 'last.mbtrace'), cwd=folder).stdout)
    calls = {row['name']: row['calls'] for row in found['methods']}
    judge.check(done.returncode == 0 and calls.get('Busy.answer', 0) > 10, f'after killed ones: {done} {calls}')
    ratio = cost_beside(server, folder)
    print(f'{held}, {server.holdings()}; for a second of CPU time {ratio:.2f} times the requests of a new server')
    judge.check(ratio > 0.5, 'a request costs more afterwards')
    server.end()
    judge.finish()


main()
