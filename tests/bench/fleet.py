#!/usr/bin/env python3
"""What a fleet costs: rows of what devices wrote, the load of made-up issues and profiles, and each question.

usage: fleet.py METHODBEAT DUCKDB [ISSUES [PROFILES]]      default: 1,000,000 issues, 10,000 profiles
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'fleet'))
from made import Fleet, profiles, write_days  # noqa: E402

METHODBEAT, DUCKDB = map(os.path.abspath, sys.argv[1:3])
COUNTS = [int(word) for word in sys.argv[3:]] + [1000000, 10000][len(sys.argv) - 3:]
QUESTIONS = ('top', 'new', 'rising', 'regressed', 'flame', 'starts', 'frames', 'who', 'days', 'stacks', 'tree')


def timed(what, *words):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([METHODBEAT, 'fleet', *map(str, words)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f'{what:28} {time.monotonic() - began:8.2f} s wall {cpu:8.2f} s CPU', flush=True)
    return cpu


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob('*') if path.is_file())


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([sys.executable, HERE.parents[1] / 'samples/fleet/devices.py', folder / 'devices', '20000'], check=True)
        cpu = timed('rows of 20,000 devices', 'rows', '-o', folder / 'devices.ndjson.zst', folder / 'devices')
        print(f'{size_of(folder / "devices") / 2 ** 20:28.1f} MB packed, rows {size_of(folder) / 2 ** 20:.1f}; {cpu:.1f} s')
        for what, rows in (('issues', Fleet(COUNTS[0], planted={5, 9})), ('profiles', profiles(COUNTS[1], slower={7}))):
            write_days(folder / what, rows)
        timed(f'load {COUNTS[0]} issues', 'load', folder / 'issues', '--into', folder / 'lake', '--engine-command', DUCKDB)
        print(f'{size_of(folder / "lake/issues") / COUNTS[0]:28.1f} bytes an issue in Parquet')
        timed(f'load {COUNTS[1]} profiles', 'load', folder / 'profiles', '--into', folder / 'lake', '--engine-command', DUCKDB)
        for question in QUESTIONS:
            for _ in range(2):  # the second is with files in memory
                timed(question, 'ask', question, '--old', '5.1', '--new', '5.2', '--engine-command', DUCKDB, folder / 'lake')


if __name__ == '__main__':
    main()
