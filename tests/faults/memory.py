"""What a run does after an allocation failed, as Valgrind sees it: it uses nothing that was never
set, is freed or not its own."""
import errno
import shutil

from bench import EVERY, Fault, Findings, counts, in_parallel, judge, run
from runs import Run
from table import ALWAYS, MEMORY

BROKEN = 99  # exit code of a run with memory errors
SAMPLES = 200 if EVERY else 6
RUNS = ('all, -j3', 'merged state')
VALGRIND = ('valgrind', '--quiet', '--trace-children=yes', f'--error-exitcode={BROKEN}',
            '--soname-synonyms=somalloc=nouserintercepts')  # ours call glibc's, and those are seen


class Suite:
    def __init__(self):
        self.findings = Findings()

    def look(self, bench, task):
        name, fault, at = task
        here = Run.of(name, True, bench)
        environment = fault.environment(at, FAULT_HIT=here.folder + '.hit')
        words = [f'{key}={value}' for key, value in environment.items()
                 if key.startswith('FAULT_') or key == 'LD_PRELOAD']
        done = run((*VALGRIND, 'env', *words, *here.command), here.folder)
        if done.code not in (0, 1) or '==' in done.said:
            self.findings.add(f'{here.name}: {fault}', f'{done.code}: {done.said[-1500:]}', at)
        self.findings.count(done.code)
        here.saved.put_back()

    def tasks(self, name):
        here = Run(name, True, 'counted')
        counted = counts(here.command, here.folder)
        total = sum(counted.get(call, 0) for call in MEMORY.split(','))
        for times in (1, ALWAYS):
            fault = Fault(MEMORY, 'error', errno.ENOMEM, times)
            for number in range(SAMPLES):
                yield name, fault, (number + 1) * total // (SAMPLES + 1)


def main():
    if shutil.which('valgrind') is None:
        judge.skip('no valgrind')
    suite = Suite()
    in_parallel(suite.look, [task for name in RUNS for task in suite.tasks(name)])
    suite.findings.tell()
    judge.check(suite.findings.counted[1] > 0, 'some run fails')
    print(f'{sum(suite.findings.counted.values())} runs: {dict(suite.findings.counted)}')
    judge.finish()


main()
