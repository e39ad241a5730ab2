#!/usr/bin/env python3
"""What a fleet costs: rows of what devices wrote, the load of made-up issues and profiles, each question on them and,
with TIMES, again on so many times the devices; where this Python has Spark (tests/fleet/duckdb.sh), there too.

usage: fleet.py METHODBEAT DUCKDB [ISSUES [PROFILES [TIMES]]]      default: 1,000,000 issues, 10,000 profiles, 1
"""
import gzip
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'fleet'))
from made import Fleet, profiles, write_days  # noqa: E402
try:
    from test_engines import on_spark, start_spark
except ImportError:
    start_spark = None

METHODBEAT, DUCKDB = map(os.path.abspath, sys.argv[1:3])
ISSUES, PROFILES, TIMES = [int(word) for word in sys.argv[3:]] + [1000000, 10000, 1][len(sys.argv) - 3:]
PART = min(ISSUES, 100000)
QUESTIONS = ('top', 'new', 'rising', 'regressed', 'flame', 'starts', 'frames', 'who', 'days', 'stacks', 'tree')


def timed(what, *words):
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([METHODBEAT, 'fleet', *map(str, words)], check=True, stdout=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rows = sum(int(number) for number in re.findall(r'^ *(\d+) (?!uploads)\w+$', done.stdout, re.M) if words[0] != 'ask')
    print(f'{what:28} {time.monotonic() - began:8.2f} s wall {cpu:8.2f} s CPU' + (
        f' {rows:9} rows, {rows / cpu:,.0f} a CPU second' if rows else ''), flush=True)


def time_spark(lake):
    """Twice: the first time compiles. CPU is that of its JVM."""
    spark = start_spark()
    stat = pathlib.Path(f'/proc/{spark.sparkContext._gateway.proc.pid}/stat')
    for question in [question for question in QUESTIONS if question != 'stacks'] * 2:
        cpu, began = -sum(map(int, stat.read_text().split()[13:15])), time.monotonic()
        on_spark(spark, question, lake)
        cpu += sum(map(int, stat.read_text().split()[13:15]))
        print(f'{question} on Spark'.ljust(28), f'{time.monotonic() - began:8.2f} s wall {cpu / 100:8.2f} s CPU', flush=True)
    spark.stop()


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob('*') if path.is_file())


def fill(folder, first):
    """ISSUES of them: copies of one part, of other devices and sessions."""
    for path in (folder / 'part').rglob('*.ndjson'):
        for copy in range(first, first + ISSUES // PART):
            place = folder / 'issues' / path.parent.name / f'{copy - first}.ndjson'
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(re.sub(r'"(device|session)":"', rf'"\1":"{copy}', path.read_text()))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder, load = pathlib.Path(name), ('--into', pathlib.Path(name) / 'lake', '--engine-command', DUCKDB)
        subprocess.run([sys.executable, HERE.parents[1] / 'samples/fleet/devices.py', folder / 'devices', '500'], check=True)
        timed('rows of 500 devices', 'rows', '-o', folder / 'devices.ndjson.zst', folder / 'devices')
        lines = [line for path in (folder / 'devices').rglob('*.gz') for line in gzip.open(path) if b'"tag"' in line] * 80
        (folder / 'raw.json').write_bytes(b''.join(lines))
        timed('rows of their issues, x 80', 'rows', '-o', folder / 'packed.zst', folder / 'raw.json')
        print(*(f'{(folder / file).stat().st_size / len(lines):.0f} bytes an issue, {file}' for file in ('raw.json', 'packed.zst')))
        write_days(folder / 'part', Fleet(PART, planted={5, 9}))
        write_days(folder / 'profiles', profiles(PROFILES, slower={7}))
        timed(f'load {PROFILES} profiles', 'load', folder / 'profiles', *load)
        for number in range(TIMES):
            fill(folder, 100 * number)
            timed(f'load {ISSUES} issues', 'load', folder / 'issues', *load)
            if number in (0, TIMES - 1):
                print(f'{size_of(folder / "lake/issues") / ISSUES / (number + 1):28.1f} bytes an issue in Parquet')
                for question in QUESTIONS * 2:  # the second time with files in memory
                    timed(question, 'ask', question, '--old', '5.1', '--new', '5.2', *load[2:], folder / 'lake')
                if start_spark:
                    time_spark(folder / 'lake')


if __name__ == '__main__':
    main()
