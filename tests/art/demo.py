"""A program with one of each does in ART with probes what it does there without, and its traces have the calls that a JVM
counts: in each mode, by each flavour, of the main thread and of all, while memory is collected and threads come
and go, and however it ends.

usage: demo.py METHODBEAT RUNTIME_JAR LIBRARY ANDROID_LIBRARY
"""
import itertools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
sys.path.insert(0, os.path.join(HERE, '..', 'corpus'))
import judge  # noqa: E402
from recording import FLAVOURS, Recorder, read_counts, sum_up  # noqa: E402

RUNTIME, LIBRARY, ANDROID_LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
SMALL_HEAP = ('-Xmx24m',)
EXITS = ('-Dexit=yes',)


def instrument(classes, mode, *options):
    output = judge.scratch_folder('instrumented', mode, *(word.strip('-') for word in options))
    judge.instrument('--output', output, f'--exceptions={mode}', *options, classes)
    return os.path.join(output, os.path.basename(classes)), os.path.join(output, 'methodMapping.txt')


def count(classes, expected):
    """What a JVM counts of each thread: entries by id."""
    beat = judge.compile_java(judge.scratch('counting'), (os.path.join(judge.TESTS, 'corpus', 'CountingBeat.java'),),
                              '-cp', RUNTIME)
    path, mapping = instrument(classes, 'catch', '--beat-class=CountingBeat')
    counts = judge.scratch('counts')
    done = judge.java('-cp', path, 'Demo', runtime=f'{RUNTIME}:{beat}',
                      options=(f'-Dcounting.file={counts}', f'-Dmethodbeat.library={LIBRARY}'))
    judge.check(done.stdout == expected, f'on a JVM it prints {done.stdout} {done.stderr}')
    return [calls for _, calls in read_counts(counts)], dict(judge.traced(mapping))


def judge_ways_out(recorder, mode, classes):
    """Whether each exit closes an entry, which the counting MethodBeat knows of a JVM and of ART."""
    path, _ = instrument(classes, mode)
    totals = {}
    jvm_count, art_count = judge.scratch('jvm-count'), judge.scratch('art-count')
    judge.java('-cp', f'{path}:{recorder.start}', *EXITS, 'Start', 'Demo', count=jvm_count)
    done = recorder.run_plain((recorder.art.dex(f'stub-{mode}', path, judge.beat_runtime()),), 'Demo',
                              options=(*EXITS, f'-Dmethodbeat.count={art_count}'))
    judge.check(done.returncode == 0 and not done.complaints, f'{mode}, counted: {done.stderr}')
    for name, file in ('jvm', jvm_count), ('art', art_count):
        totals[name] = judge.totals(judge.read(file))
        os.unlink(file)
        totals[name].pop('threads')  # as many as the pools happen to start
    judge.check(totals['art'] == totals['jvm'], f'{mode}: {totals}')
    print(f'{mode}: {totals["art"]}', flush=True)


def main():
    recorder = Recorder(RUNTIME, LIBRARY, ANDROID_LIBRARY)
    classes = judge.compile_java(judge.scratch('demo'), (os.path.join(HERE, 'java', 'Demo.java'),), '--release', '11')
    plain = recorder.run_plain((recorder.art.dex('plain', classes),), 'Demo', options=SMALL_HEAP)
    judge.check(plain.returncode == 0 and not plain.complaints, f'without probes: {plain.stderr}')
    if judge.has_failed():
        judge.finish()
    threads, names = count(classes, plain.stdout)
    main_id = next(number for number, name in names.items() if name.startswith('Demo main '))
    expected = {'all': sum_up(threads), 'main': next(thread for thread in threads if main_id in thread)}
    for mode in judge.MODES:
        path, mapping = instrument(classes, mode)
        dex = recorder.art.dex(f'demo-{mode}', path, class_path=(RUNTIME,))

        def check(what, thread, printed=plain.stdout, **more):
            done, report = recorder.record(what, (dex,), mapping, 'Demo', *more.pop('words', ()), **more)
            judge.check(done.stdout == printed, f'{what}: prints {done.stdout}')
            if report:
                calls = recorder.check_report(what, report, expected[thread], mode == 'catch')
                print(f'{what}: {calls} calls of {len(report["threads"])} threads', flush=True)

        for flavour, thread in itertools.product(FLAVOURS, ('main', 'all')):
            check(f'{mode}, {flavour}, {thread}', thread, flavour=flavour, settings={'threads': thread},
                  options=SMALL_HEAP)
        judge_ways_out(recorder, mode, classes)
        if mode == 'catch':
            check('by itself', 'main', flavour='mapped', settings={'flavour': None})
            for flavour in FLAVOURS:
                check(f'{flavour}, by System.exit', 'all', flavour=flavour, settings={'threads': 'all'}, options=EXITS)
                check(f'{flavour}, by an exception', 'all', flavour=flavour, settings={'threads': 'all'}, words=('throw',),
                      code=1)
    judge.finish()


main()
