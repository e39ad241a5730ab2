"""What catch tells of messages that throw through Android's own Looper: totals and own times are those of finally,
counted in calls.

usage: looping.py METHODBEAT LEVEL...
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402


def count(framework, classes, beat, mode):
    """(calls, total, own) by name."""
    output, counts = judge.scratch_folder(f'{mode}-{framework.level}'), judge.scratch('counts')
    judge.instrument('--output', output, f'--exceptions={mode}', '--classpath', os.pathsep.join(framework.jars), classes)
    lines = framework.run('Looping', os.path.join(output, os.path.basename(classes)), beat,
                          options=(f'-Dmethodbeat.counts={counts}',))
    judge.check(facts_of(lines).get('caught') == ['100'], f'{mode}: {lines}')
    names = dict(judge.traced(os.path.join(output, 'methodMapping.txt')))
    rows = (line.split() for line in judge.read(counts).splitlines())
    return {names[int(number)]: tuple(map(int, row)) for number, *row in rows}


def judge_level(level):
    framework = Framework(level)
    classes = framework.compile(f'looping-{level}', [os.path.join(HERE, 'java', 'Looping.java')])
    beat = framework.compile(f'beat-{level}', [os.path.join(judge.TESTS, 'jvm', 'runtime')])
    exact = count(framework, classes, beat, 'finally')
    found = count(framework, classes, beat, 'catch')
    judge.check(not judge.other_times(exact, found), f'level {level}: {judge.other_times(exact, found)}')
    phantoms = count(framework, classes, beat, 'returns')
    judge.check(judge.other_times(exact, phantoms), f'level {level}: nothing shows what a phantom call does')
    print(f'level {level}: {len(found)} methods as with finally')


for each in sys.argv[2:]:
    judge_level(each)
judge.finish()
