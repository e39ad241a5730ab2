#!/usr/bin/env python3
"""The first row of the first report: is it the hot method, and is that not muted?

usage: first.py METHODBEAT [RUNS [LOAD]]

RUNS runs (20) of planted/Hot.java at default settings, then as many beside LOAD busy loops (4; 0: no such runs). Prints
what else came first, and how many of all runs are right.
"""
import json
import os
import subprocess
import sys
import tempfile

from neighbours import busy_loops

HERE = os.path.dirname(os.path.abspath(__file__))
HOT = 'Hot.digest'


def first_row(methodbeat, folder):
    """Its name, with what the throttle did to it."""
    told = os.path.join(folder, 'report.json')
    subprocess.run([methodbeat, 'run', '--trace', os.path.join(folder, 'trace'), '-o', told, '--',
                    'java', '-cp', folder, 'Hot'], check=True, capture_output=True, timeout=600)
    with open(told, encoding='utf-8') as file:
        report = json.load(file)
    name = max(report['methods'], key=lambda row: row['selfNs'])['name']
    return name + (' muted' if any(row['name'] == name for row in report['muted']) else '')


def count_right(methodbeat, folder, runs, load):
    with busy_loops(load):
        rows = [first_row(methodbeat, folder) for _ in range(runs)]
    right = rows.count(HOT)
    others = sorted({row for row in rows if row != HOT})
    print(f'beside {load} busy loops: {right} of {runs}' + (f'; first was {", ".join(others)}' if others else ''), flush=True)
    return right


def main():
    methodbeat = os.path.abspath(sys.argv[1])
    runs, load = (int(word) for word in (*sys.argv[2:4], *('20', '4')[len(sys.argv[2:4]):]))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['javac', '-d', folder, os.path.join(HERE, 'planted', 'Hot.java')], check=True)
        loads = (0, load) if load else (0,)
        right = sum(count_right(methodbeat, folder, runs, one) for one in loads)
    print(f'{HOT} first and not muted: {right} of {runs * len(loads)}')


if __name__ == '__main__':
    main()
