"""The probes for ART: MethodBeat calls each, and a library for Android has each. Only ART can run them; here a class
says that this is Android 8, where the default is to call them. A library that lacks them, or gets other arguments, as
on a JVM, leads to the others.

usage: critical.py SHOW_RINGS RUNTIME_JAR LIBRARY ANDROID_LIBRARY
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

SHOW_RINGS, RUNTIME, LIBRARY, ANDROID_LIBRARY = (os.path.abspath(path) for path in sys.argv[1:5])
HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = 'package android.os; public class Build { public static class VERSION { ' \
          'public static int SDK_INT = 26; } }'


# Of Java, in place of the library's.
STANDIN = '''package methodbeat;
final class CriticalProbes {
    static void i(int id) { System.out.println("i" + id); }
    static void o(int id) { System.out.println("o" + id); }
    static void c(int id) { System.out.println("c" + id); }
    static int next(int number) { return number + 1; }
}'''


def run(path, library, what):
    trace = judge.scratch('trace')
    done = judge.must(('java', '-cp', path, f'-Dmethodbeat.library={library}', f'-Dmethodbeat.file={trace}', 'Critical',
                       what))
    return sorted(done.stdout.splitlines()), trace


def judge_others(path, library):
    printed, trace = run(path, library, 'probes')
    judge.check(printed == ['returns'] * 3, printed)
    rings = judge.must((SHOW_RINGS, trace)).stdout
    judge.check('counter clock' in rings and ' 4 records' in rings, rings)


def main():
    sources = {'Build.java': VERSION, 'CriticalProbes.java': STANDIN}
    for name, text in sources.items():
        with open(judge.scratch('android', name), 'w', encoding='utf-8') as file:
            file.write(text)
    folder = judge.compile_java(judge.scratch('program'), (judge.scratch('android', 'Build.java'),
                                                           os.path.join(HERE, 'Critical.java')), '-cp', RUNTIME)
    standin = judge.compile_java(judge.scratch('standin'), (judge.scratch('android', 'CriticalProbes.java'),))
    judge_others(f'{RUNTIME}:{folder}', LIBRARY)
    judge_others(f'{RUNTIME}:{folder}', ANDROID_LIBRARY)
    probes, _ = run(f'{standin}:{RUNTIME}:{folder}', LIBRARY, 'probes')
    judge.check([line for line in probes if line[-1] == '1'] == ['c1', 'i1', 'o1'], probes)
    there, _ = run(f'{RUNTIME}:{folder}', ANDROID_LIBRARY, 'methods')
    judge.check(there == [f'{name} is there' for name in ('c', 'i', 'next', 'o')], there)
    print('4 methods')
    judge.finish()


main()
