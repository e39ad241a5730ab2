"""Android's library as an agent of an app that may be debugged: samples of all its threads by JVMTI. No ART here has
that, so a class Debug attaches it to HotSpot.

usage: attached.py METHODBEAT RUNTIME_JAR ANDROID_JAR ANDROID_LIBRARY LIBRARY [LESSER]
LESSER: jvm/sampling/lesser.c, which leaves of JVMTI what ART has
"""
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402
import sampled  # noqa: E402
from judge import check  # noqa: E402

RUNTIME, ANDROID, LIBRARY, PLAIN = (os.path.abspath(path) for path in sys.argv[2:6])
LESSER = [f'-agentpath:{os.path.abspath(path)}' for path in sys.argv[6:7]]
JVMTI_ENGINE = 2
SPIN = 'methodbeat.Attached.spin'


def run(name, sample, attaches, *, debuggable=True, agent=None, java=(), **more):
    """The trace of a run, and what it said."""
    path = judge.scratch(f'{name}.mbtrace')
    settings = [f'{key}={value}' for key, value in {'file': path, 'sample': sample, 'sample_us': 2000, **more}.items()]
    done = judge.run(('java', '-Xcheck:jni', *java, f'-Ddebuggable={str(debuggable).lower()}', *([f'-Dagent={agent}'] if agent else []),
                      f'-Dmethodbeat.library={LIBRARY}', '-cp', f'{judge.scratch("program")}:{RUNTIME}:{ANDROID}', 'methodbeat.Attached',
                      *settings))
    check(done.returncode == 0 and 'recorded true' in done.stdout, f'{name}: {done}')
    check(done.stdout.count('attach true') == attaches, f'{name} attaches {attaches} times: {done.stdout}')
    trace = sampled.Trace(path)
    faults = list(trace.faults())
    check(not faults, f'{name}: {faults[:5]}')
    return trace, done.stdout + done.stderr


def judge_samples(java=()):
    """Of all threads; no thread is stopped for it but by GetStackTrace, and none asked for its CPU time."""
    trace, told = run('samples', 'both', 1, java=java)
    main, before, after = (trace.totals('running', name) for name in ('main', 'there before', 'a thread whose name is long'))
    what = f'{main} {before} {after} {trace.figures} {trace.threads}'
    check(trace.figures['engine'] == JVMTI_ENGINE and trace.figures['taken'] > 30, what)
    check(all(times[SPIN] > 200e6 for times in (main, before, after)), what)
    check(main['methodbeat.Attached.traced'] > 200e6 and before['methodbeat.Attached.work'] > 200e6, what)
    check([thread.name for thread in trace.threads if thread.is_main] == ['main'], what)
    check('unknown.unknown' not in trace.names.values(), what)
    check(not java or re.search(r'lesser: [1-9]\d* stacks, 0 stops, 0 clocks', told), told)
    check(sampled.NAMES in trace.sections and 2 not in trace.sections, f'no weaver: {list(trace.sections)}')


def judge_others():
    """Nobody attaches what is not asked for, or not allowed; what fails is one line."""
    for name, sample, more in (('release', 'both', {'debuggable': False}), ('off', 'off', {}), ('java', 'both', {'sample_engine': 'java'})):
        trace, told = run(name, sample, 0, **more)
        check(not trace.figures or trace.figures['taken'] == 0, f'{name}: {trace.figures}')
        check('agent' not in told, f'{name}: {told}')
    copy = judge.scratch('copy.so')
    shutil.copy(LIBRARY, copy)
    for name, agent in (('copy', copy), ('none', '/none.so'), ('plain', PLAIN)):
        trace, told = run(name, 'both', 2, agent=agent)
        check(len(re.findall('samples are taken of late messages only', told)) == 2, f'{name}: {told}')
        check(trace.figures.get('taken', 0) == 0, f'{name}: {trace.figures}')


def main():
    sources = [os.path.join(judge.TESTS, 'jni', 'attached')]
    judge.compile_java(judge.scratch('program'), sources, '-cp', f'{RUNTIME}:{ANDROID}')
    judge_samples()
    if LESSER:
        judge_samples(LESSER)
    judge_others()
    judge.finish()


main()
