"""Each call that can fail fails in turn below the commands that read: either the command says why
and exits with 1, or it prints what it always prints. It changes no file, and never hangs or dies.

usage: commands.py METHODBEAT FAILING RECORDED [--all] [--only TEXT]
"""
import functools
import gzip
import json
import os
import re
import resource
import shutil
import subprocess
import sys

from bench import (EVERY, ONLY, Findings, Saved, brief, counts, differences, in_parallel, judge,
                   names_cause, run, sample, tree)
from inputs import make_class, make_jar
from table import LIST, NEXT, REMOVE, faults

RECORDED = os.path.abspath(sys.argv[3])
MAP = ''.join(f'{number},9,a.Main work{number} ()V\n' for number in range(1, 10)) + \
    '1048574,1,android.os.Handler dispatchMessage (Landroid.os.Message;)V\n'
MAPPING = 'org.App -> a.Main:\n    void run() -> work1\n'
LOG = '|* ..3 1 17\nStackKey: 2|\nnothing of ours\n' * 40
ISSUE = {'tag': 'Trace_EvilMethod', 'process': 'a', 'time': 1790000000000, 'detail': 'LAG', 'cost': 9, 'stackKey': '2|',
         'methodbeat': {'schema': 1, 'incident': '1-1', 'app': {'id': 'a'}, 'hottest': {'frames': ['a.Main.work1']}}}
SESSION = {'schema': 1, 'app': {'id': 'a'}, 'day': 20260921, 'until_ms': 1790000000000,
           'starts': [{'kind': 'cold', 'n': 1, 'buckets': [[9, 1]]}]}
NAMED = ('--method-map', 'maps/other.txt', '--mapping', 'mapping.txt')

COMMANDS = {
    'report': ('report', '--show=threads', '--weight=calls', 'trace'),
    'report, json': ('report', '--format', 'json', '--threshold', '0', '--method-map', 'maps', 'copy/trace'),
    'report, matrix': ('report', '--format', 'matrix', '--threshold', '0', *NAMED, 'trace'),
    'report, html': ('report', '--format', 'html', *NAMED, 'trace'),
    'report, folded': ('report', '--format', 'folded', 'trace'),
    'report, diff': ('report', '--diff', 'trace.dump', 'trace'),
    'records': ('report', '--format', 'records', *NAMED, 'trace'),
    'collect': ('collect', '-o', 'names', 'app.jar', 'classes'),
    'number': ('number', '-o', 'ids/map', '--slices', 'ids', '--ledger', 'methodMapping.txt', 'names'),
    'fleet rows': ('fleet', 'rows', '-o', 'rows.ndjson', '--strict', '--mapping', 'mapping.txt', 'spool', 'trace'),
    'fleet rows, packed': ('fleet', 'rows', '-o', 'rows.ndjson.zst', '--strict', 'spool'),
    'symbolize': ('symbolize', *NAMED, 'log.txt', 'log.txt'),
    'run': ('run', '--agent', 'agent.so', 'file=new-%p', '--', 'sh', '-c', 'cp trace new-1; '
            'printf "La.Main\\0T$PWD/new-1\\0" > $METHODBEAT_RUN/1'),
}
LIMITS = (0, 1, 4095, 4096, 5000)  # bytes that there is room for behind standard output


def fill(folder):
    """Something for each of the commands to read."""
    os.makedirs(os.path.join(folder, 'maps'))
    os.makedirs(os.path.join(folder, 'classes'))
    for name, content in (('methodMapping.txt', MAP), ('maps/other.txt', MAP),
                          ('mapping.txt', MAPPING), ('log.txt', LOG)):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write(content)
    make_jar(os.path.join(folder, 'app.jar'), ['a/Main work1 work2', ('res.txt', b'text'),
                                               'a/Large ' + ' '.join(f'm{i}' for i in range(60))])
    os.makedirs(os.path.join(folder, 'spool'))
    with open(os.path.join(folder, 'spool', 'a.json'), 'w', encoding='utf-8') as file:
        json.dump(ISSUE, file)
    with gzip.open(os.path.join(folder, 'spool', 'b.ndjson.gz'), 'wt') as file:
        file.writelines(json.dumps(row) + '\n' for row in (ISSUE, SESSION))
    version = judge.must((judge.METHODBEAT, '--version')).stdout.split()[1]
    with open(os.path.join(folder, 'agent.so'), 'wb') as file:
        file.write(b'methodbeat agent ' + version.encode() + b'\0')
    with open(os.path.join(folder, 'classes', 'B.class'), 'wb') as file:
        file.write(make_class('a/B stop'))
    judge.must((RECORDED, 'trace', 'methodMapping.txt'), cwd=folder)
    for name in 'collect', 'number', 'fleet rows', 'fleet rows, packed':  # which write the same again
        judge.must((judge.METHODBEAT, *COMMANDS[name]), cwd=folder)
    os.makedirs(os.path.join(folder, 'copy'))
    shutil.copy(os.path.join(folder, 'trace'), os.path.join(folder, 'copy'))


