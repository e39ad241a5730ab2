"""A message that a printer hears allocates nothing, but for the texts that Android makes of it; and what it costs
beside them.

usage: printed.py METHODBEAT RUNTIME_JAR ANDROID_JAR LIBRARY
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402
from robolectric import facts_of  # noqa: E402

RUNTIME, ANDROID, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:5])
STUBS = os.path.join(judge.ROOT, 'src', 'jni', 'stubs', 'android', 'util')
LEAST = 9000000
SLACK = 65536  # bytes, of the clock and the like


def main():
    sources = [os.path.join(HERE, 'java', 'methodbeat', 'Printed.java'), os.path.join(STUBS, 'Printer.java')]
    classes = judge.compile_java(judge.scratch('printed'), sources, '-cp', f'{RUNTIME}:{ANDROID}')
    done = judge.must(('java', f'-Dmethodbeat.library={LIBRARY}', '-cp', f'{classes}:{RUNTIME}:{ANDROID}',
                       'methodbeat.Printed'))
    facts = facts_of(done.stdout.splitlines())
    judge.check(facts.get('started') == ['true'], f'the monitors run: {done.stderr}')
    judge.check(int(facts['messages'][0]) > LEAST and int(facts['allocated'][0]) < SLACK, f'{facts}')
    print(f"{facts['messages'][0]} messages: {facts['allocated'][0]} bytes, {float(facts['ns'][0]):.1f} ns each")
    judge.finish()


main()
