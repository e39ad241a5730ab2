"""Methods that fall silent on a JVM, while calls around them are open; a new recording hears them again.

usage: muted.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
FEW = 100
RECORDS_ANEW = 2 * FEW + 2 + 2 + 1  # few, the question whether it is muted, and the exit of main
TEXT = 'muted\nspeaks again\n'


def report_of(folder, trace):
    return json.loads(judge.must((judge.METHODBEAT, 'report', '--format=json', '--top=100', '--method-map',
                                  os.path.join(folder, 'methodMapping.txt'), trace)).stdout)


def calls_of(report):
    return {method['name']: method['calls'] for method in report['methods']}


def judge_run(folder, flavour):
    first, second = (judge.scratch(flavour, name) for name in ('first.mbtrace', 'second.mbtrace'))
    rows = judge.traced(os.path.join(folder, 'methodMapping.txt'))
    tiny = next(number for number, name in rows if name.startswith('Muted tiny '))
    # Rings that hold all that is recorded until tiny falls silent, however late the keeper looks.
    settings = {'library': LIBRARY, 'file': first, 'flavour': flavour, 'throttle': '1000:10000',
                'main_words': 4000000, 'thread_words': 4000000}
    done = judge.java('-cp', os.path.join(folder, 'classes'), 'Muted', tiny, second, runtime=RUNTIME,
                      options=[f'-Dmethodbeat.{name}={value}' for name, value in settings.items()],
                      timeout=120)
    judge.check((done.returncode, done.stdout) == (0, TEXT), f'{flavour}: {done.stdout} {done.stderr}')
    report = report_of(folder, first)
    # The coarse clock sees no time in most calls, and what has none is in no table.
    is_fine = flavour == 'native'
    muted = {method['name']: method['calls'] for method in report['muted']}
    calls = calls_of(report)
    judge.check(muted.get('Muted.tiny', 0) > 1000, f'{flavour}: muted {muted}')
    judge.check((calls['Muted.around'] >= 2 and calls.get('Muted.few') == 1) or not is_fine,
                f'{flavour}: {calls}')
    report = report_of(folder, second)
    records = sum(thread['records'] for thread in report['threads'])
    calls = calls_of(report)
    judge.check(records == RECORDS_ANEW and (calls.get('Muted.tiny') == FEW or not is_fine),
                f'{flavour}: {records} records, {calls}')
    print(f'{flavour}: muted after {muted["Muted.tiny"]} calls')


def main():
    classes = judge.compile_java(judge.scratch('classes'),
                                 (os.path.join(judge.TESTS, 'jvm', 'Muted.java'),), '-cp', RUNTIME)
    for mode in ('finally', 'catch'):
        folder = judge.scratch_folder(f'muted-{mode}')
        judge.instrument('--output', folder, f'--exceptions={mode}', classes)
        for flavour in ('native', 'mapped'):
            judge_run(folder, flavour)
    judge.finish()


main()
