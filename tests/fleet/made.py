"""Fleets of rows, as `methodbeat fleet rows` writes them: causes by Zipf, two releases, and what is planted.

usage: made.py FOLDER ISSUES [SEED]      for trials by hand
"""
import collections
import itertools
import json
import math
import pathlib
import random
import sys

MODELS = [(f'm{i}', ('LOW', 'MIDDLE', 'HIGH')[i % 3], 28 + i % 6) for i in range(12)]
RELEASES = ('5.1', '5.2')
START_MS = 1790000000000  # a day of September 2026
DAYS = 14
DATE = 20261001


def device(number):
    model, level, os_level = MODELS[number % len(MODELS)]
    return {'device': f'd{number}', 'model': model, 'device_class': level, 'os': 'Android', 'os_level': os_level}


def who(number, release, session, when):
    return {'app': 'com.acme', 'app_release': release, 'app_version': release + '.3', **device(number),
            'session': f's{session}', 'ts': when, 'weight': 1.0}


class Fleet:
    """rows by table; `planted` causes come twice as often in the newer release."""

    def __init__(self, issues, seed=1, causes=200, devices=None, planted=()):
        self.random = random.Random(seed)
        self.devices = devices or max(issues // 10, 60)
        self.planted = set(planted)
        self.weights = list(itertools.accumulate(1 / (1 + i) for i in range(causes)))
        self.causes = causes
        self.issues = issues

    def release_of(self, number):
        return RELEASES[number % 7 % 2]

    def sessions(self):
        for number in range(self.devices):
            for day in range(number % 2, DAYS, 2):
                yield from self.session(number, {**who(number, self.release_of(number), number, START_MS), 'date': DATE + day})

    def session(self, number, owner):
        """Every third as an earlier methodbeat made it, whose sums are rows of their own."""
        base = 400 * (1 + number % 3) * (1.3 if owner['app_release'] == '5.2' and number % 12 == 3 else 1)
        bucket = math.floor(math.log(self.random.lognormvariate(math.log(base), 0.3)) / math.log(1.02))
        sums = [{'kind': 'start', 'name': 'cold', 'bucket_list': [bucket], 'n_list': [1]},
                {'kind': 'frame', 'name': 'Main', 'bucket_list': [120, 140, 160], 'n_list': [40, 25, 10]}]
        is_old = number % 3 == 0
        yield {'t': 'sessions', **owner, 'lasted_ms': 60000.0, 'starts': 1, 'frames': 60, **({} if is_old else {'sum_list': sums})}
        for each in sums if is_old else ():
            yield {'t': 'sums', **owner, **each}

    def issue(self, number, cause, incident):
        owner = self.random.randrange(self.devices)
        return {'t': 'issues', **who(owner, self.release_of(owner), owner, START_MS + number), 'incident': incident,
                'detail': ('ANR', 'LAG', 'HANG')[cause % 3], 'scene': 'Main', 'loop': 'main',
                'cost_ms': round(100 + self.random.random() * 900, 1), 'cause': (cause + 1) * 4611686018427 - 2 ** 50,
                'cause_name': f'com.acme.C{cause}.run()', 'foreground': 1,
                'frames': [f'com.acme.C{cause}.f{i}()' for i in range(6)]}

    def __iter__(self):
        yield from self.sessions()
        drawn = self.random.choices(range(self.causes), cum_weights=self.weights, k=self.issues)
        for number, cause in enumerate(drawn):
            row = self.issue(number, cause, f'i{number}')
            yield row
            if cause in self.planted and row['app_release'] == '5.2':
                yield {**row, 'incident': f'p{number}', 'ts': row['ts'] + 1}


def sums_of(rows):
    """Wherever they are, with the columns of their row."""
    for row in rows:
        yield from ({**row, **each} for each in row.get('sum_list', []))
        if row['t'] == 'sums':
            yield row


def two_days():
    """60 devices, of which those with 5.2 start slower and have more late frames. old_lake.tar.xz is a lake of these
    rows by an earlier methodbeat, with a row for each bucket in the table `buckets`."""
    draw = random.Random(5)
    for number, day in itertools.product(range(60), range(2)):
        owner = {'app': 'com.acme', 'app_release': RELEASES[1 - number % 2], 'device': f'd{number}', 'session': f's{number}-{day}',
                 'device_class': 'LOW', 'model': f'm{number // 2 % 2}', 'ts': START_MS}
        if number < 4 and day:
            yield {'t': 'issues', **owner, 'incident': f'i{number}', 'detail': 'LAG', 'cost_ms': 900.5, 'cause': 7}
        owner['date'], more = DATE + day, 12 - number % 2 * 12
        yield {'t': 'sessions', **owner, 'lasted_ms': 60000.0, 'starts': 1, 'frames': 60}
        starts = sorted({math.floor(300 + draw.gauss(0, 5)) + more for _ in range(2)})
        yield {'t': 'sums', **owner, 'kind': 'start', 'name': 'cold', 'bucket_list': starts, 'n_list': [1] * len(starts)}
        yield {'t': 'sums', **owner, 'kind': 'frame', 'name': 'Main', 'bucket_list': [120, 140 + more, 160 + more],
               'n_list': [40, 25, 10 + 3 * more]}


def requests(draw, count, share):
    """Of one kind, of which this share is slow."""
    slow = sum(draw.random() < share for _ in range(count))
    counts = collections.Counter(math.floor(draw.gauss(540, 15)) for _ in range(count - slow))
    counts.update(math.floor(draw.gauss(640, 20)) for _ in range(slow))
    return {'kind': 'request', 'name': 'com.acme.Orders.get()V', 'bucket_list': sorted(counts), 'n_list': [counts[i] for i in sorted(counts)]}


def profiles(count, seed=1, slower=()):
    """Profiles of 40 methods in one chain each, and their names; where a method is slower more requests are slow."""
    draw = random.Random(seed)
    for method in range(1, 41):
        yield {'t': 'methods', 'method': method, 'name': f'com.acme.M{method}.run()V'}
        yield {'t': 'paths', 'path': method * 1000, 'parent': 0, 'method': method, 'depth': 0}
    for number in range(count):
        release = RELEASES[number // 2 % 2]
        yield {'t': 'profiles', **who(number, release, number, START_MS), 'profile': f'p{number}', 'run_ms': 1000.0,
               'threads': 1, 'lost': 0, 'sum_list': [requests(draw, 300, 0.04 if slower and release == '5.2' else 0.005)]}
        for method in range(1, 41):
            factor = 1.5 if method in slower and release == '5.2' else 1
            own = int(draw.lognormvariate(math.log(1e6 * (1 + method % 5)), 0.3) * factor)
            yield {'t': 'nodes', 'profile': f'p{number}', 'path': method * 1000, 'method': method, 'calls': 3,
                   'own_ns': own, 'total_ns': own}


def write(path, rows):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with open(path, 'w', encoding='utf-8') as file:
        for count, row in enumerate(rows, 1):
            file.write(json.dumps(row, separators=(',', ':')) + '\n')
        file.write(f'{{"t":"end","rows":{count}}}\n')
    return path


def write_days(folder, rows):
    """Over DAYS days of receipt; what belongs to no day goes into the last."""
    days = {}
    for number, row in enumerate(rows):
        at = row['date'] - DATE if 'date' in row else number % DAYS if row['t'] == 'issues' else DAYS - 1
        days.setdefault(at, []).append(row)
    for at, part in days.items():
        write(pathlib.Path(folder) / f'day=2026-10-{at + 1:02}' / 'up.ndjson', part)


if __name__ == '__main__':
    write_days(sys.argv[1], Fleet(int(sys.argv[2]), int((sys.argv[3:] or ['1'])[0]), planted={5, 9}))
