#!/usr/bin/env python3
"""What recording costs a whole program: javac, with probes in its own classes, compiles java.util.

usage: whole.py METHODBEAT RUNTIME_JAR LIBRARY [-n ROUNDS]

Every round visits all variants once, in turn; a ratio is taken inside each round, and medians are
printed. The wall time is that of the whole JVM. Needs the JDK's sources (openjdk-17-source).
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
FETCH = os.path.join(HERE, '..', '..', 'corpus', 'fetch.sh')


def run(*command):
    """Wall seconds of a command that must succeed."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f'exit code {done.returncode}: {command[:12]}\n{done.stderr[-2000:]}')
    return seconds, done.stdout


def java_home():
    return os.path.dirname(os.path.dirname(os.path.realpath(run('which', 'javac')[1].strip())))


def unpack_sources(folder):
    """java.util itself, without its packages, as sources of java.base."""
    found = []
    with zipfile.ZipFile(os.path.join(java_home(), 'lib', 'src.zip')) as sources:
        for name in sources.namelist():
            if name.startswith('java.base/java/util/') and name.count('/') == 3:
                found.append(sources.extract(name, folder))
    return sorted(path for path in found if path.endswith('.java'))


class Javac:
    def __init__(self, folder, arguments):
        self.folder = folder
        self.trace = os.path.join(folder, 'javac.mbtrace')
        self.sources = unpack_sources(os.path.join(folder, 'src'))
        self.original = run(FETCH, 'jdk.compiler')[1].strip()
        out = os.path.join(folder, 'probed')
        run(arguments.methodbeat, 'instrument', '--output', out, self.original)
        self.probed = os.path.join(out, os.path.basename(self.original))
        rival = os.path.join(folder, 'upstream')
        run('javac', '-d', rival, os.path.join(HERE, 'java/upstream/methodbeat/MethodBeat.java'))
        self.arguments = arguments
        ours = arguments.runtime
        self.variants = {
            'no probes': (self.original, None, {}),
            "upstream's design": (self.probed, rival, {}),
            'mapped': (self.probed, ours, {'flavour': 'mapped'}),
            'native coarse': (self.probed, ours, {'flavour': 'native', 'clock': 'coarse'}),
            'native counter': (self.probed, ours, {'flavour': 'native', 'clock': 'counter'}),
        }

    def seconds(self, name):
        classes, runtime, settings = self.variants[name]
        options = [f'-Xbootclasspath/a:{runtime}'] if runtime else []
        if settings:
            more = {'file': self.trace, 'library': self.arguments.library, **settings}
            options += [f'-Dmethodbeat.{key}={value}' for key, value in more.items()]
        return run('java', '-Xmx1g', '-Xshare:auto', *options, '--patch-module',
                   f'jdk.compiler={classes}', '--add-reads', 'jdk.compiler=ALL-UNNAMED', '-m',
                   'jdk.compiler/com.sun.tools.javac.Main', '-nowarn', '-XDignore.symbol.file',
                   '--patch-module', f'java.base={os.path.join(self.folder, "src", "java.base")}',
                   '-d', os.path.join(self.folder, 'classes'), *self.sources)[0]


def main():
    parser = argparse.ArgumentParser()
    for name in ('methodbeat', 'runtime', 'library'):
        parser.add_argument(name, type=os.path.abspath)
    parser.add_argument('-n', type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        javac = Javac(folder, arguments)
        times = {name: [] for name in javac.variants}
        for _ in range(arguments.n):
            for name in javac.variants:
                times[name].append(javac.seconds(name))
    report(times, len(javac.sources))


def median_ratio(some, others):
    return statistics.median(a / b for a, b in zip(some, others))


def report(times, count):
    print(f'javac compiles {count} files of java.util, {len(times["mapped"])} rounds')
    print(f'{"":24}{"seconds":>9}{"to none":>9}{"to upstream":>13}')
    for name, seconds in times.items():
        print(f'{name:24}{statistics.median(seconds):9.2f}'
              f'{median_ratio(seconds, times["no probes"]):9.3f}'
              f'{median_ratio(seconds, times["upstream" + chr(39) + "s design"]):13.3f}')


main()
