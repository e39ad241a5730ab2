#!/usr/bin/env python3
"""How many traces `fleet ask slow` needs: made-up traces of two releases, of four kinds of requests with long tails, from
machines that differ. In pairs nothing changes and nothing should be found; else twice as many requests are slow.

usage: traces.py METHODBEAT DUCKDB [PAIRS [PLANTED]]      by default 70, 10
"""
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

from made import write

COMMAND, ENGINE = [sys.argv[1], 'fleet'], ['--engine-command', sys.argv[2]]
PAIRS, PLANTED = [int(word) for word in sys.argv[3:]] + [70, 10][len(sys.argv) - 3:]


def lengths(draw, speed, share):
    counts = collections.Counter()
    for _ in range(draw.choice((60, 150, 400))):
        us = draw.lognormvariate(math.log(8000 * speed), 0.5)
        us += draw.expovariate(1 / 200000) if draw.random() < share else 0
        counts[int(math.log(max(us, 1)) / math.log(1.02))] += 1
    return {'bucket_list': sorted(counts), 'n_list': [counts[bucket] for bucket in sorted(counts)]}


def traces(draw, count, factor):
    for number in range(count):
        release = ('5.1', '5.2')[number % 2]
        speed, share = draw.lognormvariate(0, 0.3), 0.02 * draw.lognormvariate(0, 0.4) * (factor if release == '5.2' else 1)
        sums = [{'kind': 'request', 'name': f'K{kind}.get()V', **lengths(draw, speed, share)} for kind in range(4)]
        yield {'t': 'profiles', 'app': 'a', 'app_release': release, 'profile': f'p{number}', 'ts': 1790000000000 + number,
               'run_ms': 1.0, 'device_class': draw.choice(('LOW', 'HIGH')), 'sum_list': sums}


def finds(seed, count, factor):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write(folder / 'up/day=2026-10-14/a.ndjson', traces(random.Random(seed), count, factor))
        subprocess.run([*COMMAND, 'load', folder / 'up', '--into', folder / 'lake', *ENGINE], check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run([*COMMAND, 'ask', 'slow', '--format', 'json', *ENGINE, folder / 'lake'], check=True, capture_output=True, text=True)
        return bool(json.loads(done.stdout)['rows'])


def main():
    for count in 24, 60, 200:
        alarms, found = (sum(finds(7 * number + count, count, factor) for number in range(times))
                         for factor, times in ((1, PAIRS), (2, PLANTED)))
        print(f'{count} traces: {alarms} of {PAIRS} pairs with an alarm, {found} of {PLANTED} found', flush=True)


if __name__ == '__main__':
    main()
