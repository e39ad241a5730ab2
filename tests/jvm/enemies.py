"""What attach, top and jvms look into may be hostile, and who looks may be root: processes that answer late, never or
wrongly, stop, plant files and links, lie about themselves. Each command ends in time, says why, and has touched nothing
but what is its own or the other side's.

usage: enemies.py METHODBEAT AGENT ENEMY
"""
import contextlib
import fcntl
import glob
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT, PROGRAM = (os.path.abspath(path) for path in sys.argv[2:4])
ATTACH = judge.METHODBEAT, 'attach', '--agent', AGENT
IS_ROOT = os.geteuid() == 0
USER = 12345 if IS_ROOT else os.geteuid()
SLOW = 3  # seconds that ending may take here, where it is to take a tenth of one


def become_user():
    if IS_ROOT:
        os.setgroups(())
        os.setgid(USER)
        os.setuid(USER)


class Enemy:
    """One that another user runs, in a folder of that user's."""

    def __init__(self, mode, *words, user=become_user, within=(), capable=False, **more):
        self.folder = tempfile.mkdtemp(prefix='methodbeat-enemy-', dir='/tmp')
        self.program = os.path.join(self.folder, 'java')
        shutil.copy(PROGRAM, self.program)
        os.chmod(self.folder, 0o755)
        if IS_ROOT and user is not None:
            os.chown(self.folder, USER, USER)
        if capable:
            judge.must(('setcap', 'cap_net_bind_service+ep', self.program))
        environment = {**os.environ, 'ENEMY': mode, 'PLACE': self.folder, **more}
        self.process = subprocess.Popen((*within, self.program, *words), cwd=self.folder, env=environment, text=True,
                                        preexec_fn=user, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        judge.check(self.process.stdout.readline() == 'up\n', f'{mode} is up')
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        shutil.rmtree(self.folder)
        for path in glob.glob(f'/tmp/.java_pid{self.pid}') + self.left():
            os.remove(path)

    def left(self):
        return [path for pattern in ('.methodbeat-{}-*', 'methodbeat-{}-*', 'libmethodbeat-agent-{}-*')
                for path in glob.glob('/tmp/' + pattern.format(self.pid))]


def attach(enemy, *options, cwd, **more):
    return judge.run((*ATTACH, '--for', '1', *options, str(enemy.pid)), cwd=cwd, timeout=60, **more)


def end_by(number, command, cwd, after=1.0, more=0):
    """Exit code, output and how long it took from the signal on."""
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        time.sleep(after)
        judge.check(child.poll() is None, f'{command[1]} waits: {child.poll()}')
        begin = time.monotonic()
        child.send_signal(number)
        for _ in range(more):
            time.sleep(.5)
            child.send_signal(number)
        try:
            out, errors = child.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            child.kill()
            out, errors = child.communicate()
        return child.returncode, out + errors, time.monotonic() - begin


def judge_waits(folder):
    """Whoever never answers is left at a signal, and after a time."""
    top = judge.METHODBEAT, 'top', '--count', '1'
    for mode in ('mute', 'deaf', 'trickle', 'fifo'):
        with Enemy(mode) as enemy:
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                code, said, seconds = end_by(number, (*ATTACH, str(enemy.pid)), folder)
                judge.check(code == 1 and seconds < SLOW and 'interrupted' in said, f'{mode}, {number}: {code} {seconds} {said}')
            code, said, seconds = end_by(signal.SIGTERM, (*top, str(enemy.pid)), folder)
            judge.check(code == 1 and seconds < SLOW, f'top, {mode}: {code} {seconds} {said}')
            if mode == 'mute':
                judge.check('takes its probes out' in said, f'{mode}: what becomes of probes is said: {said}')
            begin = time.monotonic()
            done = attach(enemy, '--timeout', '2s', cwd=folder)
            judge.check(done.returncode == 1 and 'did not answer within' in done.stderr and time.monotonic() - begin < 12,
                        f'{mode}: {done} {time.monotonic() - begin}')
            judge.check(not enemy.left(), f'{mode}: {enemy.left()}')


def judge_silence(folder):
    """Whoever looks into a file system that never answers does not even die; its parent goes on, and names the process."""
    if not os.path.exists('/dev/fuse') or subprocess.run(('unshare', '-Ur', 'true'), preexec_fn=become_user, check=False).returncode != 0:
        return
    device = os.path.join('/dev' if not IS_ROOT else tempfile.mkdtemp(prefix='methodbeat-fuse-', dir='/tmp'), 'fuse')
    if IS_ROOT:  # that of the system may be root's alone
        os.mknod(device, stat.S_IFCHR, os.stat('/dev/fuse').st_rdev)
        os.chmod(device, 0o666)
        os.chmod(os.path.dirname(device), 0o755)
    with Enemy('fuse', FUSE=device) as enemy:
        for command, code in ((('jvms',), 0), (('attach', '--agent', AGENT, '--for', '1', '--timeout', '3', str(enemy.pid)), 1),
                              (('attach', '--agent', AGENT, '--for', '1', 'no.such.Name'), 1), (('top', '--count', '1', 'no.such.Name'), 1)):
            begin = time.monotonic()
            done = judge.run((judge.METHODBEAT, *command), cwd=folder, timeout=60)
            seconds = time.monotonic() - begin
            judge.check(done.returncode == code and seconds < 15, f'silent /tmp, {command}: {seconds} {done}')
            if command[-1] != 'no.such.Name':
                row = ''.join(line for line in (done.stdout + done.stderr).splitlines() if str(enemy.pid) in line or 'answer' in line)
                judge.check('did not answer within 3 s' in row, f'silent /tmp, {command}: {done}')


    with contextlib.ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(Enemy('fuse', FUSE=device))
        begin = time.monotonic()
        done = judge.run((judge.METHODBEAT, 'jvms'), cwd=folder, timeout=120)
        seconds = time.monotonic() - begin
        judge.check(done.returncode == 0 and seconds < 20 and 'of its user did not answer' in done.stdout, f'many of one user: {seconds} {done}')
    if IS_ROOT:
        shutil.rmtree(os.path.dirname(device))


def judge_standstill(folder):
    """A process that stands still is told of: before, while and after it was asked."""
    with Enemy('agree') as enemy:
        os.kill(enemy.pid, signal.SIGSTOP)
        begin = time.monotonic()
        done = attach(enemy, cwd=folder)
        judge.check(done.returncode == 1 and 'is stopped' in done.stderr and time.monotonic() - begin < 10, f'before: {done}')
        os.kill(enemy.pid, signal.SIGCONT)
    for mode, more in (('stopped', ''), ('agree', 'stop')):
        with Enemy(mode, MORE=more) as enemy:
            done = attach(enemy, cwd=folder)
            judge.check(done.returncode == 1 and 'is stopped' in done.stderr and 'comes to it' in done.stderr, f'{mode}: {done}')
            os.kill(enemy.pid, signal.SIGCONT)
    with Enemy('agree', MORE='stop') as enemy:
        code, said, seconds = end_by(signal.SIGINT, (*ATTACH, '--for', '60', str(enemy.pid)), folder, more=1)
        judge.check(code == 1 and seconds < SLOW and 'comes to it' in said, f'twice: {code} {seconds} {said}')
        os.kill(enemy.pid, signal.SIGCONT)


def judge_answers(folder):
    """Only a return code of 0 is success; a refusal is repeated whole."""
    for text, words in (('0\n/x/lib.so was not loaded.\n/x/lib.so: cannot open shared object file: Permission denied\n',
                         ('was not loaded', 'Permission denied')),
                        ('0\nDynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading to launch target VM.\n',
                         ('Dynamic agent loading is not enabled', 'target VM')),
                        ('0\n-agent 0\n', ('-agent 0',)), ('0\n', ('did not take',)), ('', ('hung up',)),
                        ('0\nreturn code: -1\n', ('what it prints itself',)), ('100\nAgent_OnAttach failed\n', ('failed',)),
                        ('0\nreturn code: 101\n', ('another build',)), ('0\nreturn code: 102\n', ('trace cannot be created',)),
                        ('0\nreturn code: 1001\n', ("'threads=main' is no setting",)), ('0\n1\n', ('what it prints itself',)),
                        ('0\nreturn code: 99999999999999999999\n', ('what it prints itself',))):
        with Enemy('say', MORE=text) as enemy:
            done = judge.run((*ATTACH, '--leave', str(enemy.pid), 'threads=main'), cwd=folder, timeout=60)
            judge.check(done.returncode != 0 and all(word in done.stderr for word in words) and done.stderr.count('\n') == 1,
                        f'{text!r}: {done}')
    with Enemy('gone') as enemy:
        done = attach(enemy, cwd=folder)
        judge.check(done.returncode == 1 and 'hung up' in done.stderr, f'gone: {done}')
    for text in ('0\nreturn code: 0\n', '0\n0\n'):
        with Enemy('say', MORE=text) as enemy:
            done = judge.run((*ATTACH, '--leave', str(enemy.pid)), cwd=folder, timeout=60)
            judge.check(done.returncode == 0 and 'probes stay' in done.stderr, f'{text!r}: {done}')


def judge_settings(folder):
    """What attach says to the agent itself is refused before anything is sent."""
    with Enemy('agree') as enemy:
        for setting in ('file=/x/other.mbtrace', 'detach=on', 'focus=a', '=', 'a=b,c=d', 'word', 'threads=lunar', 'tick_ms=x'):
            done = judge.run((*ATTACH, str(enemy.pid), setting), cwd=folder)
            judge.check(done.returncode == 2 and setting in done.stderr, f'{setting}: {done}')
        for option, words in ((('-o', 'a.mbtrace'), '--trace'), (('--for', '5x'), '5x'), (('--for', '2000000h'), '2000000h')):
            done = attach(enemy, *option, cwd=folder)
            judge.check(done.returncode == 2 and words in done.stderr, f'{option}: {done}')
        enemy.process.kill()
        judge.check('asked' not in enemy.process.communicate()[1], 'nothing was sent')


def judge_traces(folder):
    """Traces without an end, and such as are other files."""
    for more, words in (('huge', ''), ('grow', ''), ('junk', 'another file')):
        with Enemy('agree', MORE=more) as enemy:
            begin = time.monotonic()
            done = attach(enemy, '--trace', f'{more}.mbtrace', cwd=folder)
            judge.check(time.monotonic() - begin < 30 and done.returncode == 1 and words in done.stderr, f'{more}: {done}')
            taken = os.stat(f'{folder}/{more}.mbtrace').st_blocks if more != 'junk' else 0
            judge.check(taken < 8 << 21, f'{more}: {taken} blocks')
            judge.check(more != 'junk' or len(enemy.left()) == 1 and enemy.left()[0] in done.stderr, f'kept: {enemy.left()}')
        pathlib.Path(folder, f'{more}.mbtrace').unlink(missing_ok=True)


def judge_links(folder):
    """Root records in a folder that the target's user can write, and in its /tmp."""
    victim = pathlib.Path(folder, 'victim')
    victim.write_bytes(b'kept')
    with Enemy('agree', MORE='link', TARGET=str(victim), FOLDER='.') as enemy:
        done = attach(enemy, cwd=enemy.folder)
        judge.check(victim.read_bytes() == b'kept', f'a planted link: {done}')
        names = [path for path in glob.glob(f'{enemy.folder}/methodbeat-*') if not os.path.islink(path)]
        judge.check(len(names) == 1, f'the trace is there: {names} {done}')
    with Enemy('agree') as enemy:
        os.symlink(victim, f'{enemy.folder}/chosen.mbtrace')
        attach(enemy, '--trace', 'chosen.mbtrace', cwd=enemy.folder)
        judge.check(victim.read_bytes() == b'kept' and not os.path.islink(f'{enemy.folder}/chosen.mbtrace'), 'a link as --trace')
        attach(enemy, '--trace', '/tmp/' + os.path.basename(enemy.folder) + '.mbtrace', cwd='/tmp')
        os.remove('/tmp/' + os.path.basename(enemy.folder) + '.mbtrace')
        judge.check(not enemy.left(), f'in its /tmp: {enemy.left()}')
        done = attach(enemy, cwd='/tmp')
        kept = enemy.left()
        judge.check(len(kept) == 1 and os.path.getsize(kept[0]) > 0, f'default name in /tmp: {kept} {done}')
        judge.must((judge.METHODBEAT, 'jvms'))
        judge.check(enemy.left() == kept, 'what is kept there stays')


def judge_identity():
    """What the target's user cannot do, root does not do for it."""
    with Enemy('owned', user=None) as enemy:
        done = attach(enemy, cwd=enemy.folder)
        judge.check(done.returncode == 1 and "another user's" in done.stderr, f'socket of another: {done}')
    guarded = tempfile.mkdtemp(prefix='methodbeat-guarded-', dir='/tmp')
    os.chmod(guarded, 0o755)

    def enter_guarded():
        become_user()
        os.chdir(guarded)

    with Enemy('idle', user=enter_guarded) as enemy:
        with subprocess.Popen((*ATTACH, str(enemy.pid)), cwd='/', stderr=subprocess.DEVNULL) as child:
            time.sleep(1)
            judge.check(os.listdir(guarded) == [], f'a working folder of root: {os.listdir(guarded)}')
            child.send_signal(signal.SIGINT)
    mounts = f'mount --bind "{guarded}" /tmp && exec setpriv --reuid={USER} --regid={USER} --clear-groups "$@"'
    within = 'unshare', '--mount', 'sh', '-c', mounts, 'sh'
    if judge.run((*within, 'true')).returncode == 0:
        private = tempfile.mkdtemp(prefix='methodbeat-private-', dir='/var/tmp')
        library = shutil.copy(AGENT, private)
        environment = {'PLACE': private}
        os.chmod(private, 0o777)
        program = shutil.copy(PROGRAM, private)
        with subprocess.Popen((*within, program), env={**os.environ, 'ENEMY': 'idle', **environment}, text=True,
                              stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            os.chmod(private, 0o700)
            done = judge.run((judge.METHODBEAT, 'attach', '--agent', library, '--for', '1', str(child.pid)), cwd='/', timeout=60)
            judge.check(done.returncode == 1 and os.listdir(guarded) == [], f'bound over /tmp: {done} {os.listdir(guarded)}')
            child.kill()
        shutil.rmtree(private)
    else:
        print('no mounts of our own: nothing is bound over /tmp')
    os.rmdir(guarded)


def judge_rights(folder):
    """Processes whose rights are more or others than their user's, and that only root may look into."""
    ids = 'setpriv', f'--reuid={USER}', f'--regid={USER}', '--clear-groups'
    capable = '--inh-caps=+net_bind_service', '--ambient-caps=+net_bind_service'
    for what, within in (('ambient', (*ids, *capable)), ('user namespace', (*ids, 'unshare', '-Ur')), ('file', ids)):
        if judge.run((*within, 'true')).returncode != 0:
            print(f'{what}: not to be had here')
            continue
        with Enemy('agree', within=within, user=lambda: None, capable=what == 'file') as enemy:
            done = judge.run((*ATTACH, '--leave', str(enemy.pid)), cwd=folder, timeout=60)
            judge.check(done.returncode == 0 and row_of(enemy)['attachable'], f'{what}: {done}')
            done = judge.run((*ATTACH, '--leave', str(enemy.pid)), cwd='/', timeout=60, preexec_fn=become_user)
            judge.check(done.returncode == 1 and 'as root' in done.stderr or what == 'user namespace', f'{what}, own user: {done}')


def judge_use(folder):
    """A trace that somebody records into is not replaced."""
    used = pathlib.Path(folder, 'used.mbtrace')
    used.write_bytes(b'used')
    with open(used, 'rb') as file, Enemy('agree') as enemy:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = attach(enemy, '--trace', str(used), cwd=folder)
        judge.check(done.returncode == 1 and 'is recording into it' in done.stderr and used.read_bytes() == b'used', f'used: {done}')
        judge.check(len(enemy.left()) == 1 and enemy.left()[0] in done.stderr, f'the new one stays: {enemy.left()}')


def judge_full(folder):
    """An older trace stays where there is no room for the new one."""
    place = os.path.join(folder, 'full')
    os.mkdir(place)
    script = ('mount -t tmpfs -o size=64k none "$0" && cd "$0" && echo old > old.mbtrace && mkdir .room && '
              '{ cat /dev/zero > filler; "$@"; echo "exit $?"; cat old.mbtrace; ls -A; }')
    within = 'unshare', '--mount', 'sh', '-c', script, place
    if judge.run((*within, 'true')).returncode != 0:
        print('no mounts of our own: no full disk')
        return
    with Enemy('agree') as enemy:
        done = judge.run((*within, *ATTACH, '--for', '1', '--trace', 'old.mbtrace', str(enemy.pid)), timeout=60)
        judge.check(done.stdout.split() == ['exit', '1', 'old', '.room', 'filler', 'old.mbtrace'] and len(enemy.left()) == 1 and
                    enemy.left()[0] in done.stderr, f'full: {done}')


def row_of(enemy):
    done = judge.run((judge.METHODBEAT, 'jvms', '--format', 'json'), timeout=30)
    judge.check(done.returncode == 0, f'jvms: {done}')
    return {row['pid']: row for row in json.loads(done.stdout)['jvms']}.get(enemy.pid)


def judge_words(folder):
    """Files that a command line names are read as its user would."""
    secret = pathlib.Path(folder, 'secret')
    secret.write_text('Secret\n')
    secret.chmod(0o600)
    link = pathlib.Path('/tmp', f'methodbeat-enemy-link-{os.getpid()}')
    link.symlink_to(secret)
    for word in (f'@{secret}', f'@{link}', '@/proc/self/pagemap', '@/proc/self/environ', '@/dev/zero'):
        with Enemy('idle', word) as enemy:
            row = row_of(enemy)
            judge.check(row and row['program'] == '', f'{word}: {row}')
    link.unlink()
    with Enemy('idle', 'Foo\033[31m\a', 'x') as enemy, Enemy('idle', 'B' * 40) as other:
        lines = judge.must((judge.METHODBEAT, 'jvms')).stdout.splitlines()
        found = [line for line in lines if line.split()[0] in (str(enemy.pid), str(other.pid))]
        states = {line.index(' ready') for line in found if ' ready' in line}
        judge.check(len(found) == 2 and len(states) == 1 and not any('\033' in line for line in found), f'escapes: {found}')


def judge_cuts(folder):
    """A file that is cut short meanwhile ends nobody who looks at it."""
    target = pathlib.Path(folder, 'cut')
    target.write_bytes(bytes(1 << 20))
    target.chmod(0o666)
    os.chown(target, USER, USER)
    os.chmod(folder, 0o755)
    with Enemy('cut', 'Foo', MORE=str(target)) as enemy:
        for _ in range(40):
            done = judge.run((judge.METHODBEAT, 'jvms'), timeout=30)
            if not judge.check(done.returncode == 0 and str(enemy.pid) in done.stdout, f'cut: {done}'):
                break


def judge_leftovers():
    """What killed ones left goes with the next look; what is not ours, or is used, stays."""
    with Enemy('idle', 'Foo') as enemy, tempfile.TemporaryDirectory() as ended:
        own = [f'/tmp/.methodbeat-{enemy.pid}-1.mbtrace', f'/tmp/libmethodbeat-agent-{enemy.pid}-1.so']
        old, young = '/tmp/.methodbeat-4194303-1.mbtrace', '/tmp/.methodbeat-4194303-2.mbtrace'
        others = [f'/tmp/.methodbeat-{enemy.pid}-3.mbtrace', f'/tmp/methodbeat-{enemy.pid}-4.mbtrace']
        for path in (*own, old, young, *others):
            pathlib.Path(path).write_text(ended)
            os.chown(path, USER, USER)
        os.utime(old, (0, 0))
        if IS_ROOT:
            os.chown(others[0], 0, 0)
        else:
            os.remove(others.pop(0))
        judge.must((judge.METHODBEAT, 'jvms'))
        judge.check(not any(os.path.exists(path) for path in (*own, old)), 'leftovers go')
        judge.check(all(os.path.exists(path) for path in (young, *others)), 'others stay')
        os.remove(young)
        for path in others:
            os.remove(path)


def main():
    folder = judge.scratch_folder('enemies')
    os.chmod(os.path.dirname(folder), 0o755)
    judge_waits(folder)
    judge_silence(folder)
    judge_standstill(folder)
    judge_answers(folder)
    judge_settings(folder)
    judge_traces(folder)
    judge_links(folder)
    judge_leftovers()
    judge_use(folder)
    judge_cuts(folder)
    if IS_ROOT:
        judge_full(folder)
        judge_identity()
        judge_rights(folder)
        judge_words(folder)
    else:
        print('not root: all users are one')
    judge.check(stat.S_ISCHR(os.stat('/dev/null').st_mode), 'the null device is there')
    judge.finish()


main()
