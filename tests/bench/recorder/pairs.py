#!/usr/bin/env python3
"""What an i and o pair costs on the main thread and on another one, in a bare loop and in a program of calls: the
nanoseconds of a call with probes less those of the same call without, each in a new JVM, in turn.

usage: pairs.py RUNTIME_JAR LIBRARY [-n JVMS] [--set NAME=VALUE]... [JAVA_HOME...]
"""
import argparse
import itertools
import os
import shutil
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WHERE = ('loop, main', 'loop, other', 'tree, main', 'tree, other')
ROUNDS = 3  # in one JVM


def must(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def compile_both(options, folder):
    """Of the same program: with the recorder's classes and with empty ones."""
    javac = os.path.join(options.homes[0], 'bin', 'javac')
    old = ('--release', '8', '-Xlint:-options')
    none = os.path.join(folder, 'none')
    must(javac, *old, '-d', none, os.path.join(HERE, 'java/none/methodbeat/MethodBeat.java'))
    must(javac, *old, '-cp', none, '-d', folder, os.path.join(HERE, 'java/pairs/Pairs.java'))
    settings = ('throttle=off', 'words=0:1000000', f'file={folder}/trace', f'library={options.library}',
                *options.set)
    return {'none': (f'-Xbootclasspath/a:{none}',),
            'probes': (f'-Xbootclasspath/a:{options.runtime}', *(f'-Dmethodbeat.{text}' for text in settings))}


def run(home, folder, more):
    """Nanoseconds of a call at each place, the least of the rounds."""
    text = must(os.path.join(home, 'bin', 'java'), *more, '-cp', folder, 'Pairs', str(ROUNDS))
    return [min(column) for column in zip(*(map(float, line.split()) for line in text.splitlines()))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('runtime', type=os.path.abspath)
    parser.add_argument('library', type=os.path.abspath)
    parser.add_argument('-n', dest='jvms', type=int, default=5)
    parser.add_argument('--set', action='append', default=[])
    usual = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which('javac'))))
    parser.add_argument('homes', nargs='*', default=[usual])
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        ways = compile_both(options, folder)
        found = {key: [] for key in itertools.product(options.homes, ways)}
        for _ in range(options.jvms):
            for home, way in found:
                found[home, way].append(run(home, folder, ways[way]))
    for home in options.homes:
        print(f'{home}, {options.jvms} JVMs in turn: ns of a pair')
        for where, bare, probed in zip(WHERE, zip(*found[home, 'none']), zip(*found[home, 'probes'])):
            costs = [b - a for a, b in zip(bare, probed)]
            print(f'  {where:12} minimum {min(probed) - min(bare):5.1f}, median {statistics.median(costs):5.1f} '
                  f'(a call without: {min(bare):.1f})', flush=True)


main()
