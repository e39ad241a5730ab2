"""What the suites of this folder share: small runs of methodbeat whose folder is put back after
each run, and a library (failing.c) that lets the n-th call of a function go wrong.

usage of a suite: SUITE METHODBEAT FAILING [...] [--all] [--only TEXT]
"""
import collections
import concurrent.futures
import ctypes
import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import threading

IN_MEMORY = '/dev/shm'
LEAST_ROOM = 1 << 30


def has_room(folder):
    """To work in, and not the little that some containers give it."""
    return os.access(folder, os.W_OK | os.X_OK) and shutil.disk_usage(folder).free >= LEAST_ROOM


# What fails is chosen here, so that a disk would prove no more, and it takes most of the time.
if 'TMPDIR' not in os.environ and has_room(IN_MEMORY):
    tempfile.tempdir = IN_MEMORY

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, 'support'), os.path.join(TESTS, 'cli')]
import judge  # noqa: E402

FAILING = os.path.abspath(sys.argv[2])
EVERY = '--all' in sys.argv
ONLY = sys.argv[sys.argv.index('--only') + 1] if '--only' in sys.argv else ''
PATIENCE = 60  # seconds for a run of milliseconds
FEW = 16  # up to so many calls, each of them fails in turn
STAGING = '.methodbeat-'
HUNG = 'hung'
SHOWN = 5  # verdicts of one kind of failure


class Fault(collections.namedtuple('Fault', 'calls how error times caller',
                                   defaults=('', 0, 1, ''))):
    """What goes wrong; see failing.c."""

    def environment(self, at, **more):
        found = {**os.environ, 'LD_PRELOAD': FAILING, 'FAULT_CALLS': self.calls,
                 'FAULT_HOW': self.how, 'FAULT_ERROR': str(int(self.error)),
                 'FAULT_TIMES': str(self.times), 'FAULT_AT': str(at), **more}
        if self.caller:
            found['FAULT_CALLER'] = self.caller
        return found

    def __str__(self):
        error = errno.errorcode.get(self.error, '') if self.how == 'error' else ''
        return f'{self.calls.split(",")[0]} {self.how} {error}{" from there on" * (self.times > 1)}'


def names_in(folder):
    """All below the folder, as paths relative to it."""
    return [os.path.join(at, name)[len(folder) + 1:] for at, folders, names in os.walk(folder)
            for name in folders + names]


def tree(folder):
    """All below the folder: relative path to permissions and content; None for a folder."""
    found = {}
    for name in names_in(folder):
        path = os.path.join(folder, name)
        info = os.lstat(path)
        content = None
        if stat.S_ISLNK(info.st_mode):
            content = os.readlink(path)
        elif stat.S_ISREG(info.st_mode):
            with open(path, 'rb') as file:
                content = file.read()
        found[name] = (stat.S_IMODE(info.st_mode), content)
    return found


def differences(found, expected):
    """Words about two trees; empty where they are the same."""
    words = []
    for name in sorted({*found, *expected}):
        if name not in expected:
            stray = re.sub(rf'({re.escape(STAGING)})[^/]*', r'\1*', name)
            words.append(f'there is {name}' if stray == name else f'STRAY {stray}')
        elif name not in found:
            words.append(f'{name} is gone')
        elif found[name][1] != expected[name][1]:
            words.append(f'{name} differs')
        elif found[name] != expected[name]:
            words.append(f'{name} has mode {found[name][0]:o}')
    return words


def brief(words):
    return '; '.join(words[:1]) + f' and {len(words) - 1} more' * (len(words) > 1)


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def link_or_copy(origin, path):
    try:
        os.link(origin, path, follow_symlinks=False)
    except OSError:  # on another mount
        shutil.copy2(origin, path, follow_symlinks=False)


def is_same(origin, path):
    found, wanted = os.lstat(path), os.lstat(origin)
    return os.path.samestat(found, wanted) or (
        found.st_dev != wanted.st_dev and found.st_mtime_ns == wanted.st_mtime_ns and
        found.st_mode == wanted.st_mode and found.st_size == wanted.st_size)


