#!/usr/bin/env python3
"""Choose suites of tests/suites.txt for so many minutes: the first one, those that the last commits touch, and of the
rest a part that moves on with each commit. Prints their names in the table's order.

usage: choose.py MINUTES
"""
import os
import re
import subprocess
import sys

COMMITS = 20
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'suites.txt')


def read_table():
    """[(name, minutes, expression)]"""
    with open(TABLE, encoding='utf-8') as table:
        for line in table:
            if not line.startswith('#'):
                name, minutes, paths = line.split()
                yield name, int(minutes), re.compile(paths)


def ask_git(*command):
    return subprocess.run(('git', *command), capture_output=True, text=True, check=True).stdout.split('\n')


def rotate(rows, by):
    by %= max(len(rows), 1)
    return rows[by:] + rows[:by]


def choose(rows, changed, number, budget):
    """Names. number: of the commit, which moves on what is taken first."""
    always, rest = rows[:1], rows[1:]
    touched = [row for row in rest if any(row[2].search(path) for path in changed)]
    others = [row for row in rest if row not in touched]
    chosen, left = set(), budget
    for name, minutes, _ in always + rotate(touched, number) + rotate(others, number):
        if minutes <= left:
            chosen.add(name)
            left -= minutes
    return [row[0] for row in rows if row[0] in chosen]


def main():
    changed = [path for path in ask_git('log', f'-{COMMITS}', '--name-only', '--format=') if path]
    number = int(ask_git('rev-list', '--count', 'HEAD')[0])
    print(' '.join(choose(list(read_table()), changed, number, int(sys.argv[1]))))


if __name__ == '__main__':
    main()
