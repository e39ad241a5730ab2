"""An app that may be debugged, in an ART without the plug-in that agents need, which Debian does not have: it records all the
same, and says that samples are those of late messages.

usage: attached.py METHODBEAT RUNTIME_JAR ANDROID_JAR ANDROID_LIBRARY
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
import sampled  # noqa: E402
from art import Art  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
PROGRAM = os.path.join(judge.TESTS, 'jni', 'attached')
SOURCES = [os.path.join(PROGRAM, 'methodbeat'), os.path.join(PROGRAM, 'android', 'app'), os.path.join(PROGRAM, 'android', 'content'),
           os.path.join(HERE, 'java', 'attached')]


def main():
    art = Art()
    program = judge.compile_java(judge.scratch('program'), SOURCES, '--release', '8', '-Xlint:-options', '-cp', f'{RUNTIME}:{ANDROID}')
    dex = art.dex('attached', program, RUNTIME, ANDROID)
    for debuggable, attaches in ('true', 2), ('false', 0):
        path = judge.scratch(f'{debuggable}.mbtrace')
        done = art.run('methodbeat.Attached', f'file={path}', 'sample=both', class_path=(dex,),
                       settings={'debuggable': debuggable, 'methodbeat.library': LIBRARY})
        judge.check(done.returncode == 0 and 'recorded true' in done.stdout and not done.complaints, f'{done} {done.complaints}')
        judge.check(done.stdout.count('attach true') == attaches, done.stdout)
        told = [line for line in done.stderr.splitlines() if line.startswith('methodbeat: ')]
        judge.check(len(told) == attaches and all('late messages only' in line for line in told), f'{told}')
        trace = sampled.Trace(path)
        judge.check(sampled.STACKS in trace.sections and not trace.samples, f'{trace.figures}')
    judge.finish()


main()
