"""Each call that can fail fails in turn: either the run says why and leaves everything as it was,
or its outputs are what they always are. It never hangs, dies or leaves anything lying about."""
import os
import re

from bench import (EVERY, FEW, ONLY, Findings, brief, counts, differences, in_parallel, judge,
                   may_mount, names_cause, run, sample)
from runs import MOUNTED, RUNS, Run, is_far_remnant, title, unmount
from table import ALL, LIST, NEXT, REMOVE, faults


CALLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'calls.def')
# What does not fail, what only glibc sees fail (the streams), and the libraries, which call glibc.
UNFAILING = re.compile(
    r'_.*|mem.*|str.*|is.*|to.*|libdeflate_.*|zip_.*|ZSTD_.*|inflate.*|protobuf_c_.*|pthread_.*|sig.*|'
    r'v?s?n?printf|v?fprintf|f?put[cs]|puts|putchar|fwrite|fflush|fgets|fclose|fdopen|fileno|tmpfile64|f(seek|tell)o64|ferror|perror|clearerr|qsort|bsearch|free|munmap|'
    r'close.*|dirfd|rewinddir|get(opt_long|env|pid|uid|euid|egid|ppid)|(un)?setenv|tzset|mktime|'
    r'localtime.*|gmtime.*|clock_gettime|nanosleep|sysconf|sched_.*|wait(pid|id)|send|setsid|umask|'
    r'ioctl|fcntl.*|prctl|syscall|sscanf|glob.*|alphasort.*|posix_spawn.*|scandir.*|abort|exit|raise|kill|poll|'
    r'std.*|opt.*|environ|time|timegm|uname|usleep|sqrt|hypot|exp|log')


def judge_files(here, fault, code):
    """What is wrong with the files after a run that ended by this exit code."""
    wrong = differences(here.files(code == 0), here.before if code else here.after)
    if fault.calls in (REMOVE, LIST, NEXT):  # tidying up may be what failed; the next run does it
        wrong = [word for word in wrong if not word.startswith('STRAY')]
    return wrong


def judge_end(here, fault, done):
    """What is wrong with the end of a run; None if nothing is."""
    if done.code not in (0, 1):
        return f'{done.code} is no exit code: {done.said[-200:]!r}'
    wrong = judge_files(here, fault, done.code)
    if wrong:
        return f'exit code {done.code}, but {brief(wrong)}'
    if done.code == 1 and fault.how == 'short':
        return f'a short call is no failure: {done.said!r}'
    if done.code == 1 and not names_cause(fault, done.said):
        return f'names no cause: {done.said!r}'
    return None


def judge_next(here):
    """The run after one that went wrong, or seemed not to."""
    done = run(here.command, here.folder)
    files = {name: what for name, what in here.files(True).items()
             if not is_far_remnant(name, what)}
    wrong = differences(files, here.after)
    return f'the next run: exit code {done.code}; {brief(wrong)}' if done.code or wrong else None


def check_reach():
    """Every function that the program calls and that can fail is one that we can let fail."""
    done = judge.must(('nm', '-D', '--undefined-only', judge.METHODBEAT))
    called = {line.split()[-1].split('@')[0] for line in done.stdout.splitlines()}
    listed = set(re.findall(r'[a-z_0-9]+', f'{judge.read(CALLS)} {ALL}'))
    unknown = sorted(name for name in called - listed if not UNFAILING.fullmatch(name))
    judge.check(not unknown, f'can these fail? {unknown}')


OVER_NONE = ('folder', 'merged', 'all, -j3', 'state', *MOUNTED)  # tried over no outputs too
# Runs that together do all that is done; in the others, and over none, fewer calls fail, in one way.
WIDEST = ('merged', 'all, -j3', 'state', 'state, mounted', 'two file systems')


class Suite:
    def __init__(self):
        self.findings = Findings()

    def make_fail(self, bench, task):
        name, over_old, fault, at = task
        here = Run.of(name, over_old, bench)
        done = run(here.command, here.folder, fault, at)
        verdict = judge_end(here, fault, done)
        if (verdict is None and (here.has_state or fault.calls in (REMOVE, LIST, NEXT)) and
                not here.saved.is_untouched()):
            verdict = judge_next(here)
        if verdict is not None:
            self.findings.add(f'{here.name}: {fault}', verdict, at)
        self.findings.count('failed' if done.code else 'hit' if done.hit else 'not hit')
        here.saved.put_back()

    def tasks(self, name, over_old):
        is_wide = over_old and name in WIDEST
        chosen = [fault for fault in faults(EVERY or is_wide)
                  if ONLY in f'{title(name, over_old)}: {fault}']
        if not chosen:
            return
        here = Run.of(name, over_old, 0)
        if here is None:
            return
        counted = counts(here.command, here.folder)
        here.saved.put_back()
        for fault in chosen:
            total = sum(counted.get(call, 0) for call in fault.calls.split(','))
            for at in sample(total, FEW if is_wide and fault in {*faults(False)} else FEW // 3):
                yield name, over_old, fault, at


def main():
    names = [*RUNS, *MOUNTED] if may_mount() else [*RUNS]
    print('' if len(names) > len(RUNS) else 'mounts are not allowed here: none is tried')
    check_reach()
    suite = Suite()
    tasks = [task for name in names for over_old in (False, True)
             if EVERY or over_old or name in OVER_NONE for task in suite.tasks(name, over_old)]
    in_parallel(suite.make_fail, tasks)
    suite.findings.tell()
    counted = suite.findings.counted
    print(f'{sum(counted.values())} runs: {counted["failed"]} failed, {counted["hit"]} went on, '
          f'{counted["not hit"]} were not hit')
    judge.check(ONLY or counted['failed'] > 0, 'some run fails')
    unmount()
    judge.finish()


main()
