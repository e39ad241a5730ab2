"""What the report says of a program that measures itself: sleeps, loops, recursion, exceptions, threads.

What is recorded lies between what is measured within a call and around it, whenever others have the
CPU: with the counter it is off by 0.2 % or 10 us, with the coarse clock by a tick. Ticks come late when
others have the CPU; then there are more attempts, and each call must be right in one of them.

usage: truth.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
LATE_NS = 1_000_000  # what the scheduler may add to a tick
ATTEMPTS = 20  # on a machine that does other things too
CALLS = {'sleeps20', 'spinsShortly', 'spins30', 'recursesOnce', 'catches', 'onThread', 'sleeps150'}
RECURSIONS = 7
WAYS = {'mapped': 'coarse', 'native': 'counter'}


def run(folder, flavour):
    """Nanoseconds by method, measured within and around; the report."""
    trace = judge.scratch('truth.mbtrace')
    mapping = os.path.join(folder, 'methodMapping.txt')
    settings = {'library': LIBRARY, 'flavour': flavour, 'file': trace,
                'mapping': mapping, 'threads': 'all', 'throttle': 'off'}
    done = judge.java('-cp', os.path.join(folder, 'classes'), 'Truth', runtime=RUNTIME,
                      options=[f'-Dmethodbeat.{name}={value}' for name, value in settings.items()])
    judge.check(done.returncode == 0 and not done.stderr, f'{flavour}: {done.stderr}')
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--method-map', mapping,
                                    '--format=json', '--top=1000', trace)).stdout)
    lines = (line.split() for line in done.stdout.splitlines())
    return {name: (int(within), int(around)) for name, within, around in lines if name != '-'}, report


def wrong_durations(measured, report):
    """What to say of it by method, and what the worst is off by."""
    reported = {method['name'].removeprefix('Truth.'): method for method in report['methods']}
    is_coarse = report['clock'] == 'coarse'
    wrong = {}
    worst = 0
    for name, (within, around) in measured.items():
        allowed = report['resolutionNs'] + LATE_NS if is_coarse else max(10_000, 0.002 * around)
        ns = reported[name]['totalNs']
        off = max(within - ns, ns - around, 0)
        worst = max(worst, off)
        if off > allowed:
            wrong[name] = f'measured {within} to {around} ns, reported {ns}'
    return wrong, worst


def check_calls(what, measured, report):
    """What no scheduler excuses."""
    calls = {method['name']: method['calls'] for method in report['methods']}
    judge.check(set(measured) == CALLS, f'{what}: measured {sorted(measured)}')
    judge.check(all(calls.get(f'Truth.{name}') == 1 for name in CALLS), f'{what}: {calls}')
    judge.check(calls.get('Truth.recurses') == RECURSIONS, f'{what}: {calls}')
    judge.check(calls.get('Truth.throwsLater') == calls.get('Truth.passesOn') == 1,
                f'{what}: {calls}')
    judge.check(len(report['threads']) == 2 and not any(
        thread['exitsWithoutEntry'] or thread['entriesWithoutExit'] or thread['inferredExits']
        for thread in report['threads']), f'{what}: unmatched')


def judge_way(what, folder, flavour, clock):
    never_right = CALLS
    attempts = 0
    while never_right and attempts < (ATTEMPTS if clock == 'coarse' else 1):
        measured, report = run(folder, flavour)
        check_calls(what, measured, report)
        wrong, worst = wrong_durations(measured, report)
        never_right &= wrong.keys()
        attempts += 1
    judge.check(not never_right, f'{what}: {wrong}')
    print(f'{what}: {len(measured)} durations, attempt {attempts}, worst is off by '
          f'{worst / 1000:.0f} us')


def main():
    classes = judge.compile_java(judge.scratch('classes'),
                                 (os.path.join(judge.TESTS, 'jvm', 'Truth.java'),))
    for mode in ('finally', 'catch'):
        folder = judge.scratch_folder(f'truth-{mode}')
        judge.instrument('--output', folder, f'--exceptions={mode}', classes)
        for flavour, clock in WAYS.items():
            judge_way(f'{flavour}, {mode}', folder, flavour, clock)
    judge.finish()


main()
