#!/usr/bin/env python3
"""What one build of the command takes of another's time, such as the static one of samples/release.sh of the one that
uses this system's libraries: CPU of pairs of runs, whose order alternates, so that a busy machine slows both.

usage: paired.py METHODBEAT OTHER [ROUNDS]       OTHER's time in METHODBEAT's
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

JARS = {'guava': '/usr/share/java/guava.jar', 'kotlin': '/usr/share/java/kotlin-compiler.jar'}


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def instrument(program, jar):
    with tempfile.TemporaryDirectory() as folder:
        return cpu((program, 'instrument', '-q', '-o', os.path.join(folder, 'out'), jar))


def main():
    programs, rounds = sys.argv[1:3], int(sys.argv[3]) if len(sys.argv) > 3 else 9
    for name, jar in JARS.items():
        pairs = []
        for number in range(rounds + 1):
            order = programs if number % 2 else programs[::-1]
            took = {program: instrument(program, jar) for program in order}
            pairs += [[took[program] for program in programs]] * (number > 0)  # the first one warms up
        ours, others = (statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(other / own for own, other in pairs)
        print(f'{name:8} {ours:.3f} s, {others:.3f} s: {ratio:.2f}x of {rounds} pairs')


main()
