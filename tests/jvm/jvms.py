"""methodbeat jvms: which JVMs run, what they are, and whether attach can record them.

usage: jvms.py METHODBEAT AGENT
"""
import fcntl
import json
import os
import pathlib
import pwd
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'attach')
JVMS = judge.METHODBEAT, 'jvms'
NOBODY = 65534
USER = pwd.getpwuid(os.geteuid()).pw_name
CATCHES = 'import signal, sys; signal.signal(signal.SIGQUIT, lambda *_: sys.exit(9)); print("ready", flush=True); input()'


def become_nobody():
    os.setgid(NOBODY)
    os.setuid(NOBODY)


class Server:
    """A JVM, by the words behind java."""

    def __init__(self, folder, *words, within=(), **more):
        self.process = subprocess.Popen((*within, 'java', *judge.BRIEF, *words), cwd=folder, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        judge.check(self.process.stdout.readline() == 'ready\n', f'the program starts: {words}')
        self.pid = self.process.pid

    def end(self):
        out, errors = self.process.communicate('\n', timeout=60)
        judge.check((self.process.returncode, out) == (7, 'ended\n'), f'{self.process.args}: {self.process.returncode} {errors}')


def rows(**more):
    """By number; those of other tests that run meanwhile too."""
    done = judge.must((*JVMS, '--format', 'json'), **more)
    return {row['pid']: row for row in json.loads(done.stdout)['jvms']}


def line_of(pid, **more):
    lines = judge.must(JVMS, **more).stdout.splitlines()
    judge.check(lines[0].split() == ['PID', 'USER', 'JAVA', 'PROGRAM', 'FOLDER', 'AGE', 'STATE'], lines[0])
    return next((line.split(maxsplit=4)[1:] for line in lines[1:] if line.split()[0] == str(pid)), None)


def java_version():
    home = os.path.dirname(os.path.dirname(os.path.realpath(judge.must(('sh', '-c', 'command -v java')).stdout.strip())))
    return '.'.join(str(number) for number in judge.jdk_version(home))


def judge_programs(folder):
    """However its main class is named."""
    classes = os.path.join(folder, 'classes')
    with open(os.path.join(folder, 'manifest'), 'w', encoding='utf-8') as file:
        file.write('Main-Class: Server\n')
    judge.must(('jar', 'cfm', 'app one.jar', 'manifest', '-C', classes, '.'), cwd=folder)
    with open(os.path.join(folder, 'words'), 'w', encoding='utf-8') as file:
        file.write(f'-cp "{classes}"  # the classes\n Server\n')
    for words, program, arguments in ((('-cp', 'classes', 'Server'), 'Server', ''),
                                      (('--class-path=classes', '-Dx=y', '--add-modules', 'java.sql', 'Server', '-jar', 'x'),
                                       'Server', '-jar x'),
                                      (('-jar', './app one.jar', '--port=8081'), './app one.jar', '--port=8081'),
                                      (('@words',), 'Server', ''), (('-XX:-UsePerfData', '@words', 'Other'), 'Server', 'Other')):
        server = Server(folder, *words)
        row = rows()[server.pid]
        judge.check(row == {'pid': server.pid, 'user': USER, 'version': java_version(), 'program': program, 'arguments': arguments,
                            'folder': os.path.realpath(folder), 'recording': False,
                            'attachable': True, 'refusal': ''}, f'{words}: {row}')
        line = line_of(server.pid)
        shown = f'{os.path.basename(program)} {arguments} {os.path.realpath(folder)} AGE ready'
        words = ' '.join(re.sub(r' [0-9]+[sm] +ready$', ' AGE ready', ' '.join(line[2:])).split())
        judge.check(line[:2] == [USER, java_version()] and words.split() == shown.split(), f'{words}: {line}')
        server.end()
        judge.check(server.pid not in rows(), f'{words}: it has ended')


def judge_refusals(folder):
    for option, words in (('-Xrs', '-Xrs'), ('-XX:+DisableAttachMechanism', 'DisableAttachMechanism')):
        server = Server(folder, option, '-cp', 'classes', 'Server')
        row = rows()[server.pid]
        judge.check(not row['attachable'] and words in row['refusal'] and row['program'] == 'Server', f'{option}: {row}')
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, str(server.pid)), cwd=folder)
        judge.check(done.returncode == 1 and done.stderr == f'methodbeat: process {server.pid}: {row["refusal"]}\n', done.stderr)
        server.end()


