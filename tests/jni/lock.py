"""No call of JNI is made while the recorder's lock is held: watched_onload.c looks at each of them.

usage: lock.py SHOW_RINGS RUNTIME_JAR LIBRARY     the library with the watch
"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
HERE = os.path.dirname(os.path.abspath(__file__))
ACTS = {'plain': (), 'restart': ('second',), 'confirm': ('third',), 'late': (), 'messages': (),
        'misused': (), '200000': ()}  # mids, in which a method is muted


def judge_list():
    """What the boundary calls is what is watched."""
    called = set()
    for source in glob.glob(os.path.join(judge.ROOT, 'src', 'jni', '*.[ch]')):
        called.update(re.findall(r'\(\*env\)->(\w+)', judge.read(source)))
    watched = re.findall(r'(?:RESULT\(\w+, |NOTHING\()(\w+), \(JNIEnv',
                         judge.read(os.path.join(HERE, 'watched_onload.c')))
    judge.check(called == set(watched), f'called, not watched: {sorted(called - set(watched))}, '
                f'watched, not called: {sorted(set(watched) - called)}')


def judge_act(program, flavour, act):
    settings = {'library': LIBRARY, 'flavour': flavour, 'threads': 'all'}
    done = judge.run(('java', '-cp', f'{RUNTIME}:{program}',
                      *(f'-Dmethodbeat.{name}={value}' for name, value in settings.items()),
                      'Program', act, *(judge.scratch(name) for name in ACTS[act])), timeout=120)
    found = re.search(r'watched (\d+) calls', done.stderr)
    judge.check(done.returncode == 0 and found and int(found[1]) > 10,
                f'{flavour} {act}: exit code {done.returncode}, {done.stderr[:500]}')
    print(f'{flavour} {act}: {found and found[1]} calls')


def main():
    program = judge.compile_java(judge.scratch('program'),
                                 (os.path.join(HERE, 'Program.java'),), '-cp', RUNTIME)
    judge_list()
    for flavour in ('mapped', 'native'):
        for act in ACTS:
            judge_act(program, flavour, act)
    judge.finish()


main()
