"""The agent: a program that nobody touched runs as before, and its trace tells what was called, by name, without a map.

usage: agent.py METHODBEAT AGENT RUNTIME_JAR
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT, RUNTIME = (os.path.abspath(path) for path in sys.argv[2:4])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'agent')
RUNS = judge.METHODBEAT, 'run', '--agent', AGENT

# Calls that the program makes, whatever the JVM.
CALLS = {
    'app.Main.main': 1, 'app.Main.fib': None, 'app.Main.throwing': 300, 'app.Main.catching': 1, 'app.Main.lambdas': 1,
    'app.Main.reflected': 100, 'app.Main.reflection': 1, 'app.Main.loaders': 1, 'app.Main.threads': 1, 'app.Unit.call': 232,
}


def report(trace, *options):
    return json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', *options, trace)).stdout)


def calls_of(trace):
    return {row['name']: row['calls'] for row in report(trace)['methods']}


def judge_calls(trace, what):
    calls = calls_of(trace)
    for name, count in CALLS.items():
        judge.check(name in calls and count in (None, calls[name]), f'{what}: {name} has {calls.get(name)} calls, not {count}')
    judge.check(not any('#' in name for name in calls), f'{what}: a method has no name: {sorted(calls)[:20]}')
    return calls


def judge_ways(folder, plain):
    """By option, in a module, verified, shared archives off, with other collectors."""
    jar = os.path.join(folder, 'app.jar')
    for number, options in enumerate((
            ('-cp', 'classes', 'app.Main'), ('-Xverify:all', '-cp', 'classes', 'app.Main'), ('-jar', jar),
            ('-p', jar, '-m', 'app/app.Main'), ('-XX:+UseZGC', '-jar', jar), ('-Xint', '-jar', jar))):
        trace = os.path.join(folder, f'way-{number}.mbtrace')
        done = judge.run(('java', f'-agentpath:{AGENT}=file={trace},throttle=off', *options), cwd=folder)
        judge.check((done.returncode, done.stdout) == plain, f'{options}: {done.returncode} {done.stdout} {done.stderr[:300]}')
        judge_calls(trace, options)
    return jar


def judge_size(folder, whole):
    """What run leaves has no room to spare; a part of a trace, and a map of another program, are named as what they are."""
    done = judge.run((*RUNS, '--trace', 'cut.mbtrace', 'throttle=off', 'java', '-jar', 'app.jar'), cwd=folder)
    size = os.path.getsize(os.path.join(folder, 'cut.mbtrace'))
    judge.check(size < os.path.getsize(whole) / 20, f'{size} bytes: {done.stderr}')
    judge_calls(os.path.join(folder, 'cut.mbtrace'), 'cut')
    part, other = os.path.join(folder, 'part.mbtrace'), os.path.join(folder, 'other.txt')
    with open(whole, 'rb') as file, open(part, 'wb') as out:
        out.write(file.read(6000000))
    done = judge.run((judge.METHODBEAT, 'report', part))
    judge.check(done.returncode == 1 and f'cut off: it says {os.path.getsize(whole)} bytes, has 6000000' in done.stderr, f'part: {done}')
    with open(other, 'w', encoding='utf-8') as file:
        file.write('1,1,other.Main run ()V\n')
    done = judge.run((judge.METHODBEAT, 'report', '--method-map', other, whole))
    judge.check(done.returncode == 1 and 'names of its own' in done.stderr, f'a foreign map: {done}')


def judge_archive(folder, plain):
    """Classes that the JVM has in an archive of the program's own get probes too."""
    judge.run(('java', '-XX:ArchiveClassesAtExit=app.jsa', '-jar', 'app.jar'), cwd=folder)
    words = '-XX:SharedArchiveFile=app.jsa', '-jar', 'app.jar'
    done = judge.run(('java', '-Xlog:class+load', *words), cwd=folder)
    judge.check('app.Main source: shared objects file (top)' in done.stdout, f'no archive: {done.stdout[-500:]}')
    trace = os.path.join(folder, 'archive.mbtrace')
    done = judge.run(('java', f'-agentpath:{AGENT}=file={trace},throttle=off', *words), cwd=folder)
    judge.check((done.returncode, done.stdout, done.stderr) == (*plain, ''), f'archive: {done}')
    judge_calls(trace, 'archive')


