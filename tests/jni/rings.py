"""Each thread writes its ring from Java, and nobody another's: exact counts of threads that come and go, more of them
than there are slots and rows, of one number and of one name, in rings of 5,000 words, and after a storm of restarts.

usage: rings.py METHODBEAT RUNTIME_JAR LIBRARY [RESTARTS]     by hand: 10000000
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
RESTARTS = int(sys.argv[4]) if len(sys.argv) > 4 else 3000
HERE = os.path.dirname(os.path.abspath(__file__))
INNER, GET_ID, FIRST, KINDS = 5, 6, 10, 4
COLLECTORS = 'Serial', 'G1', 'Z'


def write_map():
    path = judge.scratch('methodMapping.txt')
    ids = INNER, GET_ID, *range(FIRST, FIRST + KINDS)
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(f'{number},1,a.B m{number} ()V\n' for number in ids)
    return path


def run(program, act, count, *more, timeout=250, options=(), **settings):
    settings = {'library': LIBRARY, 'flavour': 'mapped', 'throttle': 'off', 'main': 'main', **settings}
    done = judge.run(('java', *options, '-cp', f'{RUNTIME}:{program}',
                      *(f'-Dmethodbeat.{name}={value}' for name, value in settings.items()), 'Rings', act, str(count),
                      *more), timeout=timeout)
    judge.check(done.returncode == 0, f'{act} {options}: exit code {done.returncode}, {done.stdout[-300:]} {done.stderr[-600:]}')
    judge.check('Exception' not in done.stderr, f'{act} {options}: {done.stderr[:600]}')
    lines = done.stdout.split()
    judge.check(len(lines) == 2 and lines[-1] == '0', f'{act} {options}: printed {lines}, {done.stderr[-600:]}')
    return int(lines[0]) if lines else 0


def judge_counts(what, trace, mapping, expected):
    """So many calls, each of them whole; where rings were not drained in time, so many words."""
    report = json.loads(judge.must((judge.METHODBEAT, 'report', '--method-map', mapping, '--format=json', '--top=100',
                                    trace)).stdout)
    lost = sum(thread['unseenRecords'] for thread in report['threads'])
    words = sum(thread['records'] for thread in report['threads']) + lost
    judge.check(words == 4 * expected, f'{what}: {words} words of {expected} calls')
    if lost:
        print(f'{what}: {lost} words overwritten, and counted')
        return expected
    calls = {method['name']: method['calls'] for method in report['methods']}
    outer = sum(calls.get(f'a.B.m{number}', 0) for number in range(FIRST, FIRST + KINDS))
    judge.check((outer, calls.get(f'a.B.m{INNER}')) == (expected, expected), f'{what}: {expected} calls, not {calls}')
    judge.check(f'a.B.m{GET_ID}' not in calls, f'{what}: getId was called: {calls}')
    judge.check(not any(thread[name] for thread in report['threads'] for name in
                        ('exitsWithoutEntry', 'entriesWithoutExit', 'inferredExits')), f'{what}: unmatched')
    return expected


def judge_owners(what, trace):
    """No ring has words of another thread, nor times that go back."""
    of_ring = None
    rings = 0
    kinds = set()
    times = [0.0]
    for line in judge.must((judge.METHODBEAT, 'report', '--format', 'records', trace)).stdout.splitlines():
        if line.startswith('# ring'):
            of_ring = line
            rings += 1
            kinds = set()
            times = [0.0]
            continue
        found = re.match(r' *\d+ +([\d.]+) +[ioc] +(\d+)', line)
        if found and of_ring:
            number = int(found[2])
            if number >= FIRST:
                kinds.add(number)
            judge.check(number in (INNER, *range(FIRST, FIRST + KINDS)) and len(kinds) <= 1, f'{what}: {number} in {of_ring}')
            judge.check(float(found[1]) >= times[0], f'{what}: back to {line} in {of_ring}')
            times[0] = float(found[1])
            if judge.has_failed():
                return 0
    judge.check(rings >= 2, f'{what}: {rings} rings')
    return rings


def judge_cost(program, mapping, trace):
    """Where nothing is compiled, the report reckons with what a record took there, in both flavours."""
    for flavour in ('mapped', 'native'):
        run(program, 'waves', 20, file=trace, flavour=flavour, options=('-Xint',))
        text = judge.must((judge.METHODBEAT, 'report', '--show=trust', '--method-map', mapping, trace)).stdout
        told = re.search(r'([\d.]+)\s+(ns|us)\s+per\s+record', text)
        judge.check(told and float(told[1]) * (1000 if told[2] == 'us' else 1) > 20, f'{flavour}: {re.findall("overhead.*", text)}')
        print(f'-Xint {flavour}: {told and told[0]}')


def main():
    program = judge.compile_java(judge.scratch('program'), (os.path.join(HERE, 'Rings.java'),), '-cp', RUNTIME)
    mapping = write_map()
    trace = judge.scratch('t.mbtrace')
    for collector in COLLECTORS:
        options = f'-XX:+Use{collector}GC',
        expected = run(program, 'waves', 100, file=trace, options=options)
        print(f'{collector}: {judge_counts(collector, trace, mapping, expected)} calls')
    expected = run(program, 'waves', 1200, file=trace)
    print(f'more threads than rows: {judge_counts("threads", trace, mapping, expected)} calls')
    expected = run(program, 'laps', 200, file=trace, words='0:5000')
    print(f'rings of 5,000 words: {judge_counts("laps", trace, mapping, expected)} calls')
    judge_cost(program, mapping, trace)
    run(program, 'ends', 0, file=trace)
    for options, part in (((), 1), (('-Xint',), 10), (('-XX:TieredStopAtLevel=1',), 3), (('-Djdk.lang.Process.launchMechanism=FORK',), 3)):
        restarts = RESTARTS // part  # a storm lasts about as long in each
        expected = run(program, 'restarts', restarts, trace, options=options, timeout=max(250, RESTARTS / 100))
        what = f'{restarts} restarts {" ".join(options)}'
        judge_counts(what, trace, mapping, expected)
        print(f'{what}: {judge_owners(what, trace + ".storm")} and {judge_owners(what, trace + ".dump")} rings, '
              f'{expected} calls')
    judge.finish()


main()
