#!/usr/bin/env python3
"""Pairs of releases that are the same: questions that judge find nothing.

usage: test_chance.py METHODBEAT DUCKDB
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from made import Fleet, profiles, write

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'cli'))
from checks import check, have_failed  # noqa: E402

METHODBEAT, DUCKDB = sys.argv[1:3]
PAIRS = 100


def fleet(*words):
    return subprocess.run([METHODBEAT, 'fleet', *map(str, words), '--engine-command', DUCKDB], capture_output=True,
                          text=True, check=True).stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(PAIRS):
            rows = [*Fleet(3000, seed=seed + 100, causes=60), *profiles(160, seed=seed + 100)]
            # One lake for all: each pair is an app of its own.
            rows = [{**row, **{key: f'{seed}-{row[key]}' for key in ('device', 'session', 'profile') if key in row},
                     **({'app': f'a{seed}'} if 'app' in row else {})} for row in rows]
            write(folder / f'up/day=2026-10-01/{seed}.ndjson', rows)
        fleet('load', folder / 'up', '--into', folder / 'lake')
        for seed in range(PAIRS):
            for question in ('rising', 'regressed'):
                found = json.loads(fleet('ask', question, '--old', '5.1', '--new', '5.2', '--format', 'json',
                                         '--where', f"app = 'a{seed}'", folder / 'lake'))['rows']
                check(f'{question}, pair {seed}', not found, found)
    return have_failed()


if __name__ == '__main__':
    sys.exit(main())
