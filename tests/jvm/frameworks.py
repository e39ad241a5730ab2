"""What catch tells of programs whose exceptions end in code without probes: pools, timers, Swing's queue, class
loaders, a servlet container, JUnit's runner, Kotlin's coroutines. Totals and own times are those of finally, where each call records its
own end; both are counted in calls, so that the machine has no part in them. And what a real recording says of the
same pool: no doubt by default, and, of code that records no exceptions, which rows rest on inferred ends.

usage: frameworks.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
SOURCES = os.path.join(judge.TESTS, 'jvm', 'frameworks')
PARTS = ('pool', 'hooked', 'completable', 'forking', 'timer', 'scheduled', 'swing', 'loaders', 'stored', 'proxies',
         'threads')
DYING = {('timer',), ('threads',)}  # with the thread its calls are over, however they ended
HEADLESS = ('-Djava.awt.headless=true',)


def instrumented(name, libraries, mode):
    """The program of that name, with probes; its sources are compiled against the libraries, which stay outside."""
    classes = judge.scratch(name)
    if not os.path.isdir(classes):
        sources = {os.path.join(SOURCES, f'{each}.java') for each in (name, 'Frameworks')}
        judge.compile_java(classes, sorted(filter(os.path.exists, sources)), '-cp', os.pathsep.join(libraries))
        kotlin = os.path.join(SOURCES, f'{name}.kt')
        if os.path.exists(kotlin):
            judge.must(('kotlinc', '-no-reflect', '-cp', os.pathsep.join((classes, *libraries)), '-d', classes, kotlin))
    folder = judge.scratch_folder(f'{name}-{mode}')
    options = ('--classpath', os.pathsep.join(libraries)) if libraries else ()
    judge.instrument('--output', folder, f'--exceptions={mode}', *options, classes)
    return folder


def read_counts(folder, counts):
    names = dict(judge.traced(os.path.join(folder, 'methodMapping.txt')))
    rows = (line.split() for line in judge.read(counts).splitlines())
    return {names[int(number)]: tuple(map(int, row)) for number, *row in rows}


def count(name, libraries, mode, *arguments):
    """(calls, total, own) by name."""
    folder = instrumented(name, libraries, mode)
    counts = judge.scratch('counts')
    path = os.pathsep.join((os.path.join(folder, name), *libraries))
    done = judge.java('-cp', path, name, *arguments, counts=counts, options=HEADLESS)
    judge.check(done.returncode == 0 and done.stdout.endswith('done\n'),
                f'{name} {mode} {arguments}: {done.stdout} {done.stderr}')
    return read_counts(folder, counts)


def judge_program(name, libraries=(), *arguments):
    """Of every method; the judge is not what --exceptions=returns tells, which records no exceptions."""
    exact = count(name, libraries, 'finally', *arguments)
    for mode in ('catch', 'returns'):
        found = count(name, libraries, mode, *arguments)
        others = judge.other_times(exact, found)
        calls = {key for key in exact.keys() | found.keys() if exact.get(key, (0,))[0] != found.get(key, (0,))[0]}
        what = f'{name} {" ".join(arguments)}'
        if mode == 'catch':
            judge.check(not others and not calls, f'{what}: {others}, other calls of {calls}')
            print(f'{what}: {len(found)} methods as with finally', flush=True)
        elif arguments not in DYING:
            judge.check(others, f'{what}: nothing shows what a phantom call does')


# ---- A recording ----

def record(mode, name='Frameworks', libraries=(), *arguments):
    """The program's report, as text and for scripts."""
    folder = instrumented(name, libraries, mode)
    trace = judge.scratch(f'{name}.mbtrace')
    settings = {'library': LIBRARY, 'file': trace, 'throttle': 'off', 'threads': 'all', 'flavour': 'native'}  # which lists short methods too
    path = os.pathsep.join((os.path.join(folder, name), *libraries))
    done = judge.java('-cp', path, name, *arguments, runtime=RUNTIME,
                      options=[f'-Dmethodbeat.{name}={value}' for name, value in settings.items()])
    judge.check(done.stdout == 'done\n', f'{name} {mode}: {done.stdout} {done.stderr}')
    report = (judge.METHODBEAT, 'report', '--show=trust', '--method-map', os.path.join(folder, 'methodMapping.txt'), '--top=1000')
    return (' '.join(judge.must((*report, '--show=names', trace)).stdout.split()),
            json.loads(judge.must((*report, '--format=json', trace)).stdout))


def inferred(found):
    return {method['name']: method['inferredNs'] for method in found['methods'] if method.get('inferredNs')}


def judge_recording():
    for mode in ('catch', 'finally'):
        text, found = record(mode, 'Frameworks', (), 'pool')
        judge.check(not inferred(found) and '?' not in text, f'pool {mode}: {inferred(found)} {text}')
    text, found = record('returns', 'Frameworks', (), 'pool')
    judge.check('Frameworks.failDeeper' in inferred(found), f'pool returns: {inferred(found)}')
    judge.check('Frameworks.failDeeper ?' in text and '--exceptions=finally' in text, f'pool returns: {text}')
    print(f'recorded: inferred with returns only, {len(inferred(found))} methods')


def judge_suspended(libraries):
    """Calls of a suspend function are its 200 starts and its resumptions, which the row tells."""
    text, found = record('catch', 'Coroutines', libraries)
    step = next(method for method in found['methods'] if method['name'].startswith('Coroutines.step'))
    judge.check(step.get('resumed', 0) > 0 and step['calls'] - step['resumed'] == 200, f'{step}')
    judge.check(f'Coroutines.step (suspend, resumed {step.get("resumed")} times)' in text, text)
    judge.check('suspend' not in next(method for method in found['methods'] if method['name'] == 'Coroutines.play'),
                'play is no suspend function')
    twice = next(method for method in found['methods'] if method['name'].startswith('Steps.twice$main$suspendImpl'))
    judge.check((twice['calls'], twice.get('resumed')) == (300, 200), f'{twice}')
    print(f'recorded: {step["calls"]} calls of a suspend function, {step["resumed"]} of them resumptions')


for each in PARTS:
    judge_program('Frameworks', (), each)
judge_recording()
jars = sorted(glob.glob(f'{judge.corpus("tomcat")}/*.jar'))
judge_program('Requests', jars, judge.scratch_folder('tomcat'))
judge_program('Tests', judge.corpus('junit', 'hamcrest'))
judge.corpus('kotlin')  # its compiler
coroutines = judge.corpus('kotlin-stdlib', 'coroutines')
judge_program('Coroutines', coroutines)
judge_suspended(coroutines)
judge.finish()