def judge_same_as_instrument(folder, trace):
    """The methods that instrument puts probes into are those that the agent does."""
    judge.instrument('--output', 'out', 'classes', cwd=folder)
    with open(os.path.join(folder, 'out', 'methodMapping.txt'), encoding='utf-8') as file:
        lines = {line.strip().split(',', 2)[2] for line in file if line.strip() and not line.startswith('#')}
    names = {line.rpartition(' ')[0].replace(' ', '.') for line in lines if not line.startswith('android.os.Handler')}
    called = {name.partition('(')[0] for name in calls_of(trace)}
    judge.check(called <= names, f'only the agent: {sorted(called - names)}')


def judge_base_map(folder, trace):
    """Methods keep the ids of the map, and the trace tells their names all the same."""
    base = os.path.join(folder, 'out', 'methodMapping.txt')
    after = os.path.join(folder, 'based.mbtrace')
    judge.run(('java', f'-agentpath:{AGENT}=file={after},throttle=off,base-method-map={base}', '-cp', 'classes', 'app.Main'),
              cwd=folder)
    wanted = {int(line.split(',')[0]) for line in judge.read(base).splitlines() if 'app.Main fib ' in line}
    found = {row['id'] for row in report(after)['methods'] if row['name'] == 'app.Main.fib'}
    judge.check(found == wanted and len(wanted) == 1, f'base map: {found}, not {wanted}')
    judge.check(calls_of(after).keys() == calls_of(trace).keys(), f'base map: {sorted(calls_of(after))}')


def judge_refusals(folder, plain):
    """Whatever is wrong costs a line, and the program runs as plain."""
    with open(os.path.join(folder, 'bad.txt'), 'w', encoding='utf-8') as file:
        file.write('-keepnothing a/B\n')
    for options, words in (('nonsense', 'nonsense'), ('blacklist=none.txt', 'none.txt'), ('blacklist=bad.txt', 'bad.txt'),
                           ('base-method-map=none.txt', 'none.txt'), ('file=/none/x.mbtrace', '/none/x.mbtrace'),
                           ('throttle=sometimes', 'throttle')):
        done = judge.run(('java', f'-agentpath:{AGENT}={options}', '-cp', 'classes', 'app.Main'), cwd=folder)
        judge.check((done.returncode, done.stdout) == plain, f'{options}: {done.returncode} {done.stdout}')
        judge.check(words in done.stderr and 1 <= done.stderr.count('methodbeat: ') <= 2, f'{options}: {done.stderr}')


def judge_run(folder, plain):
    done = judge.run((*RUNS, 'java', '-cp', 'classes', 'app.Main'), cwd=folder)
    judge.check((done.returncode, done.stdout) == plain, f'run: {done.returncode} {done.stdout}')
    judge.check('app.Main.' in done.stderr, f'run reports: {done.stderr}')
    done = judge.run((*RUNS, '--focus', 'app/Unit', 'file=focus.mbtrace', 'throttle=off', 'java', '-cp', 'classes', 'app.Main'),
                     cwd=folder)
    judge.check((done.returncode, done.stdout) == plain, f'focus: {done.returncode} {done.stdout}')
    judge.check(calls_of(os.path.join(folder, 'focus.mbtrace')) == {'app.Unit.call': CALLS['app.Unit.call']}, 'focus')
    with open(os.path.join(folder, 'list.txt'), 'w', encoding='utf-8') as file:
        file.write('-keepclass app/Main\n')
    done = judge.run((*RUNS, '--blacklist', 'list.txt', 'file=listed.mbtrace', 'throttle=off', 'sh', '-c',
                      f'cd / && exec java -cp {folder}/classes app.Main'), cwd=folder)
    called = calls_of(os.path.join(folder, 'listed.mbtrace')).keys()
    judge.check((done.returncode, done.stdout) == plain and 'app.Unit.call' in called and
                not any(name.startswith('app.Main.') for name in called), f'a blacklist from elsewhere: {called} {done.stderr}')


WOVEN = """import methodbeat.MethodBeat;
public class Woven {
    @Deprecated static Class<?> probes() { return MethodBeat.class; }
    static int wide(int n) { return n < 1 ? 0 : 1 + wide(n - 1); }
    public static void main(String[] words) throws Exception {
        System.out.println(MethodBeat.isRecording() + " " + probes().getName() + " methodbeat/MethodBeat " + wide(40));
        app.Main.main(words);
    }
}
"""
SAID = 'true methodbeat.MethodBeat methodbeat/MethodBeat 40\n'


LEFT = """public class Left {
    public static void main(String[] words) {
        for (int i = 0; i < 100; i++) {
            try {
                Seen.fail(i);
            } catch (IllegalStateException e) {
                Seen.after(i);
            }
        }
    }
}
class Seen {
    static void fail(int i) { throw new IllegalStateException("call " + i); }
    static String after(int i) { return Integer.toHexString(i) + Integer.toString(i); }
}
"""


