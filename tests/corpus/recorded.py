"""Real programs under the real recorder: both flavours, nothing lost, no call too few or too many.

usage: recorded.py METHODBEAT RUNTIME_JAR LIBRARY AGENT PROGRAM...   names of programs.py

Rings are large enough for all records of these inputs, so nothing may be overwritten, refused or
unmatched. vnu reads its schemas with 38 million calls whatever the page; without probes in the few
classes that make most of them, the rest fits.

Probes are counted on their way to the recorder (CountingBeat.java), since a program need not do the
same each time. Those that do run without that too, and must have the same counts. The tables of javac
are ordered by the hash codes of objects, which differ from run to run: there all objects get the same.
Even so it makes 516 calls more in about one of 50 runs, whoever counts: such a run is compared with a run
of its kind, or made once more.

At last the program runs as it came, and the agent puts probes into it: the same methods are called as often.
Groovy, Clojure and JRuby, which catch exceptions in code that they make while they run, and WireMock are judged by
that alone.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs  # noqa: E402
from programs import judge  # noqa: E402

RUNTIME, LIBRARY, AGENT = (os.path.abspath(path) for path in sys.argv[2:5])
BLACKLISTS = {'vnu': '''[package]
-keepclass com/thaiopensource/relaxng/impl/DuplicateAttributeDetector
-keepclass com/thaiopensource/relaxng/impl/OverlapDetector
-keepclass com/thaiopensource/relaxng/impl/SimpleNameClass
-keepclass com/thaiopensource/xml/util/Name
-keepclass org/eclipse/jetty/util/ajax/JSON$StringSource
'''}
SAME_EACH_TIME = {'yui', *programs.SAME_EACH_TIME}
ONLY_BY_AGENT = 'groovy', 'clojure', 'jruby', 'wiremock'
LOST = ('overwrittenRecords', 'missingRecords', 'exitsWithoutEntry',
        'entriesWithoutExit', 'inferredExits', 'endedBeforeStart')
OPTIONS = {'javac': ('-XX:+UnlockExperimentalVMOptions', '-XX:hashCode=2')}
SETTINGS = {'threads': 'all', 'throttle': 'off', 'profile': 1 << 22, 'words': f'{1 << 24}:{1 << 21}',
            'max_threads': 16, 'max_bytes': 1 << 30}


def counting_beat():
    """A folder with the class that counts."""
    target = judge.scratch('counting')
    if not os.path.isdir(target):
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'CountingBeat.java')
        judge.compile_java(target, (source,), '-cp', RUNTIME)
    return target


def read_counts(path):
    """Of each thread with probes: how many, and the entries by id, sorted."""
    threads = []
    for first, second in (line.split() for line in judge.read(path).splitlines()):
        if first == 'thread':
            threads.append((int(second), []))
        else:
            threads[-1][1].append((int(first), int(second)))
    return sorted(thread for thread in threads if thread[0] > 0)


def reported_counts(report):
    """The same of a trace."""
    return sorted((thread['records'], sorted((method['id'], method['calls'])
                                             for method in thread['methods'] if method['calls'] > 0))
                  for thread in report['threads'] if thread['records'] > 0)


def instrument(program, original, *options):
    """Where the program with probes is."""
    output = judge.scratch_folder(program, *(word.strip('-') for word in options))
    blacklist = programs.put('blacklist.txt', BLACKLISTS.get(program, '[package]\n'))
    judge.instrument('--output', output, '--exceptions=catch', '--blacklist', blacklist, *options,
                     original)
    return os.path.join(output, os.path.basename(original))


def record(program, path, flavour, runtime, *options):
    """What the program did, and the report of its trace."""
    trace = judge.scratch(f'{program}.mbtrace')
    mapping = os.path.join(os.path.dirname(path), 'methodMapping.txt')
    settings = {**SETTINGS, 'library': LIBRARY, 'flavour': flavour, 'file': trace,
                'mapping': mapping}
    options = [*OPTIONS.get(program, ()), *options,
               *(f'-Dmethodbeat.{name}={value}' for name, value in settings.items())]
    after = programs.run(program, path, runtime=runtime, options=options)
    done = judge.must((judge.METHODBEAT, 'report', '--method-map', mapping, '--format=json',
                       '--top', 1 << 20, trace))
    os.unlink(trace)
    return after, json.loads(done.stdout)


def judge_run(what, before, after, report, counted):
    judge.check(before == after, f'{what}: {after[:3]}, was {before[:3]}')
    lost = {name: sum(thread[name] for thread in report['threads']) for name in LOST}
    lost['refusedRecords'] = report['refusedRecords']
    lost['recycledRecords'] = report['recycledRecords']
    judge.check(not any(lost.values()), f'{what}: {lost}')
    judge.check(report['closed'], f'{what}: not closed')
    found = reported_counts(report)
    calls = sum(method['calls'] for method in report['methods'])
    probes = [thread[0] for thread in counted]
    judge.check(found == counted, f'{what}: probes of threads {[thread[0] for thread in found]}, '
                f'counted {probes}; (id, calls) one-sided {one_sided(found, counted)[:10]}')
    judge.check(calls > 1000, f'{what}: {calls} calls')
    print(f'{what}: {calls} calls of {len(report["methods"])} methods, probes of threads '
          f'{probes}', flush=True)


def one_sided(found, counted):
    pairs = [{(at, *pair) for at, thread in enumerate(side) for pair in thread[1]}
             for side in (found, counted)]
    return sorted(pairs[0] ^ pairs[1])


def record_same(program, path, flavour, counted):
    """A run without the counter, and which of the counted ones it is to be like."""
    for _ in range(2 if program == 'javac' else 1):
        after, report = record(program, path, flavour, RUNTIME)
        found = reported_counts(report)
        if found in counted:
            return after, report, found
    return after, report, counted[-1]


def sum_calls(counts):
    """By method, of all threads."""
    calls = {}
    for _, methods in counts:
        for number, count in methods:
            calls[number] = calls.get(number, 0) + count
    return calls


def judge_agent(program, original, before, like=None, **more):
    """like: what probes by instrument counted, with the same ids. The agent's probes are in other jars too."""
    trace = judge.scratch(f'{program}-agent.mbtrace')
    settings = {**SETTINGS, 'file': trace, 'blacklist': programs.put('blacklist.txt', BLACKLISTS.get(program, '[package]\n')),
                **more}
    options = ','.join(f'{name}={value}' for name, value in settings.items())
    after = programs.run(program, original, runtime=judge.scratch_folder('nothing'),
                         options=[*OPTIONS.get(program, ()), f'-agentpath:{AGENT}={options}'])
    judge.check(before == after, f'{program} by agent: {after[:3]}, was {before[:3]}')
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', '--top', 1 << 20, trace)).stdout)
    os.unlink(trace)
    failed = {name: count for name, count in report['weaving'].items() if count and name not in ('classes', 'largeMethods')}  # HotSpot compiles no larger ones
    judge.check(not failed, f'{program} by agent: {failed}')
    found = {method['id']: method['calls'] for method in report['methods'] if method['calls'] > 0}
    judge.check(sum(found.values()) > 1000, f'{program} by agent: {len(found)} methods')
    if like is not None:
        others = {number: (found.get(number), count) for number, count in sum_calls(like).items()
                  if found.get(number) != count}
        judge.check(not others, f'{program} by agent: (found, counted) {list(others.items())[:10]}')
    print(f'{program} by agent: {sum(found.values())} calls of {len(found)} methods', flush=True)


def judge_program(program):
    original, before = programs.run_original(program, runtime=RUNTIME)
    if program in ONLY_BY_AGENT:
        judge_agent(program, original, before)
        return
    path = instrument(program, original, '--beat-class=CountingBeat')
    counted = []
    for flavour in ('mapped', 'native'):
        counts = judge.scratch('counts')
        after, report = record(program, path, flavour, f'{RUNTIME}:{counting_beat()}',
                               f'-Dcounting.file={counts}')
        counted.append(read_counts(counts))
        os.unlink(counts)
        judge_run(f'{program} {flavour}, counted', before, after, report, counted[-1])
    if program in SAME_EACH_TIME:
        path = instrument(program, original)
        for flavour in ('mapped', 'native'):
            after, report, like = record_same(program, path, flavour, counted)
            judge_run(f'{program} {flavour}', before, after, report, like)
    if program != 'javac':  # which is the JDK's, and has no probes by the agent
        mapping = os.path.join(os.path.dirname(path), 'methodMapping.txt')
        judge_agent(program, original, before, counted[-1] if program in SAME_EACH_TIME else None,
                    **{'base-method-map': mapping})


for name in sys.argv[5:]:
    judge_program(name)
judge.finish()
