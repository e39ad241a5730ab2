#!/usr/bin/env python3
"""Tell what a fleet has got worse in since the last time: findings of all questions that judge, a JSON object a line. What
was told is noted in MEMORY, and told again only after a week without it.

usage: alert.py LAKE MEMORY [OPTION...]      OPTION: of `methodbeat fleet ask`, such as --where or --old; METHODBEAT in the
environment is the command. Exit code 3: something is new; 1: an answer is missing, and MEMORY is as it was.
"""
import datetime
import json
import os
import subprocess
import sys

QUESTIONS = ('new', 'rising', 'regressed', 'slower', 'later', 'slow')
NAMES = ('detail', 'cause', 'name', 'start_kind', 'scene', 'request', 'among')
DAYS = 7


def ask(question, lake, options):
    done = subprocess.run([os.environ.get('METHODBEAT', 'methodbeat'), 'fleet', 'ask', question, '--format', 'json', *options, lake],
                          stdout=subprocess.PIPE, check=True)
    answer = json.loads(done.stdout)
    for row in answer['rows']:
        yield {'question': question, 'old': answer['old'], 'new': answer['new'], **row}


def key_of(finding):
    return json.dumps([finding['question'], finding['new'], *(finding.get(name) for name in NAMES)])


def read(memory):
    """key -> day on which it was found last"""
    try:
        with open(memory, encoding='utf-8') as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def main(lake, memory, *options):
    today = datetime.datetime.now(datetime.timezone.utc).date()
    since = (today - datetime.timedelta(DAYS)).isoformat()
    known = {key: day for key, day in read(memory).items() if day >= since}
    try:
        found = [finding for question in QUESTIONS for finding in ask(question, lake, options)]
    except subprocess.CalledProcessError:
        return 1  # it has said why
    fresh = [finding for finding in found if key_of(finding) not in known]
    for finding in fresh:
        print(json.dumps(finding, ensure_ascii=False))
    sys.stdout.flush()  # what cannot be told is not noted
    known.update((key_of(finding), today.isoformat()) for finding in found)
    with open(memory + '.new', 'w', encoding='utf-8') as file:
        json.dump(known, file, indent=1, sort_keys=True)
    os.replace(memory + '.new', memory)
    return 3 if fresh else 0


if __name__ == '__main__':
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