def judge_left_out(folder):
    """What a class without probes catches has left the method that threw it."""
    with open(os.path.join(folder, 'Left.java'), 'w', encoding='utf-8') as file:
        file.write(LEFT)
    judge.compile_java(os.path.join(folder, 'left'), (os.path.join(folder, 'Left.java'),))
    with open(os.path.join(folder, 'left.txt'), 'w', encoding='utf-8') as file:
        file.write('-keepclass Left\n')
    for option in (('--focus', 'Seen'), ('--blacklist', 'left.txt')):
        done = judge.run((*RUNS, *option, 'file=left.mbtrace', 'throttle=off', 'java', '-cp', 'left', 'Left'), cwd=folder)
        said = report(os.path.join(folder, 'left.mbtrace'))
        calls = {row['name']: row['calls'] for row in said['methods']}
        inferred = [thread['inferredExits'] for thread in said['threads']]
        judge.check(done.returncode == 0 and calls == {'Seen.fail': 100, 'Seen.after': 100} and inferred == [0],
                    f'{option}: {calls}, {inferred} inferred, {done.stderr}')


def make_parts(folder):
    """Each class of the program as a part of its own, that more than one instrument can do."""
    for name in ('Main', 'Unit'):
        part = os.path.join(folder, f'part-{name}', 'app')
        os.makedirs(part)
        for file in os.listdir(os.path.join(folder, 'classes', 'app')):
            if file.startswith(name) and file[len(name)] in '.$':
                shutil.copy(os.path.join(folder, 'classes', 'app', file), part)
    with open(os.path.join(folder, 'Woven.java'), 'w', encoding='utf-8') as file:
        file.write(WOVEN)
    judge.compile_java(os.path.join(folder, 'part-Woven'), (os.path.join(folder, 'Woven.java'),), '-cp',
                       f'{folder}/classes:{RUNTIME}')


def judge_woven(folder, plain):
    """Classes with probes by instrument keep their ids, however large, and are told by name without a map; what else they
    name of our class stays. Where parts were instrumented apart, no method has another's name."""
    make_parts(folder)
    for name in ('Main', 'Unit'):
        judge.instrument('--output', 'woven', f'part-{name}', cwd=folder)
    for first in (1, 100, 30_000, 100_000):
        with open(os.path.join(folder, 'base.txt'), 'w', encoding='utf-8') as file:
            file.write(f'{first},8,Woven wide (I)I\n{first + 4},9,Woven main ([Ljava.lang.String;)V\n')
        judge.instrument('--output', 'woven', '--base-method-map', 'base.txt', 'part-Woven', cwd=folder)
        done = judge.run((*RUNS, 'file=woven.mbtrace', 'throttle=off', 'sh', '-c', 'java -Xverify:all -cp '
                          'woven/part-Woven:woven/part-Main:woven/part-Unit:classes Woven'), cwd=folder)
        judge.check((done.returncode, done.stdout) == (plain[0], SAID + plain[1]), f'woven from {first}: {done}')
        rows = report(os.path.join(folder, 'woven.mbtrace'))['methods']
        calls = {row['name']: row['calls'] for row in rows}
        wanted = {name: count for name, count in CALLS.items() if count is not None} | {'Woven.main': 1, 'Woven.wide': 41}
        judge.check({name: calls.get(name) for name in wanted} == wanted and '#' not in ''.join(calls),
                    f'woven from {first}: {calls}')
        ids = {row['name']: row['id'] for row in rows}
        judge.check(ids.get('Woven.main') == first + 4 and len(set(ids.values())) == len(ids), f'woven from {first}: {ids}')


def judge_limits(folder):
    """A method that would be too large with probes has none, and the report says so."""
    source = os.path.join(folder, 'Large.java')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('class Large { static int large(int i) {' + 'i++;' * 21842 + 'System.nanoTime(); return i; }\n'
                   'public static void main(String[] words) { System.out.println(large(1)); } }\n')
    judge.compile_java(os.path.join(folder, 'large'), (source,))
    trace = os.path.join(folder, 'large.mbtrace')
    done = judge.run(('java', f'-agentpath:{AGENT}=file={trace},throttle=off', '-cp', 'large', 'Large'), cwd=folder)
    judge.check((done.returncode, done.stdout, done.stderr) == (0, '21843\n', ''), f'large: {done}')
    weaving = report(trace)['weaving']
    judge.check((weaving['classes'], weaving['largeMethods'], weaving['callsInside']) == (1, 1, 0), f'large: {weaving}')
    judge.check(set(calls_of(trace)) == {'Large.main'}, f'large: {calls_of(trace)}')
    text = judge.must((judge.METHODBEAT, 'report', '--show=trust', trace)).stdout
    judge.check('1 method without probes' in ' '.join(text.split()), f'large: {text}')


