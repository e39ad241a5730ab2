"""Each call of attach fails in turn: it says why, the JVM lives, and the next attach finds it as it was.

usage: attach.py METHODBEAT FAILING AGENT [--all] [--only TEXT]
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

from bench import ONLY, Findings, counts, judge, may_mount, run, sample
from table import LINK, LOOK, OPEN, PATH, READ, REMOVE, SEEK, SIZE, SOCKET, USER, WRITE, faults

AGENT = os.path.abspath(sys.argv[3])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'jvm', 'attach')
CALLS = {OPEN, READ, WRITE, LOOK, REMOVE, LINK, PATH, SEEK, SIZE, SOCKET, USER}
FEW = 6  # calls of a kind; those behind the start take a second each
NOBODY = ('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups')


class Server:
    """A JVM that works, of ours or, with `within`, of another user."""

    def __init__(self, name, within=()):
        self.name, self.folder = name, tempfile.mkdtemp(prefix='methodbeat-attached-', dir='/tmp')
        judge.compile_java(os.path.join(self.folder, 'classes'), (SOURCE,))
        os.chmod(self.folder, 0o755)
        self.process = subprocess.Popen((*within, 'java', '-cp', 'classes', 'Server'), cwd=self.folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        judge.check(self.process.stdout.readline() == 'ready\n', f'{name}: the program starts')
        self.command = (judge.METHODBEAT, 'attach', '--agent', AGENT, '--for', '1', '--trace', 'a.mbtrace',
                        str(self.process.pid))

    def judge_end(self, fault, done):
        """What is wrong with an attach of which a call failed."""
        if self.process.poll() is not None:
            return f'the JVM ended with {self.process.returncode}'
        if done.code not in (0, 1):
            return f'{done.code} is no exit code: {done.said[-200:]!r}'
        if done.code == 1 and ('methodbeat: ' not in done.said or fault.how == 'short'):
            return f'names no cause: {done.said[-200:]!r}'
        return None

    def judge_whole(self, when):
        done = run(self.command, self.folder)
        judge.check(done.code == 0 and 'Server.request' in done.printed, f'{self.name}, {when}: {done}')

    def end(self):
        out, errors = self.process.communicate('\n', timeout=60)
        judge.check((self.process.returncode, out) == (7, 'ended\n'), f'{self.name}: {out} {errors[:500]}')
        shutil.rmtree(self.folder)
        for path in glob.glob(f'/tmp/methodbeat-{self.process.pid}-*.mbtrace'):
            os.unlink(path)  # of an attach that could not take it


def make_fail(server, findings, chosen):
    counted = counts(server.command, server.folder, FAULT_CALLER='methodbeat')
    for fault in chosen:
        fault = fault._replace(caller='methodbeat')
        total = sum(counted.get(call, 0) for call in fault.calls.split(','))
        for at in sample(min(total, FEW)) if fault.times == 1 else ():
            done = run(server.command, server.folder, fault, at)
            verdict = server.judge_end(fault, done)
            if verdict is not None:
                findings.add(f'{server.name}: {fault}', verdict, at)
            findings.count('failed' if done.code else 'hit' if done.hit else 'not hit')


def take_own_tmp():
    """Copies of the agent in the folder that all share are other tests' too."""
    if not judge.METHODBEAT.startswith('/tmp/') and may_mount():
        judge.must(('mount', '-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', '/tmp'))


def main():
    take_own_tmp()
    findings = Findings()
    chosen = [fault for fault in faults(False) if fault.calls in CALLS and ONLY in str(fault)]
    servers = [Server('ours')]
    if os.geteuid() == 0:
        servers.append(Server("another user's", NOBODY))
    for server in servers:
        server.judge_whole('before')
        make_fail(server, findings, chosen if server is servers[0] else
                  [fault for fault in chosen if fault.calls in (USER, SOCKET)])
        server.judge_whole('afterwards')
        server.end()
    findings.tell()
    print(dict(findings.counted))
    judge.check(ONLY or findings.counted['failed'] > 10, 'some attach fails')
    judge.finish()


main()
