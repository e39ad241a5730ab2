"""What feeds the monitors in an app, on the real framework: the main thread's messages and who else
hears of them.

usage: glue.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY LEVEL...
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from robolectric import Framework, facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
MESSAGES = 10000  # as Printers.MANY
MESSAGE_ID = 0xFFFFE
EXPECTED = {
    'started': ['true'],
    'chain': ['#o'],
    'other-on-top': ['o#o'],  # it was called all the while
    'each-hears': ['20 20'],
    'replaced': ['#o'],
    'thief-hears': ['20'],
    'replaced-again': ['o'],
    'after-a-minute': ['#o'],
    'too-soon': ['o'],
    'after-two': ['#o'],
    'deepest': ['2'],
    'depth': ['1'],
    'stopped': ['o'],
    'stopped-hears': ['20'],
    'stopped-at-once': ['o'],
    'started-before-the-end': ['#o'],
    'stopped-again': ['o'],
    'vendor-few': ['true'],
    'vendor-only': ['false'],
    'vendor-later': ['true'],
    'deaf': ['o'],
}


def judge_issues(level, issues):
    """The one that slept; a busy machine makes others slow too, and they are nobody's fault."""
    issues = [issue for issue in issues if 'message' in issue['methodbeat']]
    outside = [issue for issue in issues if issue['methodbeat']['message'] == '(outside messages)' and
               any(frame.startswith('methodbeat.Printers.work') for frame in issue['methodbeat']['hottest']['frames'])]
    judge.check(len(outside) == 1, f'level {level}: one stall of a loop whose messages are not heard: {outside}')
    slept = [issue for issue in issues if 'Printers$Sleeper' in issue['methodbeat']['message']]
    judge.check(len(slept) == 1, f'level {level}: one issue of the message that slept: {issues}')
    for issue in slept:
        judge.check(issue['methodbeat']['cost_ns'] >= 1500 * 1000000, f'level {level}: as long as that')
        judge.check(re.fullmatch(r'Handler \(android\.os\.Handler\) \{\w+\} .*Printers\$Sleeper.*: 0',
                                 issue['methodbeat']['message']) is not None,
                    f"level {level}: message {issue['methodbeat']['message']}")


def judge_messages(level, trace):
    """The recorder has each that is in no other, with its begin and its end."""
    records = judge.must((judge.METHODBEAT, 'report', '--format', 'records', trace)).stdout
    depth = deepest = count = 0
    for sign, number in re.findall(r'^ +\d+ +[\d.]+ ([io]) +(\d+)(?: .*)?$', records, re.M):
        if int(number) == MESSAGE_ID:
            depth += 1 if sign == 'i' else -1
            deepest = max(deepest, depth)
            count += sign == 'i'
            judge.check(depth >= 0, f'level {level}: an end without a begin')
    judge.check(count >= MESSAGES and depth == 0 and deepest == 1,
                f'level {level}: {count} messages, {depth} open at the end, {deepest} deep')


def main():
    for level in sys.argv[5:]:
        framework = Framework(level)
        classes = framework.compile(
            f'java-{level}', [os.path.join(HERE, 'java', name) for name in ('methodbeat', 'stage')], RUNTIME, ANDROID)
        trace = judge.scratch(f'trace-{level}')
        lines = framework.run(
            'methodbeat.Printers', classes, RUNTIME, ANDROID,
            options=(f'-Dmethodbeat.library={LIBRARY}', f'-Dmethodbeat.file={trace}'))
        facts = facts_of(lines)
        judge_issues(level, [json.loads(text) for text in facts.pop('issue', [])])
        for name, expected in EXPECTED.items():
            judge.check(facts.get(name) == expected, f'level {level}: {name} is {facts.get(name)}')
        judge_messages(level, trace)
        print(f'level {level}: {len(facts)} facts')
    judge.finish()


main()
