"""Methods that fall silent on a JVM, while calls around them are open, for the life of the process.

usage: muted.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
FEW = 100
TEXT = 'muted\nstill muted\n'
INLINING = ('-XX:+UnlockDiagnosticVMOptions', '-XX:+PrintInlining')


def report_of(folder, trace):
    return json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', '--top=100', '--method-map',
                                  os.path.join(folder, 'methodMapping.txt'), trace)).stdout)


def calls_of(report):
    return {method['name']: method['calls'] for method in report['methods']}


def judge_first(report, flavour):
    # The coarse clock sees no time in most calls, and what has none is in no table.
    is_fine = flavour == 'native'
    muted = {method['name']: method['calls'] for method in report['muted']}
    calls = calls_of(report)
    judge.check(muted.get('Muted.tiny', 0) > 1000, f'{flavour}: muted {muted}')
    judge.check(calls['Muted.around'] >= 2 or not is_fine, f'{flavour}: {calls}')
    print(f'{flavour}: muted after {muted["Muted.tiny"]} calls')


def judge_later(report, what, records_left):
    before = {method['name']: method['calls'] for method in report['muted'] if method.get('before')}
    records = sum(thread['records'] for thread in report['threads'])
    judge.check(before.get('Muted.tiny') == 0, f'{what}: muted before {before}')
    judge.check(0 <= records - records_left < FEW, f'{what}: {records} records')


def run_muted(folder, place, flavour, *options):
    traces = [judge.scratch(flavour, name) for name in ('first.mbtrace', 'second.mbtrace', 'third.mbtrace')]
    rows = judge.traced(os.path.join(folder, 'methodMapping.txt'))
    tiny = next(number for number, name in rows if name.startswith('Muted tiny '))
    # Rings that hold all that is recorded until tiny falls silent, however late the keeper looks.
    settings = {'library': LIBRARY, 'file': traces[0], 'flavour': flavour, 'words': '4000000:4000000'}
    classes = os.path.join(folder, 'classes')
    places = {'boot': (f'-Xbootclasspath/a:{RUNTIME}', '-cp', classes), 'class path': ('-cp', f'{RUNTIME}:{classes}')}
    done = judge.run(('java', '-Xverify:all', *(f'-Dmethodbeat.{name}={value}' for name, value in settings.items()),
                      *options, *places[place], 'Muted', tiny, *traces[1:]), timeout=120)
    judge.check(done.returncode == 0, f'{flavour} {place}: {done.stdout} {done.stderr}')
    return done, traces


def judge_run(folder, place, flavour):
    """Where the boot loader has the class, compiled code has no probe of it any more. Elsewhere it looks into the
    table, and so does the library, into its own."""
    what = f'{flavour} {place}'
    done, traces = run_muted(folder, place, flavour)
    judge.check(done.stdout == TEXT, f'{what}: {done.stdout}')
    judge.check(' muted: a recording before this one did it' in done.stderr, f'{what}: {done.stderr}')
    reports = [report_of(folder, trace) for trace in traces]
    looks = what == 'mapped class path'
    judge_first(reports[0], flavour)
    judge_later(reports[1], what, 2 * FEW if looks else 0)
    judge_later(reports[2], what + ' without a profile', 2 * FEW if looks else 0)


def judge_inlining(folder):
    done, _ = run_muted(folder, 'boot', 'native', *INLINING)
    for probe, record in (('i', 'recordEntry'), ('o', 'recordExit')):
        judge.check(re.search(rf'MethodBeat::{probe} .*force inline', done.stdout), f'{probe} is inlined')
        judge.check(re.search(rf'MethodBeat::{record} .*don.t inline', done.stdout), f'{record} is not')


def main():
    classes = judge.compile_java(judge.scratch('classes'),
                                 (os.path.join(judge.TESTS, 'jvm', 'Muted.java'),), '-cp', RUNTIME)
    for mode in ('finally', 'catch'):
        folder = judge.scratch_folder(f'muted-{mode}')
        judge.instrument('--output', folder, f'--exceptions={mode}', classes)
        for flavour in ('native', 'mapped'):
            for place in ('boot', 'class path'):
                judge_run(folder, place, flavour)
    judge_inlining(folder)
    judge.finish()


main()
