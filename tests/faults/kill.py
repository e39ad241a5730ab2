"""Killed before each call that changes a file, also while the next run puts things right; ended by
signals; at parts of a long run's duration; three at once. In the end the outputs are one set."""
import errno
import os
import signal
import subprocess
import time

from bench import (EVERY, ONLY, PATIENCE, STAGING, Fault, Findings, brief, counts, differences,
                   in_parallel, judge, may_mount, names_in, run, sample, tree)
from runs import (ASIDE, FAR, LARGE, MOUNTED, STATE, Run, beside, class_files, is_far_remnant,
                  make_jar, title, unmount)
from table import ALWAYS

WRITES = 'write,pwrite,pwrite64'
CHANGES = (f'open,open64,openat,openat64,creat,{WRITES},ftruncate,ftruncate64,fallocate,'
           'fallocate64,posix_fallocate,posix_fallocate64,fchmod,fchmodat,chmod,mkdir,mkdirat,'
           'mkdtemp,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,'
           'unlinkat,rmdir,remove')
EVENTS = f'{CHANGES},mmap,mmap64,read,pread,pread64,stat,stat64,close,flock,pthread_create'
KILLED = ('folder', 'AAR', 'all, -j3', 'state', 'merged state')
KILLED_TWICE = ('state', 'two file systems')
# Nothing can be put in its place any more, and nothing back.
STUCK = Fault('rename,renameat,renameat2', 'error', errno.EIO, ALWAYS)
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PROMPT = 1  # seconds; a whole run takes a small part of that
TIMES = 500 if EVERY else 24
ROUNDS = 120 if EVERY else 20
RACE_SECONDS = 0.1  # about as long as a round takes
MOST = 1000  # calls of a small run


def is_aside(name):
    return ASIDE in name or name == 'out/aside.jar'


def old_files(files):
    """Only files, and none of the run beside; of a state only that it is there. What lies in a
    mount that the run beside does not write to is left to one that does."""
    files = {name: what for name, what in files.items() if not name.startswith(FAR)}
    return {name: (mode, None) if name == STATE else (mode, content)
            for name, (mode, content) in files.items()
            if not is_aside(name) and (content is not None or name == STATE)}


def part_of(share):
    """Of the duration: half of the kills come in the last part, where the commit is."""
    return 1.7 * share if share < 0.5 else 0.85 + (share - 0.5) / 2