def judge_huge(folder):
    """A method that HotSpot compiles without probes, up to 8,000 bytes, it compiles under the agent too."""
    source = os.path.join(folder, 'Huge.java')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('class Huge { static int z;\n' + ''.join(
            f'static int run{count}(int i) {{ z = Math.abs(i); {"i++;" * count} return i; }}\n' for count in range(2655, 2666)) +
            'public static void main(String[] words) { int i = 0;' +
            ''.join(f'i = run{count}(i);' for count in range(2655, 2666)) + 'System.out.println(i); } }\n')
    judge.compile_java(os.path.join(folder, 'huge'), (source,))
    trace = os.path.join(folder, 'huge.mbtrace')
    found = {}
    for options in (), (f'-agentpath:{AGENT}=file={trace},throttle=off',):
        done = judge.run(('java', *options, '-Xcomp', '-XX:+PrintCompilation', '-XX:CompileCommand=quiet',
                          '-XX:CompileCommand=compileonly,Huge::run*', '-cp', 'huge', 'Huge'), cwd=folder)
        found[options] = dict(re.findall(r'Huge::(run\d+) \((\d+) bytes\)', done.stdout))
    plain, woven = found.values()
    judge.check(5 < len(plain) < 11 and plain.keys() == woven.keys(), f'compiled: {plain}, with probes: {woven}')
    called = {name[5:] for name in calls_of(trace)} - {'main'}
    judge.check(called == {name for name in woven if woven[name] != plain[name]} | {f'run{n}' for n in range(2655, 2666)} - plain.keys()
                and report(trace)['weaving']['largeMethods'] == 11 - len(called) > 0, f'probes: {called} of {plain}')


def judge_processes(folder, plain):
    """Of several processes one table, the busiest first, and the report on that one; one ran no program."""
    busy = ' && '.join(f'java -cp classes {name}' for name in ('-version', 'app.Idle', 'app.Idle', 'app.Main'))
    done = judge.run((*RUNS, 'file=several-%p.mbtrace', 'sh', '-c', busy), cwd=folder, env={**os.environ, 'IDLE': 'quiet'})
    rows = re.findall(r'^ *(\d+) +([\d.]+) +([\d.]+) +(\d+)  (\S+) +(several-\d+\.mbtrace)$', done.stderr, re.M)
    judge.check((done.returncode, done.stdout) == plain and [row[4] for row in rows] == ['app.Main.main', 'app.Idle.main', 'app.Idle.main'],
                f'several processes: {done.returncode} {done.stderr}')
    judge.check([float(row[2]) for row in rows] == sorted((float(row[2]) for row in rows), reverse=True), f'busiest first: {rows}')
    judge.check(done.stderr.count('\nmethodbeat report ') == 1 and f'\nmethodbeat report {rows[0][5]}\n' in done.stderr,
                f'one report: {done.stderr}')
    for row in rows:
        calls = report(os.path.join(folder, row[5]))['methods']
        judge.check(f'-{row[0]}.' in row[5] and int(row[3]) == sum(method['calls'] for method in calls), f'{row}: {calls}')


def judge_time(folder):
    """The recording ends, its report comes, and the program goes on."""
    command = (*RUNS, '--for', '1', '-o', 'time.json', 'file=time.mbtrace', 'java', '-cp', 'classes', 'app.Idle',
               '5000')
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        since = time.monotonic()
        while 'methodbeat report' not in (line := child.stderr.readline()) and line:
            pass
        judge.check(child.poll() is None and time.monotonic() - since < 4.5, 'the report comes while the program runs')
        out, errors = child.communicate(timeout=60)
    judge.check((child.returncode, out) == (4, 'ended\n') and 'methodbeat report' not in errors, f'--for: {out} {errors}')
    with open(os.path.join(folder, 'time.json'), encoding='utf-8') as file:
        calls = {row['name']: row['calls'] for row in json.load(file)['methods']}
    judge.check(0 < calls['app.Idle.step'] < 400, f'--for: {calls}')
    done = judge.run((*RUNS, '--for', '60', 'file=short.mbtrace', 'java', '-cp', 'classes', 'app.Idle'), cwd=folder)
    judge.check(done.returncode == 4 and 'app.Idle.step' in done.stderr, f'it ends before: {done.stderr}')