def judge_others(folder):
    """Root sees all of another user's JVM; that user sees root's, but may not attach to it."""
    own = Server(folder, '-cp', 'classes', 'Server')
    other = Server(folder, '-cp', 'classes', 'Server', preexec_fn=become_nobody)
    row = rows()[other.pid]
    judge.check(row['user'] == 'nobody' and row['attachable'] and row['version'] == java_version(), f'nobody: {row}')
    seen = rows(preexec_fn=become_nobody)
    judge.check(seen[other.pid] == row, f'its own: {seen[other.pid]}')
    judge.check('another user' in seen[own.pid]['refusal'] and seen[own.pid]['program'] == 'Server', f'of root: {seen[own.pid]}')
    judge.check(line_of(own.pid, preexec_fn=become_nobody)[:3] == ['root', '?', 'Server'], 'what is not known')
    done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, '--for', '1', '--trace', 'nobody.mbtrace', str(other.pid)),
                     cwd=folder)
    judge.check(done.returncode == 0 and 'Server.request' in done.stdout, f'nobody is recorded: {done.stderr}')
    own.end()
    other.end()


def judge_recording(folder):
    server = Server(folder, '-cp', 'classes', 'Server')
    with subprocess.Popen((judge.METHODBEAT, 'attach', '--agent', AGENT, '--for', '60', str(server.pid)), cwd=folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        judge.await_line(child.stderr, 'recording for')
        judge.check(rows()[server.pid]['recording'] and line_of(server.pid)[-1].split()[-1] == 'recording', 'it records')
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
    judge.check(not rows()[server.pid]['recording'], 'it records no more')
    server.end()


def judge_namespaces(folder):
    """In a container the process has another number, and may be the first."""
    within = 'unshare', '--pid', '--fork', '--mount-proc'
    if os.geteuid() != 0 or judge.run((*within, 'true')).returncode != 0:
        print('no namespaces of our own: not judged in a container')
        return
    done = judge.run((*within, *JVMS))
    judge.check((done.returncode, done.stdout, done.stderr) == (0, '', 'methodbeat jvms: no JVM runs here\n'), f'none: {done}')
    done = judge.must((*within, *JVMS, '--format=json'))
    judge.check(json.loads(done.stdout) == {'jvms': []}, f'none: {done}')
    # A JVM's files in /tmp bear its number, so two that are the first of their containers may not share it.
    with open(os.path.join(tempfile.gettempdir(), 'methodbeat-tests-first'), 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        server = Server(folder, '-cp', 'classes', 'Server', within=within)
        found = pathlib.Path(f'/proc/{server.pid}/task/{server.pid}/children').read_text().split()
        row = rows().get(int(found[0]))
        judge.check(row and row['attachable'] and row['program'] == 'Server', f'first of its namespace: {row}')
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, '--for', '1', '--trace', 'inner.mbtrace', found[0]), cwd=folder)
        judge.check(done.returncode == 0 and 'Server.request' in done.stdout, f'attach from outside: {done.stderr}')
        server.end()


def judge_ends(folder):
    """Processes that come and go meanwhile are listed or not, and nothing else."""
    command = 'while :; do java -XX:TieredStopAtLevel=1 -cp classes Absent; done >/dev/null 2>&1'
    with subprocess.Popen(('sh', '-c', command), cwd=folder, start_new_session=True) as loop:
        end = time.monotonic() + 4
        counted = 0
        while time.monotonic() < end:
            counted += any(row['program'] == 'Absent' for row in rows().values())
        os.killpg(loop.pid, signal.SIGKILL)
    judge.check(counted > 0, 'some of them are seen')


def judge_strange(folder):
    """What is said about a JVM may be hostile; a program that would die of the signal does not get it."""
    os.mkfifo(os.path.join(folder, 'pipe'))
    for name, words in (('pipe', ('@pipe',)), ('absent', ('@absent',)), ('none', ()), ('zero', ('@/dev/zero',))):
        command = 'import sys; print("ready", flush=True); input()'
        with subprocess.Popen(('java', '-c', command, *words), executable=sys.executable, cwd=folder, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as fake:
            fake.stdout.readline()
            judge.check(fake.pid not in rows(), f'{name}: it has no libjvm.so')
            seen = rows(preexec_fn=become_nobody, timeout=20).get(fake.pid)
            judge.check(seen and not seen['attachable'], f'{name}: {seen}')
            fake.communicate(b'\n')
    with subprocess.Popen((sys.executable, '-c', CATCHES), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, str(other.pid)))
        judge.check(done.returncode == 1 and 'libjvm.so' in done.stderr and done.stderr.count('\n') == 1, done.stderr)
        other.communicate(b'\n')
        judge.check(other.returncode == 0, f'a program that is no JVM goes on: {other.returncode}')


def main():
    folder = judge.scratch_folder('jvms')
    os.chmod(os.path.dirname(folder), 0o755)
    judge.compile_java(os.path.join(folder, 'classes'), (SOURCE,))
    done = judge.run((*JVMS, 'Server'))
    judge.check(done.returncode == 2 and 'Server' in done.stderr, done.stderr)
    judge_programs(folder)
    judge_refusals(folder)
    judge_recording(folder)
    if os.geteuid() == 0:
        judge_others(folder)
        judge_namespaces(folder)
        judge_strange(folder)
    else:
        print('not root: other users are not judged')
    judge_ends(folder)
    judge.finish()


main()
