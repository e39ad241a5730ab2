#!/usr/bin/env python3
"""The issues of a recorded log, byte for byte, and what is said of bad ones.

usage: issues.py ISSUES_OF FOLDER      FOLDER has stalls.log, and as golden stalls.json
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'cli'))
from checks import Bench, check, run_all  # noqa: E402

ISSUES_OF, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
LOG = FOLDER / 'stalls.log'


def run(log, *settings):
    return subprocess.run([ISSUES_OF, *settings, '--', log], capture_output=True, stdin=subprocess.DEVNULL)


def golden(name, output):
    path = FOLDER / name
    if os.environ.get('MB_UPDATE_GOLDEN'):
        path.write_bytes(output)
    check(f'{name} is as it was', output == path.read_bytes(), output.decode())


def refused(what, bench, content, line, reason):
    done = run(bench.file('bad.log', content))
    check(what, done.returncode == 1 and f'bad.log:{line}: ' in done.stderr.decode() and
          reason in done.stderr.decode(), done)


def test_issues_are_those_that_were_told(bench):
    first, second = run(LOG), run(LOG)
    check('the same bytes twice', first.stdout == second.stdout and first.returncode == 0, first)
    golden('stalls.json', first.stdout)
    for line in first.stdout.splitlines():
        check('an issue is JSON', 'methodbeat' in json.loads(line), line)


def test_settings_win_over_the_log(bench):
    def details(*settings):
        return [json.loads(line)['methodbeat']['detail'] for line in run(LOG, *settings).stdout.splitlines()]

    told = details()
    check('each is there', told == ['EXIT_ANR', 'NORMAL', 'LAG', 'OFTEN', 'HANG', 'LAG', 'CPU'], told)
    check('no slow messages', 'NORMAL' not in details('evil_enable=0'), details('evil_enable=0'))
    other = details('lag_ms=1000', 'often=', 'cpu_enable=off')
    check('other limits', other == ['EXIT_ANR', 'NORMAL', 'LAG', 'HANG', 'LAG'], other)


def test_wrong_settings_are_refused(bench):
    for setting in ('evil_ms', 'evil_ms=x', 'evil=3', '=', ''):
        done = run(LOG, setting)
        check(setting, done.returncode == 2 and not done.stdout, done)


def test_a_cut_log_gives_its_first_issues(bench):
    whole = run(LOG).stdout
    bytes_of_log = LOG.read_bytes()
    for size in (len(bytes_of_log) // 3, len(bytes_of_log) - 1):
        done = run(bench.file('cut.log', bytes_of_log[:size]))
        check('a beginning', done.returncode == 0 and whole.startswith(done.stdout), done)


def test_what_is_no_log_is_refused(bench):
    lines = LOG.read_bytes().splitlines(keepends=True)
    refused('nothing', bench, b'', 1, 'not an event log')
    refused('a class', bench, b'\xca\xfe\xba\xbe\n', 1, '')
    refused('no first line', bench, b''.join(lines[1:]), 1, 'not an event log')
    refused('a spoilt line', bench, b''.join(lines[:4]) + b'{"at":1}\n', 5, "'kind'")
    done = run(bench.folder / 'none.log')
    check('a missing file', done.returncode == 1 and b'none.log' in done.stderr, done)


sys.exit(1 if run_all(globals().copy(), Bench) else 0)