class Suite:
    def __init__(self):
        self.findings = Findings()

    def judge_settled(self, here, where, at):
        """After a run that has to do with other files: one set, and nothing of the killed one."""
        done = run(here.beside, here.folder)
        found = old_files(tree(here.folder))
        old = differences(found, old_files(here.before))
        new = differences(found, old_files(here.after))
        if done.code:
            self.findings.add(where, f'the run beside: {done.said!r}', at)
        elif old and new:
            self.findings.add(where, f'neither old ({brief(old)}) nor new ({brief(new)})', at)
        self.findings.count('new' if not new else 'old')
        done = run(here.command, here.folder)
        files = {name: what for name, what in here.files(True).items()
                 if not is_aside(name) and not is_far_remnant(name, what)}
        wrong = differences(files, here.after)
        if done.code or wrong:
            self.findings.add(where, f'the next run: {done.code} {done.said!r} {brief(wrong)}', at)

    def kill_once(self, bench, task):
        name, over_old, fault, at = task
        here = Run.of(name, over_old, bench)
        done = run(here.command, here.folder, fault, at)
        where = f'{here.name}: {fault}'
        if done.code not in (0, 1 if fault.how == 'error' else 0, -signal.SIGKILL):
            self.findings.add(where, f'exit code {done.code}: {done.said!r}', at)
        self.judge_settled(here, where, at)
        here.saved.put_back()

    def kill_twice(self, bench, task):
        """Killed at one of its changes, and the next run at each of its own until nothing is left
        of the first: from there on it is a run like others."""
        name, over_old, fault, at = task
        here = Run.of(name, over_old, bench)
        for again in range(1, MOST):
            run(here.command, here.folder, fault, at)
            run(here.beside, here.folder, fault, again)
            is_right = not any(STAGING in name for name in names_in(here.folder))
            self.judge_settled(here, f'{here.name}: {fault} {at}, then again', again)
            here.saved.put_back()
            if is_right:
                return
        judge.check(False, f'{here.name} ends')

    def begun(self, name):
        """The calls of a run that come after the first change of an output."""
        here = Run.of(name, True, 0)
        found = []
        for at in range(1, MOST):
            done = run(here.command, here.folder, Fault(CHANGES, 'before'), at)
            files = {key: what for key, what in tree(here.folder).items() if STAGING not in key}
            here.saved.put_back()
            if not done.hit:
                return found
            if differences(files, here.before):
                found.append(at)
        return found

    def twice(self, name):
        found = self.begun(name)
        step = 1 if EVERY else max(1, len(found) // 5)
        return [(self.kill_twice, (name, True, Fault(CHANGES, 'before'), at))
                for at in found[::step]]

    def interrupt(self, bench, task):
        name, over_old, fault, at = task
        here = Run.of(name, over_old, bench)
        began = time.monotonic()
        done = run(here.command, here.folder, fault, at)
        took = time.monotonic() - began
        wrong = differences(here.files(done.code == 0), here.before if done.code else here.after)
        where = f'{here.name}: {fault}'
        if done.code not in (0, 1, -fault.error) or wrong:
            self.findings.add(where, f'exit code {done.code}: {done.said!r} {brief(wrong)}', at)
        if took > PROMPT:
            self.findings.add(where, f'took {took:.1f} s', at)
        self.findings.count('interrupted' if done.code else 'ended')
        here.saved.put_back()

    def kill_at_times(self, bench, name):
        here = Run.of(name, True, bench)
        began = time.monotonic()
        run(here.command, here.folder)
        duration = time.monotonic() - began
        here.saved.put_back()
        for number in range(TIMES):
            part = part_of(number / TIMES)
            chosen = (signal.SIGKILL, signal.SIGTERM)[number % 2]
            with subprocess.Popen(here.command, cwd=here.folder, stderr=subprocess.PIPE) as child:
                time.sleep(part * duration)
                child.send_signal(chosen)
                began = time.monotonic()
                child.communicate(timeout=PATIENCE)
            code, took = child.returncode, time.monotonic() - began
            where = f'{here.name}: {chosen.name} at part'
            if took > PROMPT + duration:
                self.findings.add(where, f'took {took:.1f} s', part)
            if code not in (0, 1, -chosen):
                self.findings.add(where, f'exit code {code}', part)
            if code == 1 and differences(here.files(False), here.before):
                self.findings.add(where, 'exit code 1, but outputs are not the old ones', part)
            self.judge_settled(here, where, part)
            here.saved.put_back()


class Race:
    """Three runs with other inputs of equal names write into one folder, again and again."""

    def __init__(self):
        self.folder = judge.scratch_folder('race')
        self.commands, self.sets = [], []
        for number in range(3):
            source = os.path.join(self.folder, f'in{number}')
            write_rival(source, number)
            self.commands.append((judge.METHODBEAT, 'instrument', '-q', '-j2', '-o', 'out',
                                  f'{source}/app.jar', f'{source}/classes'))
            alone = judge.scratch_folder('alone', str(number))
            judge.must(self.commands[-1], cwd=alone)
            self.sets.append(tree(os.path.join(alone, 'out')))
        aside = os.path.join(self.folder, 'in', 'aside.jar')
        os.makedirs(os.path.dirname(aside))
        make_jar(aside, ['x/Aside run'])
        self.beside = (judge.METHODBEAT, 'instrument', '-q', *beside(('-o', 'out')))

    def start(self, number, part):
        """All three; one of them is killed after that part of a second, if there is one."""
        children = [subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE)
                    for command in self.commands]
        if part:
            time.sleep(part)
            children[number % 3].kill()
        said = [child.communicate(timeout=PATIENCE)[1] for child in children]
        return [child.returncode for child in children], said

    def go(self, _, findings):
        for number in range(ROUNDS):
            part = (number // 2 + 1) / ROUNDS * RACE_SECONDS if number % 2 else 0
            where = 'three at once, one is killed' if part else 'three at once'
            codes, said = self.start(number, part)
            if any(code not in (0, 1, -signal.SIGKILL) for code in codes) or 0 not in codes:
                findings.add(where, f'exit codes {codes}: {said}', number)
            if part:
                done = run(self.beside, self.folder)
                judge.check(done.code == 0, f'{where}: the run beside: {done.said!r}')
            found = {name: what for name, what in tree(os.path.join(self.folder, 'out')).items()
                     if not is_aside('out/' + name)}
            wrong = [brief(differences(found, expected)) for expected in self.sets]
            if all(wrong):
                findings.add(where, f'the outputs are mixed: {wrong}, exit codes {codes}', number)
            findings.count('raced')


def write_rival(source, number):
    os.makedirs(source)
    make_jar(os.path.join(source, 'app.jar'), [f'own{number}/Own{each} run' for each in range(200)])
    class_files(os.path.join(source, 'classes'), f'own/Only{number} go', f'own/Shared m{number}')


def points(name, over_old, fault, work):
    """A task for each call of a run that fault is about."""
    if ONLY not in f'{title(name, over_old)}: {fault}':
        return
    here = Run.of(name, over_old, 0)
    if here is None:
        return
    counted = counts(here.command, here.folder)
    here.saved.put_back()
    total = sum(counted.get(call, 0) for call in fault.calls.split(','))
    for at in sample(total):
        yield work, (name, over_old, fault, at)


def main():
    suite = Suite()
    mounted = [*MOUNTED] if may_mount() else []
    print(*([] if mounted else ['mounts are not allowed here: none is tried']))
    tasks = []
    for name in (*KILLED, *mounted):
        for over_old in (False, True):
            for fault in (Fault(CHANGES, 'before'), Fault(WRITES, 'torn'), STUCK):
                tasks += points(name, over_old, fault, suite.kill_once)
    for signal_number in SIGNALS:
        tasks += points('all, -j3', True, Fault(EVENTS, 'signal', signal_number),
                        suite.interrupt)
    for name in LARGE if mounted else ('large',):
        if ONLY in f'{name} at times':
            tasks.append((suite.kill_at_times, name))
    for name in KILLED_TWICE:
        if name in (*KILLED, *mounted) and ONLY in f'{name}, twice':
            tasks += suite.twice(name)
    if ONLY in 'three at once':
        tasks.append((Race().go, suite.findings))
    in_parallel(lambda bench, task: task[0](bench, task[1]), tasks)
    suite.findings.tell()
    print(dict(suite.findings.counted))
    unmount()
    judge.finish()


main()
