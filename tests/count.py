#!/usr/bin/env python3
"""Add up Meson test logs; the last line is "N passed, N failed, N skipped".

usage: count.py PASSED FAILED TESTLOG.json...   the two numbers are steps outside Meson
"""
import json
import sys

PASSED = {'OK', 'EXPECTEDFAIL'}
SKIPPED = {'SKIP', 'IGNORED'}


def results(path):
    with open(path, encoding='utf-8') as log:
        for line in log:
            test = json.loads(line)
            yield test['name'], test['result']


def main():
    passed, failed = int(sys.argv[1]), int(sys.argv[2])
    skipped = 0
    tested = 0
    for path in sys.argv[3:]:
        for name, result in results(path):
            tested += 1
            if result in PASSED:
                passed += 1
            elif result in SKIPPED:
                skipped += 1
                print(f'skipped: {name}')
            else:
                failed += 1
                print(f'{result.lower()}: {name} ({path})')
    if tested == 0 and passed == 0:
        failed += 1
        print('no test ran')
    print(f'{passed} passed, {failed} failed' + (f', {skipped} skipped' if skipped else ''))
    return 1 if failed else 0


sys.exit(main())
