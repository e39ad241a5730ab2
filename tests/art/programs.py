"""Programs that need no framework do in ART with probes what they do there without, in each mode, with a flavour each; and
each trace has the calls that were counted in that very run (corpus/CountingBeat.java), thread by thread.

usage: programs.py METHODBEAT RUNTIME_JAR LIBRARY ANDROID_LIBRARY NAME...    names of PROGRAMS
"""
import itertools
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from recording import FLAVOURS, Recorder, calls_of, read_counts, sum_up  # noqa: E402

RUNTIME, LIBRARY, ANDROID_LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
FLAVOUR_OF = dict(zip(judge.MODES, itertools.cycle(FLAVOURS)))  # demo.py has each with each
FRAMEWORKS = os.path.join(judge.TESTS, 'jvm', 'frameworks')
# Main class: its sources, and the corpora that are instrumented with it.
PROGRAMS = {
    'Scripts': (('programs/Scripts.java',), ('rhino',)),
    'Queries': (('programs/Queries.java',), ('h2',)),
    'Documents': (('programs/Documents.java',), ('gson',)),
    'Pages': (('programs/Pages.java',), ('jsoup',)),
    'Coroutines': ((f'{FRAMEWORKS}/Frameworks.java', f'{FRAMEWORKS}/Coroutines.kt'), ('kotlin-stdlib', 'coroutines')),
}
SETTINGS = {'words': f'{1 << 22}:{1 << 20}', 'max_threads': 20, 'max_bytes': 1 << 30}


def compile_program(name, sources, jars):
    """A folder with the classes of the program itself."""
    sources = [os.path.join(HERE, source) for source in sources]
    java = [source for source in sources if source.endswith('.java')]
    classes = judge.compile_java(judge.scratch(name), java, '-cp', ':'.join(jars), '--release', '8', '-Xlint:-options')
    for kotlin in set(sources) - set(java):
        judge.corpus('kotlin')  # its compiler
        judge.must(('kotlinc', '-no-reflect', '-cp', ':'.join((classes, *jars)), '-d', classes, kotlin))
    return classes


def instrument(name, mode, inputs):
    output = judge.scratch_folder(f'{name}-{mode}')
    judge.instrument('--output', output, f'--exceptions={mode}', '--beat-class=CountingBeat', *inputs)
    return [os.path.join(output, os.path.basename(each)) for each in inputs], os.path.join(output, 'methodMapping.txt')


def by_threads(records_and_calls):
    return sorted((records, sorted(calls.items())) for records, calls in records_and_calls)


def judge_run(recorder, what, expected, dex, mapping, name, mode, flavour, thread):
    """One run; expected is what the program prints."""
    counts = judge.scratch('counts')
    done, report = recorder.record(what, dex, mapping, name, flavour=flavour, settings={**SETTINGS, 'threads': thread},
                                   options=('-Xmx256m', '-Dexit=yes', f'-Dcounting.file={counts}'))
    judge.check(done.stdout == expected, f'{what}: prints {done.stdout[-2000:]}')
    counted = read_counts(counts)
    os.unlink(counts)
    if thread == 'main':
        main_id = next(number for number, method in judge.traced(mapping) if method.startswith(f'{name} main '))
        counted = [row for row in counted if main_id in row[1]]
    total = sum_up(calls for _, calls in counted)
    if report is None:
        return
    calls = recorder.check_report(what, report, total, mode == 'catch')
    found = by_threads((row['records'], calls_of(row)) for row in report['threads'] if row['records'] > 0)
    judge.check(found == by_threads(counted), f'{what}: threads with {[row[0] for row in found]} records, '
                f'counted {[row[0] for row in by_threads(counted)]}')
    print(f'{what}: {calls} calls of {len(total)} methods in {len(counted)} threads', flush=True)


def judge_program(recorder, beat, name):
    sources, corpora = PROGRAMS[name]
    jars = judge.corpus(*corpora)
    jars = [jars] if isinstance(jars, str) else jars
    inputs = [compile_program(name, sources, jars), *jars]
    plain = recorder.run_plain((recorder.art.dex(name, *inputs),), name, options=('-Dexit=yes', '-Xmx256m'))
    judge.check(plain.returncode == 0 and plain.stdout and not plain.complaints, f'{name}: {plain.stdout} {plain.stderr}')
    for mode in judge.MODES:
        paths, mapping = instrument(name, mode, inputs)
        dex = (recorder.art.dex(f'{name}-{mode}', *paths, class_path=(RUNTIME, beat)), recorder.art.dex('beat', beat))
        flavour = FLAVOUR_OF[mode]
        judge_run(recorder, f'{name} {mode}, {flavour}', plain.stdout, dex, mapping, name, mode, flavour, 'all')
        if mode == 'catch':
            judge_run(recorder, f'{name} {mode}, main', plain.stdout, dex, mapping, name, mode, 'mapped', 'main')
        os.unlink(dex[0])


def main():
    recorder = Recorder(RUNTIME, LIBRARY, ANDROID_LIBRARY)
    beat = judge.compile_java(judge.scratch('counting'), (os.path.join(judge.TESTS, 'corpus', 'CountingBeat.java'),), '-cp',
                              RUNTIME, '--release', '8', '-Xlint:-options')
    for name in sys.argv[5:]:
        judge_program(recorder, beat, name)
    judge.finish()


main()
