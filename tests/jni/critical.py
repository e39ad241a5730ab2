"""The probes for ART: MethodBeat calls each, and a library for Android has each. Only ART can run them;
here a class says that this is Android 8, and the library lacks them, or has them and calls them wrongly.

usage: critical.py SHOW_RINGS RUNTIME_JAR LIBRARY ANDROID_LIBRARY
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY, ANDROID_LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = 'package android.os; public class Build { public static class VERSION { ' \
          'public static int SDK_INT = 26; } }'


def run(folder, library, what):
    done = judge.must(('java', '-cp', f'{RUNTIME}:{folder}', f'-Dmethodbeat.library={library}',
                       '-Dmethodbeat.flavour=native', 'Critical', what))
    return sorted(done.stdout.splitlines())


def main():
    source = judge.scratch('android', 'Build.java')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(VERSION)
    folder = judge.compile_java(judge.scratch('program'),
                                (source, os.path.join(HERE, 'Critical.java')), '-cp', RUNTIME)
    probes = run(folder, LIBRARY, 'probes')
    judge.check(probes == [f'methodbeat.CriticalProbes.{name}' for name in 'cio'], probes)
    there = run(folder, ANDROID_LIBRARY, 'methods')
    judge.check(there == [f'{name} is there' for name in 'cio'], there)
    print('3 probes')
    judge.finish()


main()
