#!/usr/bin/env python3
"""What `report --diff --fail-above p99:10%` says of pairs of runs that differ in nothing, and of planted regressions.

usage: tails.py METHODBEAT [EQUAL_PAIRS [PLANTED_PAIRS]]

A small pool (Tails.java), of which one request in thirty is slow: it pauses, computes, or waits for a lock. EQUAL_PAIRS
(default 100) are two runs of one program; in the second run of PLANTED_PAIRS (default 20) what slow ones do takes 20 % more.
An alarm is the exit code 3; a planted regression is found if that is the exit code, and the kind is named.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = ('pause', 'compute', 'lock')


class Bench:
    def __init__(self, command, folder):
        self.command = command
        self.folder = folder
        self.seed = 0
        subprocess.run(['javac', '-d', folder, HERE / 'Tails.java'], check=True)

    def record(self, name, program, percent):
        """Each run has other requests."""
        self.seed += 1
        trace = self.folder / name
        trace.unlink(missing_ok=True)
        subprocess.run([self.command, 'run', '--trace', trace, 'java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp',
                        self.folder, 'Tails', program, str(self.seed), str(percent)], check=True, timeout=120,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return trace

    def judge(self, program, percent):
        old, new = self.record('old.mbtrace', program, 100), self.record('new.mbtrace', program, percent)
        told = subprocess.run([self.command, 'report', '--diff', old, new, '--fail-above', 'p99:10%', '--format', 'json'],
                              capture_output=True, text=True)
        change = {row['name']: row.get('p99', {}) for row in json.loads(told.stdout)['diff'].get('requests', [])}
        print(f'{program} {percent} %: exit {told.returncode}',
              *(f'{name} {share.get("percent")} %, certain {share.get("certainPercent")} %' for name, share in change.items()),
              told.stderr.strip(), *([] if told.returncode in (0, 3) else [told.stdout[:900]]), flush=True)
        return told.returncode, 'p99 of Tails.' in told.stderr


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    equal, planted = [int(given) for given in sys.argv[2:4]] + [100, 20][len(sys.argv) - 2:]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], pathlib.Path(folder))
        codes = [bench.judge(PROGRAMS[i % 3], 100)[0] for i in range(equal)]
        found = [bench.judge(PROGRAMS[i % 3], 120) == (3, True) for i in range(planted)]
    print(f'A/A alarms: {codes.count(3)} of {equal} ({equal - codes.count(0) - codes.count(3)} unknown); '
          f'regressions found: {sum(found)} of {planted}')


main()
