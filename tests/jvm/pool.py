"""Exceptions that leave for code without probes, here the JDK's: methods that such code calls record their exit
when an exception leaves them, so that later tasks of the thread are not told as callees of those that threw.

usage: pool.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
ROUNDS = 200
ALLOWED = 0.02
ATTEMPTS = 5  # on a machine that does other things too


def record(folder):
    """What the tasks measured, in nanoseconds, and the report."""
    trace = judge.scratch('pool.mbtrace')
    mapping = os.path.join(folder, 'methodMapping.txt')
    settings = {'library': LIBRARY, 'file': trace, 'mapping': mapping, 'threads': 'all', 'throttle': 'off',
                'flavour': 'native'}
    done = judge.java('-cp', os.path.join(folder, 'classes'), 'Pool', runtime=RUNTIME,
                      options=[f'-Dmethodbeat.{name}={value}' for name, value in settings.items()])
    judge.check(done.returncode == 0 and not done.stderr, done.stderr)
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--method-map', mapping, '--format=json',
                                    '--top=1000', trace)).stdout)
    return {f'Pool.{name}': int(ns) for name, ns in map(str.split, done.stdout.splitlines())}, report


def wrong_times(measured, methods):
    """What to say of those that are off."""
    return [f'{name} measured {ns}, {time} is {methods[name][time]}' for name, ns in measured.items()
            for time in ('totalNs', 'selfNs') if abs(methods[name][time] - ns) > ALLOWED * ns]


def judge_mode(mode, classes):
    folder = judge.scratch_folder(f'pool-{mode}')
    judge.instrument('--output', folder, f'--exceptions={mode}', classes)
    wrong = ['not run']
    for _ in range(ATTEMPTS):
        measured, report = record(folder)
        methods = {method['name']: method for method in report['methods']}
        calls = {name: methods[name]['calls'] for name in measured}
        judge.check(set(calls.values()) == {ROUNDS}, f'{mode}: called {calls}')
        judge.check(not any(thread['inferredExits'] for thread in report['threads']), f'{mode}: inferred exits')
        wrong = wrong_times(measured, methods)
        if not wrong:
            break
    judge.check(not wrong, f'{mode}: {wrong}')
    print(f'{mode}: ' + ', '.join(f'{name} {ns / 1e6:.1f} ms, reported {methods[name]["totalNs"] / 1e6:.1f}'
                                  for name, ns in measured.items()))


def main():
    classes = judge.compile_java(judge.scratch('classes'), (os.path.join(judge.TESTS, 'jvm', 'Pool.java'),))
    for mode in ('finally', 'catch'):
        judge_mode(mode, classes)
    judge.finish()


main()