def judge_wrong(folder):
    """What is wrong is said before the program starts."""
    with open(os.path.join(folder, 'other.so'), 'wb') as file, open(AGENT, 'rb') as agent:
        file.write(re.sub(rb'(methodbeat agent )[0-9.]+', rb'\g<1>9.9', agent.read()))
    for options, code, words in ((('--agent', 'other.so'), 1, 'agent of methodbeat'), (('--agent', 'list.txt'), 1, 'agent of methodbeat'),
                                 (('--blacklist', 'absent.txt'), 1, 'absent.txt: cannot open'),
                                 (('--focus', 'list.txt'), 2, "'list.txt' is a file"), (('--focus', 'a,b'), 2, 'comma'),
                                 (('--blacklist', 'a,b'), 2, 'comma'),
                                 (('-o', 'report.none'), 2, 'report.none'), (('--for', '0'), 2, '0')):
        done = judge.run((*RUNS, *options, 'echo', 'started'), cwd=folder)
        judge.check(done.returncode == code and done.stdout == '' and words in done.stderr and done.stderr.count('\n') == (1 if code == 1 else 2),
                    f'{options}: {done.returncode} {done.stdout} {done.stderr}')
    done = judge.run((*RUNS, '--focus', ':::**[', 'file=garbage.mbtrace', 'java', '-cp', 'classes', 'app.Idle'), cwd=folder)
    judge.check((done.returncode, done.stdout) == (4, 'ended\n'), f'a strange focus: {done.stderr}')
    done = judge.run((*RUNS, 'absent-java', '-jar', 'x.jar'), cwd=folder)
    judge.check(done.returncode == 127 and 'absent-java: cannot be started' in done.stderr, done.stderr)


def judge_script(folder):
    """A tool of scripts, whose JVM is somewhere below."""
    if not shutil.which('kotlinc') or judge.run(('kotlinc', '-version')).returncode != 0:
        print('no kotlinc for this JVM: not judged')
        return
    with open(os.path.join(folder, 'Hello.kt'), 'w', encoding='utf-8') as file:
        file.write('fun hello() = "hello"\n')
    done = judge.run((*RUNS, 'file=kotlin-%p.mbtrace', 'kotlinc', '-no-reflect', '-d', 'kotlin', 'Hello.kt'), cwd=folder)
    judge.check(done.returncode == 0 and os.path.exists(os.path.join(folder, 'kotlin', 'HelloKt.class')) and
                done.stderr.count('\nmethodbeat report ') == 1 and 'kotlin' in done.stderr.split('methodbeat report ')[1],
                f'kotlinc: {done.returncode} {done.stderr}')


def judge_killed(folder):
    """What a killed process leaves has its names."""
    trace = os.path.join(folder, 'killed.mbtrace')
    with subprocess.Popen(('java', f'-agentpath:{AGENT}=file={trace},throttle=off', '-cp', 'classes', 'app.Main', 'wait'),
                          cwd=folder, stdout=subprocess.PIPE, text=True) as child:
        while child.stdout.readline() not in ('ready\n', ''):
            pass
        child.send_signal(signal.SIGKILL)
    judge.check(calls_of(trace).get('app.Unit.call', 0) > 0, 'killed: names')


def main():
    folder = judge.scratch_folder('agent')
    judge.compile_java(os.path.join(folder, 'classes'), (SOURCE,))
    with open(os.path.join(folder, 'module-info.java'), 'w', encoding='utf-8') as file:
        file.write('module app { }\n')
    judge.must(('javac', '-d', 'module', '--patch-module', 'app=classes', 'module-info.java'), cwd=folder)
    judge.must(('jar', '--create', '--file', 'app.jar', '--main-class', 'app.Main', '-C', 'classes', '.', '-C', 'module', '.'),
               cwd=folder)
    done = judge.run(('java', '-cp', 'classes', 'app.Main'), cwd=folder)
    plain = done.returncode, done.stdout
    judge.check(done.returncode == 3, f'the program itself: {done.returncode} {done.stderr}')
    judge_ways(folder, plain)
    judge_size(folder, os.path.join(folder, 'way-0.mbtrace'))
    judge_archive(folder, plain)
    judge_same_as_instrument(folder, os.path.join(folder, 'way-0.mbtrace'))
    judge_base_map(folder, os.path.join(folder, 'way-0.mbtrace'))
    judge_refusals(folder, plain)
    judge_run(folder, plain)
    judge_left_out(folder)
    judge_woven(folder, plain)
    judge_limits(folder)
    judge_huge(folder)
    judge_killed(folder)
    judge_processes(folder, plain)
    judge_time(folder)
    judge_wrong(folder)
    judge_script(folder)
    judge.finish()


main()
