#!/usr/bin/env python3
"""CPU time of H2 that runs an SQL script, beside the same without anything, while every method of it is timed: by JFR's
jdk.MethodTiming, by async-profiler's --trace, of which only calls of 10 ms or more are written (of all calls it makes gigabytes,
and no end of it was seen in four minutes), and by methodbeat run.

usage: timing.py METHODBEAT [ROUNDS]

Each round runs them in turn; a ratio is of one round, and the median of the rounds (default 3) is printed. MethodTiming
needs JDK 25 or later. What cannot be had is left out with its reason.
"""
import os
import resource
import statistics
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
os.environ.setdefault('MB_JDK', 'latest')
import judge  # noqa: E402

ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
TIMES = 12  # so that a program of some seconds is more than its start
TABLES = """
CREATE TABLE customer(id INT PRIMARY KEY, name VARCHAR(40), town VARCHAR(20));
CREATE TABLE sale(id INT PRIMARY KEY, customer INT, amount DECIMAL(10,2), sold DATE);
INSERT INTO customer SELECT x, 'name ' || x, 'town ' || MOD(x, 50) FROM SYSTEM_RANGE(1, 5000);
INSERT INTO sale SELECT x, MOD(x * 31, 5000) + 1, MOD(x, 997) / 10.0, DATEADD('DAY', MOD(x, 700), DATE '2024-01-01')
    FROM SYSTEM_RANGE(1, 60000);
CREATE INDEX sale_customer ON sale(customer);
"""
WORK = """
SELECT town, COUNT(*), SUM(amount) FROM customer JOIN sale ON sale.customer = customer.id GROUP BY town ORDER BY 3 DESC;
UPDATE sale SET amount = amount + 1 WHERE MOD(customer, 3) = 0;
SELECT c.name, (SELECT MAX(amount) FROM sale s WHERE s.customer = c.id) m FROM customer c ORDER BY m DESC, 1 LIMIT 20;
SELECT sold, COUNT(DISTINCT customer) FROM sale GROUP BY sold HAVING COUNT(*) > 10 ORDER BY sold;
SELECT COUNT(*) FROM sale a JOIN sale b ON a.customer = b.customer AND a.id < b.id WHERE a.amount < 20;
"""


def classes_of(jar):
    with zipfile.ZipFile(jar) as file:
        return [name.removesuffix('.class').replace('/', '.') for name in file.namelist()
                if name.endswith('.class') and not name.startswith('META-INF')]


def cpu_seconds(command):
    """Of it and what it started; 'reason' if it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    except subprocess.TimeoutExpired:
        return 'no end in 600 s'
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return (done.stderr.strip() or 'it failed').splitlines()[-1]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def async_profiler():
    path = judge.scratch('libasyncProfiler.so')
    with zipfile.ZipFile(judge.corpus('async-profiler')) as jar, open(path, 'wb') as out:
        out.write(jar.read(f"linux-{'arm64' if os.uname().machine == 'aarch64' else 'x64'}/libasyncProfiler.so"))
    return path


def variants(jar, script):
    """Name: a command, or why it cannot be had."""
    classes = classes_of(jar)
    work = ['-cp', jar, 'org.h2.tools.RunScript', '-url', 'jdbc:h2:mem:x', '-script', script]
    java = os.path.join(judge.jdk(), 'bin', 'java') if judge.jdk_version(judge.jdk()) else 'java'
    flight = f'-XX:StartFlightRecording:filename={judge.scratch("o.jfr")},method-timing={";".join(classes)}'
    traces = ','.join(f'trace={name}.*:10ms' for name in classes)
    yield 'plain', [java, *work]
    yield "JFR's MethodTiming", ([java, flight, *work] if judge.jdk_version(judge.jdk()) >= [25] else 'needs JDK 25')
    yield "async-profiler's --trace", [java, f'-agentpath:{async_profiler()}=start,{traces},file={judge.scratch("a.jfr")}', *work]
    yield 'methodbeat run', [judge.METHODBEAT, 'run', '--trace', judge.scratch('o.mbtrace'), java, *work]


def main():
    jar, script = judge.corpus('h2'), judge.scratch('script.sql')
    with open(script, 'w', encoding='utf-8') as file:
        file.write(TABLES + WORK * TIMES)
    commands, seconds = dict(variants(jar, script)), {}
    for number in range(ROUNDS):
        for name, command in commands.items():
            took = cpu_seconds(command) if isinstance(command, list) else command
            seconds.setdefault(name, []).append(took)
            print(f'round {number + 1}: {name}: {took if isinstance(took, str) else f"{took:.2f} s"}', flush=True)
    print(f'{len(classes_of(jar))} classes, {ROUNDS} rounds; CPU seconds, and of plain:')
    for name, row in seconds.items():
        if any(isinstance(took, str) for took in row):
            print(f'{name:26} skipped: {next(took for took in row if isinstance(took, str))}')
        else:
            ratio = statistics.median(took / plain for took, plain in zip(row, seconds['plain']))
            print(f'{name:26} {statistics.median(row):6.2f} {ratio:6.2f}')


main()
