#!/usr/bin/env python3
"""The page of a fleet in a browser: its parts, its faults, names that are markup, and how soon it is there.

usage: fleet_page.py METHODBEAT DUCKDB
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / 'support'), str(HERE.parent / 'fleet')]
import judge  # noqa: E402
from made import Fleet, profiles, write  # noqa: E402

METHODBEAT, DUCKDB = map(os.path.abspath, sys.argv[1:3])
HOSTILE = '</script><img src=x onerror="window.hacked = 1"><!--'


def rows():
    for row in [*Fleet(20000, planted={3}), *profiles(240, slower={7})]:
        if row['t'] == 'issues' and row['cause_name'].endswith('0'):
            row['cause_name'] = HOSTILE
            row['frames'] = [HOSTILE, *row['frames']]
        if row['t'] == 'methods' and row['method'] == 7:
            row['name'] += HOSTILE
        yield row


def main():
    node = shutil.which('node')
    playwright, axe, chromium = judge.corpus('playwright', 'axe', 'chromium')
    if node is None:
        judge.skip('no node')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        write(folder / 'up/day=2026-10-01/a.ndjson', rows())
        for words in (('load', folder / 'up', '--into', folder / 'lake'),
                      ('ask', '-o', folder / 'fleet.html', '--old', '5.1', '--new', '5.2', folder / 'lake')):
            subprocess.run([METHODBEAT, 'fleet', *words, '--engine-command', DUCKDB], check=True)
        return subprocess.run([node, HERE / 'fleet_page.mjs', playwright, chromium, axe, folder / 'fleet.html'],
                              check=False).returncode


if __name__ == '__main__':
    sys.exit(main())
