#!/usr/bin/env python3
"""What `report --diff` says of planted regressions and of equal runs, beside busy loops.

usage: regressions.py METHODBEAT [PAIRS [EQUAL_PAIRS [LOAD [OPTION...]]]]

Four small programs (Regress.java), each with one method that becomes slower. PAIRS of runs
(default 20) differ in that, EQUAL_PAIRS (default 20) in nothing; LOAD processes (default 4) spin
meanwhile. A regression counts as named first if --fail-above 0% fails and the first slower method
is the right one, or if it does not fail and the first slower row of the table is; an alarm is a
failure, "Slower" in the first line, or a row of the table.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from neighbours import busy_loops

HERE = pathlib.Path(__file__).resolve().parent
METHODS = {'orders': 'Orders.hash', 'shop': 'Shop.tax', 'tree': 'Tree.leaf', 'parser': 'Parser.check'}
PERCENTS = (130, 150, 200, 300, 400)  # of what it took before


class Bench:
    def __init__(self, command, folder, options):
        self.options = options
        self.command = command
        self.folder = folder
        subprocess.run(['javac', '-d', folder, HERE / 'Regress.java'], check=True)

    def record(self, name, program, factor):
        trace = self.folder / name
        trace.unlink(missing_ok=True)
        subprocess.run([self.command, 'run', '--trace', trace, *self.options, 'java', '-cp', self.folder,
                        'Regress', program, str(factor)], check=True, timeout=120,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return trace

    def compare(self, old, new):
        told = [self.command, 'report', '--diff', old, new, '--fail-above', '0%']
        text = subprocess.run(told, capture_output=True, text=True)
        data = subprocess.run([*told[:-2], '--format', 'json'], capture_output=True, text=True)
        changes = json.loads(data.stdout)['diff']['methods']
        return text.returncode, text.stdout, text.stderr, changes


def first_named(code, error, changes):
    if code == 3:
        return error.split('slower methods: ')[-1].split(',')[0].strip()
    slower = [row['name'] for row in changes if row['change'] in ('slower', 'new')]
    return slower[0] if slower else ''


def measure(bench, pairs, equal_pairs):
    named = 0
    hidden = 0
    alarms = 0
    for i in range(pairs):
        program, method = list(METHODS.items())[i % 4]
        percent = PERCENTS[i // 4 % len(PERCENTS)]
        old = bench.record('old.mbtrace', program, 100)
        new = bench.record('new.mbtrace', program, percent)
        code, text, error, changes = bench.compare(old, new)
        first = first_named(code, error, changes)
        is_right = method in first.replace('$', '.')
        named += is_right
        hidden += code == 0 and first == ''
        print(f'{program} {percent} %: {"right" if is_right else "wrong"}, exit {code}, '
              f'first "{first}"', *([] if is_right else [text[:900]]), flush=True)
    for i in range(equal_pairs):
        program = list(METHODS)[i % 4]
        old = bench.record('old.mbtrace', program, 100)
        new = bench.record('new.mbtrace', program, 100)
        code, text, error, changes = bench.compare(old, new)
        is_alarm = code != 0 or 'Slower' in text.split('\n', 1)[0] or len(changes) > 0
        alarms += is_alarm
        print(f'{program} twice: {"alarm" if is_alarm else "quiet"}',
              *([text[:900]] if is_alarm else []), flush=True)
    print(f'regressions named first: {named} of {pairs} ({hidden} within noise); A/A alarms: {alarms} of {equal_pairs}')


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    numbers = [int(given) for given in sys.argv[2:5]]
    pairs, equal_pairs, load = numbers + [20, 20, 4][len(numbers):]
    with tempfile.TemporaryDirectory() as folder, busy_loops(load):
        measure(Bench(sys.argv[1], pathlib.Path(folder), sys.argv[5:]), pairs, equal_pairs)


main()
