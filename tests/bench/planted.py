#!/usr/bin/env python3
"""The first answer about small programs: twelve, whose methods' own times the program measures itself.

usage: planted.py METHODBEAT [-n ROUNDS] [--load]

Each is run at default settings. A run is right if the methods come in the true order and each share is within 5
points; --load keeps four loops busy beside them. Prints a row for each program.
"""
import argparse
import json
import os
import subprocess
import tempfile

from neighbours import busy_loops

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = [('flat', ms, calls) for ms in (5, 20, 100, 500) for calls in (8, 15000)] + [
    ('recursive', 500, 4000), ('throwing', 500, 4000), ('pool', 500, 4000), ('idle', 500, 400)]
POINTS = 5
SURE = 3  # points; the order of methods nearer to each other is no matter


def shares(times):
    whole = max(sum(times.values()), 1)
    return {name: 100 * ns / whole for name, ns in times.items()}


def run(methodbeat, folder, shape, ms, calls):
    """(true shares, told shares)"""
    trace = os.path.join(folder, 'trace')
    done = subprocess.run([methodbeat, 'run', '--trace', trace, '--', 'java', '-cp', folder, 'Planted', shape, str(ms),
                           str(calls)], capture_output=True, text=True, timeout=120)
    true = {line.split()[0]: int(line.split()[1]) for line in done.stdout.splitlines()
            if line.split()[:1] and line.split()[0] in ('alpha', 'beta', 'gamma', 'delta')}
    report = subprocess.run([methodbeat, 'report', '--format', 'json', trace], capture_output=True, text=True, check=True)
    told = {method['name'].split('.')[1]: method['selfNs'] for method in json.loads(report.stdout)['methods']
            if method['name'].split('.')[1] in true}
    os.remove(trace)
    return shares(true), shares(told)


def is_right(true, told):
    pairs = [(a, b) for a in true for b in true if true[a] > true[b] + SURE]
    return (all(abs(true[name] - told.get(name, 0)) <= POINTS for name in true) and
            all(told.get(a, 0) > told.get(b, 0) for a, b in pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('methodbeat', type=os.path.abspath)
    parser.add_argument('-n', type=int, default=5)
    parser.add_argument('--load', action='store_true')
    arguments = parser.parse_args()
    all_right = 0
    with tempfile.TemporaryDirectory() as folder, busy_loops(4 if arguments.load else 0):
        subprocess.run(['javac', '-d', folder, os.path.join(HERE, 'planted', 'Planted.java')], check=True)
        for program in PROGRAMS:
            runs = [run(arguments.methodbeat, folder, *program) for _ in range(arguments.n)]
            right = sum(is_right(*pair) for pair in runs)
            worst = max(max(abs(true[name] - told.get(name, 0)) for name in true) for true, told in runs)
            all_right += right
            print(f'{program[0]:10} {program[1]:4} ms {program[2]:6} calls: right in {right} of {arguments.n}, '
                  f'off by {worst:.1f} points at worst', flush=True)
    print(f'planted programs right: {all_right} of {len(PROGRAMS) * arguments.n}')


if __name__ == '__main__':
    main()