def same_names(done):
    """What tells, whichever of the maps with the right hash it took the names from, and however it names the trace."""
    return [re.sub(r'\s*[^\s"]*(methodMapping|other)\.txt', ' MAP', re.sub(r'/\S*/new-1', 'new-1', part))
            if isinstance(part, str) else part
            for part in done[:2] + done[3:]]


@functools.cache
class Reading:
    """A command in a folder of its own."""

    def __init__(self, name, bench):
        self.name, self.is_run = name, name == 'run'
        self.command = (judge.METHODBEAT, *COMMANDS[name])
        self.caller = 'methodbeat' if self.is_run else ''  # not the command that is run
        self.folder = judge.scratch_folder('readings', f'{name} {bench}'.replace(' ', '-'))
        fill(self.folder)
        os.chmod(judge.scratch(), 0o755)  # where others may read the agent, root makes no copy of it elsewhere
        self.saved = Saved(self.folder)
        self.expected = run(self.command, self.folder)
        judge.check(self.expected.code == 0, f'{name}: {self.expected}')
        self.after = tree(self.folder)
        self.saved.put_back()

    def judge_end(self, fault, done):
        """What is wrong with the end of a run; None if nothing is."""
        if done.code not in (0, 1):
            return f'{done.code} is no exit code: {done.said[-200:]!r}'
        found = tree(self.folder)
        wrong = differences(found, self.after)
        if self.is_run and found.get('new-1') == found['trace']:  # as it was recorded, with its holes
            wrong.remove('new-1 differs')
        if fault.calls in (REMOVE, LIST, NEXT):  # tidying up may be what failed; the next run does it
            wrong = [word for word in wrong if not word.startswith('STRAY')]
        if wrong and not (self.is_run and done.code == 1):
            return f'exit code {done.code}, but {brief(wrong)}'
        if done.code == 0 and (done._replace(hit=False) == self.expected or  # long texts are searched slowly
                               same_names(done) == same_names(self.expected)):
            return None
        if done.code == 0 and not (self.is_run and names_cause(fault, done.said)):
            return f'exit code 0, but it prints {done.printed[-200:]!r}, says {done.said[-200:]!r}'
        if fault.how == 'short':
            return f'a short call is no failure: {done.said!r}'
        return None if names_cause(fault, done.said) else f'names no cause: {done.said!r}'


class Suite:
    def __init__(self):
        self.findings = Findings()

    def make_fail(self, bench, task):
        name, fault, at = task
        here = Reading(name, bench)
        done = run(here.command, here.folder, fault, at)
        verdict = here.judge_end(fault, done)
        if verdict is not None:
            self.findings.add(f'{name}: {fault}', verdict, at)
        self.findings.count('failed' if done.code else 'hit' if done.hit else 'not hit')
        here.saved.put_back()

    def tasks(self, name):
        chosen = [fault for fault in faults(EVERY) if ONLY in f'{name}: {fault}']
        here = Reading(name, 0)
        counted = counts(here.command, here.folder, FAULT_CALLER=here.caller)
        here.saved.put_back()
        for fault in chosen:
            total = sum(counted.get(call, 0) for call in fault.calls.split(','))
            for at in sample(total):
                yield name, fault._replace(caller=here.caller), at


def judge_output(here, what, room=None):
    """Standard output takes only so many bytes: told, with the bytes that fitted in their place."""
    path = here.folder + '.printed'
    with open('/dev/full' if room is None else path, 'wb') as output:
        done = subprocess.run(
            here.command, cwd=here.folder, stdout=output, stderr=subprocess.PIPE, check=False,
            preexec_fn=room is not None and (
                lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))) or None)
    said = done.stderr.decode(errors='replace')
    cause = 'No space left on device' if room is None else 'File too large'
    if room is not None:
        with open(path, 'rb') as file:
            printed = file.read()
        expected = here.expected.printed.encode()[:room]
        judge.check(printed == expected, f'{what}: {len(printed)} bytes, not {len(expected)}')
        if len(here.expected.printed.encode()) <= room:
            judge.check(done.returncode == 0 and not said, f'{what}: {done.returncode}, {said!r}')
            return
    judge.check(done.returncode == 1 and f'standard output: {cause}' in said,
                f'{what}: {done.returncode}, {said!r}')


def fill_outputs():
    """The rooms that standard output may have, from none to some pages; a file of the command would have the same."""
    for name in COMMANDS:
        here = Reading(name, 0)
        if not here.is_run and here.expected.printed and '-o' not in here.command:
            judge_output(here, f'{name} to a full disk')
            for room in LIMITS:
                judge_output(here, f'{name} with room for {room} bytes', room)


def main():
    os.environ['TMPDIR'] = judge.scratch_folder('notes')  # whose removal may fail
    suite = Suite()
    if not ONLY:
        fill_outputs()
    in_parallel(suite.make_fail, [task for name in COMMANDS for task in suite.tasks(name)])
    suite.findings.tell()
    counted = suite.findings.counted
    print(f'{sum(counted.values())} runs: {counted["failed"]} failed, {counted["hit"]} went on, '
          f'{counted["not hit"]} were not hit')
    judge.check(ONLY or counted['failed'] > 0, 'some run fails')
    judge.finish()


main()
