"""A program that records goes on as if nobody recorded, whatever call of the recorder fails: the
same output, the same exit code. An old trace is whole or replaced by a new one that can be read.

usage: recorder.py METHODBEAT FAILING RECORDED [JAVA JAVAC RUNTIME LIBRARY PROGRAM]
"""
import functools
import itertools
import os
import sys

from bench import EVERY, FEW, ONLY, Findings, Saved, counts, in_parallel, judge, run, sample, tree
from table import faults

RECORDED, *JVM = [os.path.abspath(word)
                  for word in itertools.takewhile(lambda word: word[0] != '-', sys.argv[3:])]
TRACES = ('trace', 'trace.dump')
MOST_LINES = 16  # one a thread, start and dump
PROGRAMS = {'C': ((RECORDED, 'trace', 'map'), 'methodbeat')}


def java_programs():
    """The Java boundary in both flavours; the program is compiled here."""
    java, javac, runtime, library, source = JVM
    classes = judge.scratch_folder('classes')
    judge.must((javac, '-cp', runtime, '-d', classes, source))
    for flavour in ('mapped', 'native'):
        options = (*judge.BRIEF, '-cp', f'{runtime}:{classes}', f'-Dmethodbeat.library={library}', '-Dmethodbeat.file=trace',
                   # To read a trace of the usual size takes longer than the program; this has room for all records.
                   '-Dmethodbeat.words=32768:4096', '-Dmethodbeat.max_threads=8', '-Dmethodbeat.profile=10000',
                   '-Dmethodbeat.threads=all', '-Dmethodbeat.throttle=off', '-Dmethodbeat.mapping=map',
                   f'-Dmethodbeat.flavour={flavour}')
        yield f'Java, {flavour}', ((java, *options, 'Program', 'plain'), os.path.basename(library))


@functools.cache
class Recording:
    """A program that records into a folder of its own, over traces of an earlier run."""

    def __init__(self, name, bench):
        self.command, self.caller = PROGRAMS[name]
        self.folder = judge.scratch_folder('recordings', f'{name} {bench}'.replace(' ', '-'))
        with open(os.path.join(self.folder, 'map'), 'w', encoding='utf-8') as file:
            file.write('1,1,a.A run ()V\n')
        self.expected = judge.must(self.command, cwd=self.folder).stdout
        self.saved = Saved(self.folder)

    def judge_trace(self, files, name):
        """What is wrong with a trace, if there was one."""
        if files.get(name) == self.saved.tree.get(name):
            return None
        if name not in files:
            return f'the old {name} is gone'
        done = judge.run((judge.METHODBEAT, 'report', '--format', 'records', os.path.join(self.folder, name)))
        return f'{name}: {done.stderr!r}' if done.returncode else None


class Suite:
    def __init__(self):
        self.findings = Findings()

    def make_fail(self, bench, task):
        name, fault, at = task
        here = Recording(name, bench)
        done = run(here.command, here.folder, fault, at)
        where = f'{name}: {fault}'
        if done.code != 0 or done.printed != here.expected:
            self.findings.add(where, f'exit code {done.code}, {done.printed!r}, {done.said!r}', at)
        if len(lines := done.said.splitlines()) > MOST_LINES or any(not line.startswith('methodbeat: ') for line in lines):
            self.findings.add(where, f'says {done.said!r}', at)
        files = tree(here.folder)
        for trace in TRACES:
            if wrong := here.judge_trace(files, trace):
                self.findings.add(where, wrong, at)
        if strays := {*files} - {'map', *TRACES}:
            self.findings.add(where, f'strays: {strays}', at)
        self.findings.count('said so' if lines else 'silent' if done.hit else 'not hit')
        here.saved.put_back()

    def tasks(self, name):
        is_whole = EVERY or not name.startswith('Java')  # a JVM takes long to start
        chosen = [fault for fault in faults(is_whole) if ONLY in f'{name}: {fault}']
        here = Recording(name, 0)
        counted = counts(here.command, here.folder, FAULT_CALLER=here.caller)
        here.saved.put_back()
        for fault in chosen:
            total = sum(counted.get(call, 0) for call in fault.calls.split(','))
            for at in sample(total, FEW if is_whole else FEW // 3):
                yield name, fault._replace(caller=here.caller), at


def main():
    if JVM:
        PROGRAMS.update(java_programs())
    suite = Suite()
    tasks = [task for name in PROGRAMS for task in suite.tasks(name)]
    in_parallel(suite.make_fail, tasks)
    suite.findings.tell()
    counted = suite.findings.counted
    print(', '.join(f'{count} {what}' for what, count in sorted(counted.items())))
    judge.check(counted['said so'] > 0, 'some failure is told')
    judge.finish()


main()
