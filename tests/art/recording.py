"""Instrumented programs recorded in ART, by each flavour of probes, and what their traces must say."""
import json
import os

import judge
from art import Art

HERE = os.path.dirname(os.path.abspath(__file__))
FLAVOURS = 'mapped', 'native', 'critical'
# Rings that hold all records of these programs.
SETTINGS = {'throttle': 'off', 'words': f'{1 << 20}:{1 << 15}', 'max_threads': 255,
            'max_bytes': 1 << 28}
LOST = 'overwrittenRecords', 'missingRecords', 'endedBeforeStart'
DOUBTFUL = 'exitsWithoutEntry', 'entriesWithoutExit', 'inferredExits'  # what exceptions leave, but in the mode catch
# What an app has and this runtime has not: here it says that this is the Android that it is.
VERSION = ('package android.os; public class Build { public static String MANUFACTURER = "Acme", MODEL = "Anvil", CPU_ABI = "x86_64"; '
           'public static class VERSION { public static int SDK_INT = 30; } }')


def write(name, text):
    path = judge.scratch(name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def calls_of(row):
    """Calls by id, of a report or of one of its threads."""
    return {method['id']: method['calls'] for method in row['methods'] if method['calls'] > 0}


def read_counts(path):
    """Of each thread with probes: how many, and the entries by id, sorted."""
    threads = []
    for first, second in (line.split() for line in judge.read(path).splitlines()):
        if first == 'thread':
            threads.append((int(second), {}))
        else:
            threads[-1][1][int(first)] = int(second)
    return [thread for thread in threads if thread[0] > 0]


def sum_up(threads):
    calls = {}
    for thread in threads:
        for number, entries in thread.items():
            calls[number] = calls.get(number, 0) + entries
    return calls


def differences(found, expected):
    """Of the first ten ids: (found, expected)."""
    ids = [key for key in sorted(found.keys() | expected.keys()) if found.get(key) != expected.get(key)]
    return {key: (found.get(key), expected.get(key)) for key in ids[:10]}


class Recorder:
    """Runs programs with the recorder's classes and one of its libraries."""

    def __init__(self, runtime, library, android_library):
        self.art = Art()
        self.runtime = runtime
        self.libraries = {'mapped': library, 'native': library, 'critical': android_library}
        common = ('--release', '8', '-Xlint:-options')
        self.start = judge.compile_java(judge.scratch('start'), (os.path.join(HERE, 'java', 'Start.java'),), *common)
        flavour = judge.compile_java(judge.scratch('flavour'), (os.path.join(HERE, 'java', 'methodbeat'),), *common,
                                     '-cp', runtime)
        version = judge.compile_java(judge.scratch('version'), (write('Build.java', VERSION),), *common)
        self.starter = self.art.dex('start', self.start)
        self.classes = self.art.dex('runtime', runtime, flavour)
        self.version = self.art.dex('version', version)

    def run_plain(self, path, main, *arguments, options=(), **more):
        """A program without probes, or with those of a class that path brings."""
        return self.art.run('Start', main, *arguments, class_path=(*path, self.starter), options=options, **more)

    def record(self, what, path, mapping, main, *arguments, flavour, settings=None, options=(), code=0):
        """A recorded run, which must have the flavour and draw no word of ART's; and the report of its trace."""
        trace = judge.scratch('art.mbtrace')
        settings = {**SETTINGS, 'library': self.libraries[flavour], 'file': trace, 'mapping': mapping,
                    'flavour': 'native' if flavour == 'critical' else flavour, **(settings or {})}
        path = (*path, self.classes, self.starter, *((self.version,) if flavour == 'critical' else ()))
        done = self.art.run('Start', main, *arguments, class_path=path, options=options, settings={
            f'methodbeat.{name}': value for name, value in settings.items() if value is not None})
        judge.check(done.returncode == code, f'{what}: exit code {done.returncode} {done.stderr[-2000:]}')
        judge.check(not done.complaints, f'{what}: {done.complaints}')
        judge.check(f'flavour {flavour}\n' in done.stderr and 'methodbeat:' not in done.stderr,
                    f'{what}: {done.stderr[-2000:]}')
        if not judge.check(os.path.exists(trace), f'{what}: it leaves a trace'):
            return done, None
        report = json.loads(judge.must((judge.METHODBEAT, 'report', '--method-map', mapping, '--format=json', '--top',
                                        1 << 20, trace)).stdout)
        judge.must((judge.METHODBEAT, 'report', '--method-map', mapping, trace))
        os.unlink(trace)
        return done, report

    @staticmethod
    def check_report(what, report, expected, is_exact):
        """Nothing is lost, and the calls are those expected, by id."""
        kinds = (*LOST, *DOUBTFUL) if is_exact else LOST
        lost = {kind: sum(row[kind] for row in report['threads']) for kind in kinds}
        lost['refused'], lost['recycled'] = report['refusedRecords'], report['recycledRecords']
        judge.check(not any(lost.values()), f'{what}: {lost}')
        judge.check(report['closed'], f'{what}: the trace is not closed')
        found = calls_of(report)
        judge.check(found == expected, f'{what}: id (found, counted): {differences(found, expected)}')
        return sum(found.values())
