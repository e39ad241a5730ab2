#!/usr/bin/env python3
"""Pairs of releases of made-up fleets, in which nothing changes, or one thing that is planted: false alarms, and whether
it is found and first. Beside each: updates go to fast devices first, a surge, growth, weekdays, another app, a device in
a crash loop, uploads twice, clocks that are wrong.

--power N: of N fleets each, how many times each finding is found, by devices and factor; all six are planted at once.

usage: trials.py [--pairs 200] [--planted 100] [--power 0] [--devices 900] [--seed 1] METHODBEAT DUCKDB
"""
import argparse
import collections
import itertools
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

from made import requests, write

CLASSES = ('LOW', 'MIDDLE', 'HIGH')
SLOW = {'LOW': 2.0, 'MIDDLE': 1.3, 'HIGH': 1.0}
DAYS, CAUSES, METHODS = 8, 150, 60
START_MS = 1790000000000
QUESTIONS = ('new', 'rising', 'falling', 'regressed', 'slower', 'later', 'slow')
LOG_2_PERCENT, RARE = math.log(1.02), 0.02
SIZES, FACTORS = (300, 1000, 3000), (1.2, 1.5, 2.0)
WEIGHTS = [1 / (1 + i) for i in range(CAUSES)]


class Fleet:
    """planted: question -> (factor, class or None); of `new`, the factor of RARE issues a session"""

    def __init__(self, seed, devices, planted=None):
        self.draw, self.seed, self.planted = random.Random(seed), seed, planted or {}
        self.fallen = 1 if 'rising' in self.planted else 0
        self.devices = [self.device(number) for number in range(devices)]

    def device(self, number):
        level = self.draw.choices(CLASSES, (5, 3, 2))[0]
        return {'number': number, 'class': level, 'since': self.draw.choice((0, 0, 0, 2, 4)),
                'speed': SLOW[level] * self.draw.lognormvariate(0, 0.2), 'trouble': self.draw.lognormvariate(0, 0.5),
                'updates': 1 + int(self.draw.expovariate({'LOW': 0.12, 'MIDDLE': 0.3, 'HIGH': 0.6}[level]))}

    def factor(self, question, release, level, none=1):
        factor, wanted = self.planted.get(question, (none, None))
        return factor if release == '5.10.0' and wanted in (None, level) else none

    def who(self, device, release, day, session):
        skew = 40 * 86400000 if device['number'] % 97 == 5 else 0
        return {'app': 'com.a' if device['number'] % 5 else 'com.b', 'app_release': release,
                'app_version': release, 'device': f"d{device['number']}", 'session': session,
                'device_class': device['class'], 'model': f"m{device['number'] % 7}", 'ts': START_MS + day * 86400000 - skew}

    def count(self, rate):
        count, left = 0, self.draw.expovariate(1)
        while left < rate:
            count, left = count + 1, left + self.draw.expovariate(1)
        return count

    def issues(self, who, device, busy):
        release = who['app_release']
        told = device['trouble'] * device['speed'] * busy * 0.5
        causes = self.draw.choices(range(CAUSES), WEIGHTS, k=self.count(told))
        rises, falls = (self.factor(question, release, device['class']) for question in ('rising', 'falling'))
        kept = [cause for cause in causes if cause != self.fallen or falls == 1 or self.draw.random() < 1 / falls]
        if rises > 1:
            kept += [0] * self.count(told * WEIGHTS[0] / sum(WEIGHTS) * (rises - 1))
        fresh = self.factor('new', release, device['class'], 0)
        if fresh > 0:
            kept += [CAUSES] * self.count(RARE * fresh)
        for number, cause in enumerate(kept):
            yield {'t': 'issues', **who, 'incident': f"{who['session']}-{number}", 'detail': 'LAG', 'cost_ms': 900.5,
                   'cause': cause * 7919 + 1, 'cause_name': f'com.acme.C{cause}.run', 'frames': [f'com.acme.C{cause}.run']}

    def sums(self, kind, name, median, count):
        counts, middle, gauss = {}, math.log(median) / LOG_2_PERCENT, self.draw.gauss
        for _ in range(count):
            bucket = math.floor(gauss(middle, 15))
            counts[bucket] = counts.get(bucket, 0) + 1
        return {'kind': kind, 'name': name, 'bucket_list': list(counts), 'n_list': list(counts.values())}

    def session(self, device, release, day, part, busy):
        who = self.who(device, release, day, f"{device['number']}-{day}-{part}")
        yield from self.issues(who, device, busy)
        start = 400 * device['speed'] * self.factor('slower', release, device['class'])
        frame = 12 * device['speed'] ** 0.5 * self.factor('later', release, device['class'])
        sums = [self.sums('start', 'cold', start, 2), self.sums('frame', 'Main', frame, 12),
                self.sums('frame', 'Cart', 12 * device['speed'] ** 0.5, 12)]
        yield {'t': 'sessions', **who, 'date': 20261001 + day, 'lasted_ms': 60000.0, 'starts': 2, 'frames': 30, 'sum_list': sums}
        if part == 0 and self.draw.random() < 0.25:
            yield from self.profile(who, device)

    def profile(self, who, device):
        name, length = f"p{who['session']}", self.draw.lognormvariate(0, 0.5)
        yield {'t': 'profiles', **who, 'profile': name, 'run_ms': 1000.0, 'threads': 1, 'lost': 0, 'muted': 0,
               'sum_list': [requests(self.draw, 100, 0.02 * self.factor('slow', who['app_release'], device['class']) * device['speed'])]}
        for method in range(1, METHODS + 1):
            more = self.factor('regressed', who['app_release'], device['class']) if method == 9 else 1
            own = int(1e5 * (1 + method % 9) * length * device['speed'] * more * self.draw.lognormvariate(0, 0.5))
            yield {'t': 'nodes', 'profile': name, 'path': method * 1000, 'method': method, 'calls': 3, 'own_ns': own,
                   'total_ns': own}

    def day(self, day):
        busy = 2.5 if day == 5 else 1
        for device in self.devices:
            weekend = (day % 7 > 4) != (device['number'] % 3 == 0)
            if day < device['since'] or self.draw.random() > (0.35 if weekend else 0.7):
                continue
            release = '5.10.0' if day >= device['updates'] else '5.9.0'
            count = 120 if device['number'] == 11 else 1 + self.count(1.0)
            for part in range(count):
                yield from self.session(device, release, day, part, busy)

    def write(self, folder):
        for method in range(1, METHODS + 1):
            if method == 1:
                names = []
            names.append({'t': 'methods', 'method': method, 'name': f'com.acme.M{method}.run()V'})
            names.append({'t': 'paths', 'path': method * 1000, 'parent': 0, 'method': method, 'depth': 0})
        for day in range(DAYS):
            rows = list(self.day(day)) + names
            path = write(folder / f'day=2026-10-{day + 1:02}' / 'up.ndjson', rows)
            if day == 3:
                write(path.with_name('again.ndjson'), rows[:len(rows) // 2])


class Trial:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder

    def fleet(self, *words):
        return subprocess.run([self.arguments.methodbeat, 'fleet', *map(str, words), '--engine-command',
                               self.arguments.duckdb], capture_output=True, text=True, check=True).stdout

    def ask(self, fleet, questions=QUESTIONS):
        """question -> its rows"""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = pathlib.Path(name)
            fleet.write(folder / 'up')
            self.fleet('load', folder / 'up', '--into', folder / 'lake')
            return {question: json.loads(self.fleet('ask', question, '--old', '5.9.0', '--new', '5.10.0', '--format', 'json',
                                                    folder / 'lake'))['rows'] for question in questions}


NAMES = {'new': f'com.acme.C{CAUSES}.run', 'rising': 'com.acme.C0.run', 'falling': 'com.acme.C0.run', 'regressed': 'com.acme.M9.run()V', 'slower': 'cold', 'later': 'Main',
         'slow': 'com.acme.Orders.get()V'}


def name_of(row):
    return row.get('name') or row.get('start_kind') or row.get('scene') or row.get('request')


def judge_alike(trial, arguments):
    alarms = 0
    for pair in range(arguments.pairs):
        if pair % 20 == 0:
            print(f'{pair} pairs', flush=True)
        for question, rows in trial.ask(Fleet(arguments.seed + pair, arguments.devices)).items():
            alarms += len(rows)
            for row in rows:
                print(f'pair {pair}: {question}: {row}', flush=True)
    print(f'{alarms} alarms in {arguments.pairs} pairs', flush=True)
    return alarms


def judge_planted(trial, arguments):
    found, draw = 0, random.Random(arguments.seed)
    for number in range(arguments.planted):
        if number % 20 == 0:
            print(f'{number} planted, {found} found', flush=True)
        question = QUESTIONS[number % len(QUESTIONS)]
        planted = {question: (round(draw.uniform(1.2, 3), 2), draw.choice((None, None, 'LOW', 'MIDDLE')))}
        rows = trial.ask(Fleet(arguments.seed + 5000 + number, arguments.devices, planted), planted)[question]
        is_first = bool(rows) and name_of(rows[0]) == NAMES[question]
        found += is_first
        if not is_first:
            print(f'planted {planted}: NOT FOUND; {[name_of(row) for row in rows]}', flush=True)
    print(f'{found} of {arguments.planted} planted found and first', flush=True)
    return found


def print_power(found, count):
    """As a table in Markdown: found of count."""
    print(f'| of {count} | ' + ' | '.join(f'{size}: {factor}' for size in SIZES for factor in FACTORS) + ' |')
    for question in QUESTIONS:
        print(f'| `{question}` | ' + ' | '.join(str(found[question, size, factor]) for size in SIZES for factor in FACTORS) + ' |',
              flush=True)


def tell_power(trial, arguments):
    names, found = {**NAMES, 'falling': 'com.acme.C1.run'}, collections.Counter()
    for number in range(arguments.power):
        for place, (size, factor) in enumerate(itertools.product(SIZES, FACTORS)):
            planted = {question: (round(factor - 1, 2) if question == 'new' else factor, None) for question in QUESTIONS}
            answers = trial.ask(Fleet(arguments.seed + 10000 + 100 * number + place, size, planted))
            for question in QUESTIONS:
                found[question, size, factor] += any(name_of(row) == names[question] for row in answers[question])
        print_power(found, number + 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('methodbeat')
    parser.add_argument('duckdb')
    for name, value in (('pairs', 200), ('planted', 100), ('power', 0), ('devices', 900), ('seed', 1)):
        parser.add_argument(f'--{name}', type=int, default=value)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        trial = Trial(arguments, name)
        alarms = judge_alike(trial, arguments) if arguments.pairs else 0
        found = judge_planted(trial, arguments) if arguments.planted else 0
        if arguments.power:
            tell_power(trial, arguments)
    return alarms > arguments.pairs / 100 or found < arguments.planted * 0.95


if __name__ == '__main__':
    sys.exit(main())
