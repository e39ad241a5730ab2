#!/usr/bin/env python3
"""A made-up fleet: what the monitors on a number of devices write in two weeks, as an app would upload it. Half of the
devices get release 5.2 in the second week. On those of class LOW a cause of stalls then comes five times as often, and
cold starts take 1.3 times as long; nothing else changes.

usage: devices.py FOLDER [DEVICES [LAST_DAY [TIMES]]]      FOLDER/day=YYYY-MM-DD/upload-N.ndjson.gz; so many times the issues
"""
import datetime
import gzip
import json
import math
import os
import random
import sys

DAYS = 14
A_FILE = 500  # devices
MODELS = [('Acme', 'A1', 'LOW', 28), ('Acme', 'A3', 'LOW', 30), ('Acme', 'A5 Pro', 'MIDDLE', 31),
          ('Borg', 'B 200', 'LOW', 29), ('Borg', 'B 400', 'MIDDLE', 33), ('Borg', 'B 900', 'HIGH', 34),
          ('Cone', 'One', 'HIGH', 33), ('Cone', 'One Max', 'BEST', 34)]
SCENES = ['com.acme.shop.Start', 'com.acme.shop.Search', 'com.acme.shop.Cart', 'com.acme.shop.Pay']
CLASSES = ['Basket', 'Prices', 'Images', 'Search', 'Login', 'Sync', 'Store', 'Feed', 'Json', 'Cache']
METHODS = ['load', 'save', 'parse', 'sort', 'merge', 'decode', 'query', 'open', 'wait', 'flush']
OUTER = ['com.acme.shop.Main$1.run(Main.java:88)', 'android.os.Handler.handleCallback(Handler.java:942)',
         'android.os.Handler.dispatchMessage(Handler.java:99)', 'android.os.Looper.loop(Looper.java:288)']
DETAILS = [('NORMAL', 900, 70), ('LAG', 2600, 22), ('ANR', 6100, 8)]
RISING = ['com.acme.shop.Images.decode(Images.java:204)', 'com.acme.shop.Feed.load(Feed.java:31)']


def bucket_of(ms):
    return max(0, int(math.log(max(ms, 1)) / math.log(1.02)))


def buckets_of(values):
    counts = {}
    for value in values:
        counts[bucket_of(value)] = counts.get(bucket_of(value), 0) + 1
    return [[bucket, counts[bucket]] for bucket in sorted(counts)]


class Device:
    def __init__(self, number, rng):
        self.rng, self.name = rng, f'{rng.getrandbits(64):016x}'
        self.maker, self.model, self.kind, self.level = rng.choice(MODELS)
        self.updates = rng.random() < 0.5
        self.slow = {'LOW': 2.0, 'MIDDLE': 1.3, 'HIGH': 1.0, 'BEST': 0.8}[self.kind] * rng.lognormvariate(0, 0.15)
        self.number = number

    def app(self, release, session):
        return {'id': 'com.acme.shop', 'version': f'{release}.0', 'code': int(release.replace('.', '')) * 100,
                'channel': 'store', 'build': {'5.1': '7cc0123456789abc', '5.2': '33f0123456789abc'}[release],
                'device': self.name, 'model': self.model, 'maker': self.maker, 'os': 'Android',
                'os_level': str(self.level), 'abi': 'arm64-v8a', 'cores': 8, 'share': 10000, 'session': session}

    def issue(self, app, ms, number):
        rng = self.rng
        detail, cost = rng.choices([row[:2] for row in DETAILS], [row[2] for row in DETAILS])[0]
        cost *= rng.uniform(0.9, 1.5)
        a_class = CLASSES[min(int(rng.expovariate(0.5)), len(CLASSES) - 1)]
        method = METHODS[min(int(rng.expovariate(0.4)), len(METHODS) - 1)]
        frames = [f'com.acme.shop.{a_class}.{method}({a_class}.java:{rng.randrange(20, 40)})',
                  'com.acme.shop.Work.step(Work.java:17)', *OUTER]
        return self.told(app, ms, number, detail, cost, frames)

    def told(self, app, ms, number, detail, cost, frames):
        ns = int(cost * 1e6)
        return {'tag': 'Trace_EvilMethod', 'process': 'com.acme.shop', 'time': ms, 'machine': self.kind,
                'detail': detail, 'cost': int(cost), 'scene': self.rng.choice(SCENES),
                'methodbeat': {'schema': 1, 'incident': f'{app["session"]}-{number}', 'detail': detail, 'loop': 'main',
                               'begin_ns': number * 10 ** 9, 'cost_ns': ns, 'watched_ns': ns, 'cpu_ns': ns // 2,
                               'busy': detail == 'NORMAL', 'foreground': True, 'ended': 'normal',
                               'hottest': {'samples': 9, 'frames': frames, 'repeats': [8]}, 'app': app}}

    def day(self, day, start_ms, release, times):
        """What the device writes that day: issues, and one session."""
        rng = self.rng
        app = self.app(release, f'{start_ms + self.number:x}{self.number:06x}')
        rises = release == '5.2' and self.kind == 'LOW'
        rows = []
        for number in range(times * rng.choices(range(4), [70, 20, 7, 3])[0]):
            rows.append(self.issue(app, start_ms + number * 60000, number + 1))
        if rng.random() < (0.05 if rises else 0.01):
            rows.append(self.told(app, start_ms + 300000, 99, 'LAG', 2600, [*RISING, *OUTER]))
        starts = [450 * self.slow * (1.3 if rises else 1) * rng.lognormvariate(0, 0.25)
                  for _ in range(rng.randrange(1, 4))]
        late = [16.7 * self.slow * rng.lognormvariate(0, 0.3) for _ in range(60)]
        rows.append({'schema': 1, 'app': app, 'process': 'com.acme.shop', 'machine': self.kind,
                     'day': int(day.strftime('%Y%m%d')), 'from_ms': start_ms,
                     'until_ms': start_ms + rng.randrange(120000, 1800000),
                     'frames': [{'scene': rng.choice(SCENES), 'n': 60, 'late_ms': int(sum(late) - 60 * 16.7),
                                 'buckets': buckets_of(late)}],
                     'starts': [{'kind': 'cold', 'n': len(starts), 'buckets': buckets_of(starts)}],
                     'issues': [{'detail': 'LAG', 'seen': len(rows), 'written': len(rows), 'reported': len(rows)}]})
        return rows


def write_day(folder, devices, day, is_second_week, times):
    midnight = datetime.datetime.combine(day, datetime.time(), datetime.timezone.utc)
    folder = os.path.join(folder, f'day={day}')
    os.makedirs(folder, exist_ok=True)
    for first in range(0, len(devices), A_FILE):
        with gzip.open(os.path.join(folder, f'upload-{first // A_FILE}.ndjson.gz'), 'wt', compresslevel=1) as file:
            for device in devices[first:first + A_FILE]:
                if device.rng.random() < 0.4:
                    release = '5.2' if device.updates and is_second_week else '5.1'
                    start_ms = int(midnight.timestamp() * 1000) + device.rng.randrange(80000000)
                    for row in device.day(day, start_ms, release, times):
                        file.write(json.dumps(row) + '\n')


def main():
    folder, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    last = datetime.date.fromisoformat(sys.argv[3]) if len(sys.argv) > 3 else \
        datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(1)
    times = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    devices = [Device(number, random.Random(number)) for number in range(count)]
    for number in range(DAYS):
        write_day(folder, devices, last - datetime.timedelta(DAYS - 1 - number), number >= DAYS // 2, times)


if __name__ == '__main__':
    main()
