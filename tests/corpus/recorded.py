"""Real programs under the real recorder: both flavours, nothing lost, the counts of the stub.

usage: recorded.py METHODBEAT RUNTIME_JAR LIBRARY PROGRAM...   names of programs.py

Rings are large enough for all records of these inputs, so nothing may be overwritten, refused or
unmatched. vnu reads its schemas with 38 million calls whatever the page; without probes in the few
classes that make most of them, the rest fits. The compilers' tables are ordered by the hash codes of
objects, which differ from run to run: there all objects get the same.

Calls per method are those of the counting stub. What a program does differently each time cannot be
compared: methods are left out whose counts vary between runs of the stub itself.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs  # noqa: E402
from programs import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
BLACKLISTS = {'vnu': '''[package]
-keepclass com/thaiopensource/relaxng/impl/DuplicateAttributeDetector
-keepclass com/thaiopensource/relaxng/impl/OverlapDetector
-keepclass com/thaiopensource/relaxng/impl/SimpleNameClass
-keepclass com/thaiopensource/xml/util/Name
-keepclass org/eclipse/jetty/util/ajax/JSON$StringSource
'''}
# Of programs that vary: runs of the stub, and how many methods may be steady in all of these and yet
# vary. vnu finds schema patterns by hash code (one for all objects makes five times the calls);
# kotlinc waits for a second thread.
STUB_RUNS = {'vnu': 4, 'kotlin': 3}
MAY_DIFFER = {'vnu': 5, 'kotlin': 2}
LOST = ('overwrittenRecords', 'missingRecords', 'droppedCalls', 'exitsWithoutEntry',
        'entriesWithoutExit', 'endedBeforeStart')
SAME_HASHES = ('-XX:+UnlockExperimentalVMOptions', '-XX:hashCode=2')  # of all objects
OPTIONS = {'javac': SAME_HASHES, 'kotlin': SAME_HASHES}
SETTINGS = {'threads': 'all', 'main_words': 1 << 24, 'thread_words': 1 << 21, 'max_threads': 40,
            'max_bytes': 1 << 30}


def stub_counts(program, path, before):
    """Calls by id as the counting stub has them."""
    file, total = judge.scratch('counts'), judge.scratch('total')
    after = programs.run(program, path, counts=file, count=total,
                         options=OPTIONS.get(program, ()))
    judge.check(before == after, f'{program} with the stub: {after[:3]}, was {before[:3]}')
    return {int(number): int(count)
            for number, count in (line.split() for line in judge.read(file).splitlines())}


def steady_counts(program, path, before):
    """Those of the methods that are called as often each time; how many others there are."""
    runs = [stub_counts(program, path, before) for _ in range(STUB_RUNS.get(program, 1))]
    everything = set().union(*runs)
    steady = {i: runs[0][i] for i in everything
              if all(counts.get(i) == runs[0].get(i) for counts in runs)}
    return steady, everything - set(steady)


def record(program, path, before, flavour, mapping):
    """The report of a run with the recorder, as JSON."""
    trace = judge.scratch(f'{program}-{flavour}.mbtrace')
    settings = {**SETTINGS, 'library': LIBRARY, 'flavour': flavour, 'file': trace,
                'mapping': mapping}
    options = [f'-Dmethodbeat.{name}={value}' for name, value in settings.items()]
    after = programs.run(program, path, runtime=RUNTIME,
                         options=[*OPTIONS.get(program, ()), *options])
    judge.check(before == after, f'{program} {flavour}: {after[:3]}, was {before[:3]}')
    done = judge.must((judge.METHODBEAT, 'report', '--method-map', mapping, '--format=json',
                       '--top', 1 << 20, trace))
    os.unlink(trace)
    return json.loads(done.stdout)


def judge_report(program, flavour, report, steady, unsteady):
    what = f'{program} {flavour}'
    lost = {name: sum(thread[name] for thread in report['threads']) for name in LOST}
    lost['refusedRecords'] = report['refusedRecords']
    lost['recycledRecords'] = report['recycledRecords']
    judge.check(not any(lost.values()), f'{what}: {lost}')
    judge.check(report['closed'], f'{what}: not closed')
    found = {method['id']: method['calls'] for method in report['methods']}
    wrong = [(i, found.get(i), steady.get(i)) for i in (steady | found).keys() - unsteady
             if found.get(i) != steady.get(i)]
    judge.check(len(wrong) <= MAY_DIFFER.get(program, 0),
                f'{what}: {len(wrong)} methods (id, reported, counted): {wrong[:10]}')
    calls = sum(found.values())
    judge.check(calls > 1000, f'{what}: {calls} calls')
    print(f'{what}: {calls} calls in {len(report["threads"])} threads, {len(steady)} methods, '
          f'{len(wrong)} differ, {len(unsteady)} vary by themselves', flush=True)


def judge_program(program):
    original, before = programs.run_original(program)
    output = judge.scratch(program)
    blacklist = programs.put('blacklist.txt', BLACKLISTS.get(program, '[package]\n'))
    judge.instrument('--output', output, '--exceptions=finally', '--blacklist', blacklist, original)
    path = os.path.join(output, os.path.basename(original))
    steady, unsteady = steady_counts(program, path, before)
    judge.check(len(unsteady) < len(steady) / 20, f'{program}: {len(unsteady)} methods vary')
    for flavour in ('mapped', 'native'):
        report = record(program, path, before, flavour, os.path.join(output, 'methodMapping.txt'))
        judge_report(program, flavour, report, steady, unsteady)


for name in sys.argv[4:]:
    judge_program(name)
judge.finish()