class Saved:
    """A folder as it was, by links where they can be had, so that files put back are the same."""

    def __init__(self, folder):
        self.folder, self.copy = folder, folder + '.saved'
        self.tree = tree(folder)
        shutil.copytree(folder, self.copy, copy_function=link_or_copy, symlinks=True)

    def is_untouched(self):
        """Nothing has been changed, not even to a copy of the same."""
        return {*names_in(self.folder)} == {*self.tree} and all(
            content is None or is_same(os.path.join(self.copy, name), os.path.join(self.folder, name))
            for name, (_, content) in self.tree.items())

    def put_back(self):
        for name in sorted(names_in(self.folder), reverse=True):
            if name not in self.tree and os.path.lexists(os.path.join(self.folder, name)):
                remove(os.path.join(self.folder, name))
        for name, (mode, content) in sorted(self.tree.items()):
            path, origin = os.path.join(self.folder, name), os.path.join(self.copy, name)
            if content is None:
                os.makedirs(path, exist_ok=True)
                os.chmod(path, mode)
            elif not os.path.lexists(path) or not is_same(origin, path):
                if os.path.lexists(path):
                    remove(path)
                link_or_copy(origin, path)


CLONE_NEWNS = 0x20000


def may_mount():
    """Mounts of this process are its own from here on; false where that is not allowed."""
    return (ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0 and
            judge.run(('mount', '--make-rprivate', '/')).returncode == 0)


Done = collections.namedtuple('Done', 'code said hit printed')


def stacks_of(pid):
    """Where the threads of a process that hangs are, if there is a debugger."""
    try:
        return subprocess.run(['gdb', '-p', str(pid), '-batch', '-ex', 'thread apply all bt'],
                              capture_output=True, text=True, timeout=PATIENCE,
                              check=False).stdout[-4000:]
    except (OSError, subprocess.TimeoutExpired):
        return ''


def run(command, folder, fault=None, at=0):
    """A run with the at-th call going wrong; code is HUNG for one that does not end."""
    mark = folder + '.hit'
    if os.path.exists(mark):
        os.unlink(mark)
    environment = fault.environment(at, FAULT_HIT=mark) if fault else None
    with subprocess.Popen([str(word) for word in command], cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as child:
        try:
            printed, said = child.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            print(stacks_of(child.pid))
            child.kill()
            child.communicate()
            return Done(HUNG, '', True, '')
    return Done(child.returncode, said.decode(errors='replace'), os.path.exists(mark),
                printed.decode(errors='replace'))


def names_cause(fault, said):
    """The line says what the system said, and about what."""
    if fault.error == errno.ENOMEM:
        return 'out of memory' in said or os.strerror(errno.ENOMEM) in said
    lines = [line for line in said.splitlines() if os.strerror(fault.error) in line]
    return any(line.count(': ') >= 2 for line in lines)


def counts(command, folder, **more):
    """How often a run calls each function."""
    path = folder + '.counts'
    environment = {**os.environ, 'LD_PRELOAD': FAILING, 'FAULT_COUNTS': path, **more}
    environment.pop('FAULT_CALLS', None)
    judge.must(command, cwd=folder, env=environment)
    return {name: int(count) for name, count in
            (line.split() for line in judge.read(path).splitlines())}


def sample(count, few=FEW):
    """The calls that fail: all, or where they are many, the first, the last and some between."""
    if EVERY or count <= few:
        return list(range(1, count + 1))
    half = few // 2
    step = max(1, (count - few) // half)
    return sorted({*range(1, half + 1), *range(half, count - half, step),
                   *range(count - half + 1, count + 1)})


class Findings:
    """Verdicts, with equal ones told once."""

    def __init__(self):
        self.lock, self.wrong, self.counted = threading.Lock(), {}, collections.Counter()

    def count(self, what):
        with self.lock:
            self.counted[what] += 1

    def add(self, where, verdict, at):
        with self.lock:
            self.wrong.setdefault(where, []).append((at, verdict))

    def tell(self):
        for where, verdicts in sorted(self.wrong.items()):
            verdicts.sort()
            shown = ' '.join(str(at) for at, _ in verdicts[:8]) + ' ...' * (len(verdicts) > 8)
            words = '\n  '.join([*dict.fromkeys(verdict for _, verdict in verdicts)][:SHOWN])
            judge.check(False, f'{where}, at {shown} ({len(verdicts)} times)\n  {words}')


def in_parallel(work, tasks):
    """work(bench, task) for each; a bench is one of the numbers from 0, not used twice at once."""
    benches = list(range(os.cpu_count() or 2))
    lock = threading.Lock()

    def one(task):
        with lock:
            bench = benches.pop()
        try:
            work(bench, task)
        finally:
            with lock:
                benches.append(bench)

    with concurrent.futures.ThreadPoolExecutor(len(benches)) as pool:
        for done in [pool.submit(one, task) for task in tasks]:
            done.result()
