#!/usr/bin/env python3
"""What MethodBeat.start with a file costs the thread that calls it: milliseconds, each time in a new JVM.

usage: start.py RUNTIME_JAR LIBRARY FOLDER... [-n RUNS]   FOLDER: where the trace goes, on tmpfs or a disk
"""
import argparse
import os
import statistics
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = ('first probe', 'start', 'start, over an older trace')


def once(classes, options, flavour, trace):
    """Milliseconds of the first probe and of start, in a new JVM."""
    done = subprocess.run(('java', f'-Dmethodbeat.library={options.library}', f'-Dmethodbeat.flavour={flavour}',
                           '-cp', f'{options.runtime}:{classes}', 'Start', trace),
                          stdout=subprocess.PIPE, text=True, check=True)
    probe, start = (int(word) / 1000 for word in done.stdout.split())
    return probe, start


def both(classes, options, flavour, folder):
    """Milliseconds of each step, in two JVMs with the same trace."""
    with tempfile.TemporaryDirectory(dir=folder) as traces:
        trace = os.path.join(traces, 'trace')
        probe, start = once(classes, options, flavour, trace)
        return dict(zip(STEPS, (probe, start, once(classes, options, flavour, trace)[1])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('runtime', type=os.path.abspath)
    parser.add_argument('library', type=os.path.abspath)
    parser.add_argument('folders', nargs='+')
    parser.add_argument('-n', dest='runs', type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run(('javac', '-d', classes, '-cp', options.runtime,
                        os.path.join(HERE, 'java', 'start', 'Start.java')), check=True)
        for folder in options.folders:
            for flavour in ('native', 'mapped'):
                runs = [both(classes, options, flavour, folder) for _ in range(options.runs)]
                for step in STEPS:
                    times = [run[step] for run in runs]
                    print(f'{folder} {flavour} {step}: median {statistics.median(times):.2f} ms, '
                          f'max {max(times):.2f}', flush=True)


main()
