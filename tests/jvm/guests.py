"""The agent among classes that come and go: from a thousand loaders that are dropped, from eight threads at once,
hidden, replaced as a debugger does, spoilt by another agent; beside JaCoCo and OpenTelemetry.

usage: guests.py METHODBEAT AGENT
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'guests')
LOADERS, THREADS, MANY = 1000, 8, 200
ARGUMENTS = ('-cp', 'classes', 'Guests')
MEDDLER = '-javaagent:meddler.jar'
PRINTED = f'loaders: {3 * LOADERS}\nparallel: {THREADS * MANY * (MANY - 1) // 2}\nhidden: 9\nswapped: 100 200 100\nbroken\nunfit: 1\n'


def report(folder, trace):
    return json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', '--top=1000', trace), cwd=folder).stdout)


def prepare(folder):
    """The program, the same class with other code, classes that its loaders find apart, and the other agent."""
    judge.compile_java(os.path.join(folder, 'meddling'), (os.path.join(SOURCES, 'meddler'),))
    judge.compile_java(os.path.join(folder, 'classes'), (os.path.join(SOURCES, 'program'),), '-cp',
                       os.path.join(folder, 'meddling'))
    manifest = 'Premain-Class: Meddler\nCan-Redefine-Classes: true\nCan-Retransform-Classes: true\n'
    write(manifest, folder, 'manifest')
    judge.must(('jar', '--create', '--file', 'meddler.jar', '--manifest', 'manifest', '-C', 'meddling', '.'), cwd=folder)
    changed = judge.read(os.path.join(SOURCES, 'program', 'Swapped.java')).replace('? 1 :', '? 2 :')
    write(changed, folder, 'Swapped.java')
    judge.compile_java(os.path.join(folder, 'next'), (os.path.join(folder, 'Swapped.java'),))
    write(''.join(f'class Many{n} {{ public static int work(int n) {{ return n < 1 ? {n} : work(n - 1); }} }}\n'
                  for n in range(MANY)), folder, 'Many.java')
    judge.compile_java(os.path.join(folder, 'apart'), (os.path.join(SOURCES, 'apart'), os.path.join(folder, 'Many.java')))


def write(text, *path):
    with open(os.path.join(*path), 'w', encoding='utf-8') as file:
        file.write(text)


def run(folder, *options):
    """Its exit code, and what it printed, where nothing but the JVM's own warnings is on standard error."""
    done = judge.run(('java', *options, *ARGUMENTS), cwd=folder)
    judge.check('Exception' not in done.stderr and 'methodbeat' not in done.stderr, f'{options}: {done.stderr[:2000]}')
    return done.returncode, done.stdout


def judge_calls(found, what):
    """Each method is called as often as the program does, whatever becomes of its class, and has one name and one id."""
    wanted = {'Guest.work': LOADERS, 'Swapped.value': 300, 'Guests.swapped': 3, 'Unfit.value': 1, 'Guests.main': 1}
    wanted |= {f'Many{n}.work': 3 * THREADS for n in range(MANY)}
    rows = [(row['name'], row['calls']) for row in found['methods']]
    differing = {name: count for name, count in rows if count != wanted.get(name, count)}
    judge.check(not differing and wanted.keys() <= dict(rows).keys(),
                f'{what}: {differing}, and without {sorted(wanted.keys() - dict(rows).keys())[:9]}')
    judge.check(len(dict(rows)) == len(rows) and '#' not in ''.join(dict(rows)), f'{what}: a name twice, or none')


def judge_ways(folder, plain):
    ours = f'-agentpath:{AGENT}=file=guests.mbtrace,throttle=off'
    # Guests, Swapped, Unfit and the other agent; and, where that comes later, Broken before it is spoilt.
    for options, damaged, more in (((MEDDLER, ours), 1, 4), ((ours, MEDDLER), 0, 5),
                                   ((MEDDLER, ours, '-XX:+UseZGC', '-Xverify:all'), 1, 4)):
        done = run(folder, *options)
        judge.check(done == plain, f'{options}: {done}')
        found = report(folder, 'guests.mbtrace')
        judge_calls(found, options)
        weaving = found['weaving']
        judge.check((weaving['damagedClasses'], weaving['classes']) == (damaged, LOADERS + MANY + more), f'{options}: {weaving}')


def judge_beside(folder, plain):
    """Other agents of many users, before and after ours."""
    others = (f'-javaagent:{judge.corpus("jacoco-agent")}=destfile=guests.exec,excludes=Swapped',), (
        f'-javaagent:{judge.corpus("opentelemetry")}', '-Dotel.traces.exporter=none', '-Dotel.metrics.exporter=none',
        '-Dotel.logs.exporter=none')
    ours = f'-agentpath:{AGENT}=file=guests.mbtrace,throttle=off'
    for other in others:
        for options in ((*other, ours), (ours, *other)):
            done = judge.run(('java', MEDDLER, *options, *ARGUMENTS), cwd=folder)
            judge.check((done.returncode, done.stdout) == plain, f'{options}: {done}')
            calls = {row['name']: row['calls'] for row in report(folder, 'guests.mbtrace')['methods']}
            judge.check(calls.get('Guest.work') == LOADERS and calls.get('Swapped.value') == 300, f'{options}: {len(calls)}')
            judge.check(not any('$jacocoInit' in name for name in calls), f'{options}: what coverage adds has probes')


def judge_unfit(folder):
    """A class that another agent makes unfit as it changes keeps no other from its probes, and the report counts it."""
    with subprocess.Popen(('java', MEDDLER, *ARGUMENTS, 'wait'), cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as child:
        while child.stdout.readline() not in ('ready\n', ''):
            pass
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', AGENT, '--for', '1', '--trace', 'unfit.mbtrace',
                          str(child.pid)), cwd=folder)
        _, errors = child.communicate('\n', timeout=60)
    judge.check(done.returncode == 0 and child.returncode == 5, f'unfit: {done} {child.returncode} {errors[:2000]}')
    found = report(folder, 'unfit.mbtrace')
    calls = {row['name']: row['calls'] for row in found['methods']}
    judge.check(found['weaving']['refusedClasses'] == 1 and calls.get('Swapped.value', 0) > 100,
                f'unfit: {found["weaving"]} {calls}')
    said = judge.must((judge.METHODBEAT, 'report', '--show=trust', 'unfit.mbtrace'), cwd=folder).stdout
    judge.check('1 refused by the JVM' in ' '.join(said.split()), f'unfit: {said}')


def main():
    folder = judge.scratch_folder('guests')
    prepare(folder)
    plain = run(folder, MEDDLER)
    judge.check(plain == (5, PRINTED), f'the program itself: {plain}')
    judge_ways(folder, plain)
    judge_unfit(folder)
    judge_beside(folder, plain)
    judge.finish()


main()
