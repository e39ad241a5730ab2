#!/usr/bin/env python3
"""What a program that ends at once pays: one that prints a line, plain, with the agent, and under methodbeat run with
its report, in turn.

usage: hello.py METHODBEAT AGENT [ROUNDS]

Milliseconds on the wall and of a processor; what comes on top is taken inside each round, and its median printed.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

METHODBEAT, AGENT = (os.path.abspath(path) for path in sys.argv[1:3])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 31
SOURCE = 'public class Hello { public static void main(String[] words) { System.out.println("hello"); } }\n'
PLAIN = ('java', '-cp', '.', 'Hello')
WAYS = {'plain': PLAIN,
        'agent': ('java', f'-agentpath:{AGENT}=file=hello.mbtrace', *PLAIN[1:]),
        'run': (METHODBEAT, 'run', '--agent', AGENT, 'file=hello.mbtrace', '--', *PLAIN)}


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(command, folder):
    """Wall and CPU, in ms; the trace is removed while no clock runs."""
    cpu, started = cpu_seconds(), time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    took = 1000 * (time.monotonic() - started), 1000 * (cpu_seconds() - cpu)
    if done.stdout != 'hello\n':
        raise SystemExit(f'{command}: {done}')
    if command != PLAIN:
        os.remove(os.path.join(folder, 'hello.mbtrace'))
    return took


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, 'Hello.java'), 'w', encoding='utf-8') as file:
            file.write(SOURCE)
        subprocess.run(('javac', 'Hello.java'), cwd=folder, check=True)
        rounds = [{way: measure(command, folder) for way, command in WAYS.items()} for _ in range(ROUNDS)]
    print('        wall    cpu  wall over plain  cpu over plain')
    for way in WAYS:
        here = [statistics.median(row[way][i] for row in rounds) for i in (0, 1)]
        more = [statistics.median(row[way][i] - row['plain'][i] for row in rounds) for i in (0, 1)]
        print(f'{way:6}{here[0]:6.1f} {here[1]:6.1f}  {more[0]:15.1f} {more[1]:15.1f}')


main()
