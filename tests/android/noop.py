"""methodbeat-noop.jar has the API of the runtime and of Android's part, no more and no less; a program that was
compiled with those runs with it, and nothing is recorded; R8 takes all calls of it out.

usage: noop.py METHODBEAT RUNTIME_JAR ANDROID_JAR NOOP_JAR
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'support'))
import judge  # noqa: E402

RUNTIME, ANDROID, NOOP = (os.path.abspath(path) for path in sys.argv[2:5])
SAID = 'nothing was recorded\n'
LISTENERS = ('MethodBeat$Listener', 'Monitors$Listener', 'Monitors$Issue')
OPEN = re.compile(r'(?:field|method) (?:public|protected)\b')
BRIDGE = re.compile(r'\b(?:mutes|record(?:(?:Timed)?(?:Entry|Exit)|Catch))\b')  # of MethodBeat, for the JVM's agent alone
SAME = re.compile(r'  (?:extends|implements|flags|Signature|Exceptions|ConstantValue) ')


def api(*jars):
    """What of its classes a program may name: lines of the class, then those of its members."""
    parts = re.split(r'^(?=class |interface |enum )', judge.must((judge.DUMP, '--brief', *jars)).stdout,
                     flags=re.M)
    classes = {part.split(maxsplit=2)[1]: part.strip().split('\n\n') for part in parts
               if re.search(r'\A.*(?:\n  .*)*\n  flags public\b', part)}
    lines = set()
    for name, (owner, *members) in classes.items():
        if name.split('$')[0] in classes:
            for member in [owner, *(member for member in members
                                      if OPEN.match(member) and not BRIDGE.search(member.splitlines()[0]))]:
                first, *more = member.splitlines()
                first = first.replace(' synchronized', '')  # how it does its work
                lines.update((name, first, line) for line in ['', *filter(SAME.match, more)])
    return lines


def judge_shrunk(program):
    """What stays are the types of the listeners, which no call takes."""
    jar, shrunk, rules = (judge.scratch(name) for name in ('program.jar', 'shrunk.jar', 'program.pro'))
    with open(rules, 'w', encoding='utf-8') as file:
        file.write('-dontobfuscate\n-keep class noop.Caller { public static void main(java.lang.String[]); }\n')
    judge.must(('jar', 'cfM', jar, '-C', program, '.'))
    judge.must(('java', *judge.BRIEF, '-cp', judge.corpus('bundletool'), 'com.android.tools.r8.R8', '--classfile', jar,
                NOOP, '--lib', judge.jdk(), '--pg-conf', rules, '--output', shrunk))
    names = set(judge.class_names(shrunk))
    judge.check(names <= {'noop/Caller.class', *(f'methodbeat/{name}.class' for name in LISTENERS)},
                f'after R8: {names}')
    ran = judge.run(('java', *judge.BRIEF, '-cp', shrunk, 'noop.Caller'))
    judge.check(ran.stdout == SAID, f'after R8: {ran.stdout} {ran.stderr}')


def main():
    real, noop = api(RUNTIME, ANDROID), api(NOOP)
    judge.check(len(real) > 50, f'{len(real)} lines are too few')
    for line in sorted(real - noop):
        judge.check(False, f'the no-op lacks {line}')
    for line in sorted(noop - real):
        judge.check(False, f'only the no-op has {line}')
    stubs = judge.compile_java(judge.scratch('stubs'), (os.path.join(judge.ROOT, 'src', 'jni', 'stubs'),),
                               '--release', '8', '-Xlint:-options')
    program = judge.compile_java(judge.scratch('program'), (os.path.join(HERE, 'java', 'noop'),), '-cp',
                                 ':'.join((RUNTIME, ANDROID, stubs)))
    work = judge.scratch_folder('work')
    ran = judge.run(('java', *judge.BRIEF, '-Dmethodbeat.file=a.mbtrace', '-cp', ':'.join((program, NOOP, stubs)),
                     'noop.Caller'), cwd=work)
    judge.check(ran.stdout == SAID and ran.stderr == '' and ran.returncode == 0,
                f'the program: {ran.stdout} {ran.stderr}')
    judge.check(os.listdir(work) == [], f'left behind: {os.listdir(work)}')
    judge_shrunk(program)
    print(f'{len(real)} lines of API')
    judge.finish()


main()
