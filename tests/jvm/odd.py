"""The agent where JVMs and programs are unlike most: runtimes of java.base alone, classes that exist before the agent's
hook or have no name or no end, loaders that stand alone, thousands of classes, settings of any kind by attach.

usage: odd.py METHODBEAT AGENT
"""
import json
import os
import re
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'odd')
RUNS = judge.METHODBEAT, 'run', '--agent', AGENT, 'throttle=off'
ATTACH = judge.METHODBEAT, 'attach', '--agent', AGENT
PROGRAM = '-cp', 'classes', 'Odd'
NAMES = {'Odd.main': 1, 'Odd.names': 1, 'Odd.template': 1, 'Odd.numbered': 1, 'Odd$Loader.define': 1, 'Odd.work': 1,
         'made.T000001.applyAsInt': 1, 'made.T000001.one': 2, 'Odd.reflected': 100, 'Odd$$Proxy0.relay': 100,
         'Odd.lambda$names$0': 100, 'Odd.lambda$names$1': 100}
MOST_LOADERS = 10000
# abi/attach.h
DONE, NO_TRACE, NOT_ATTACHED, BAD_SETTING = 0, 102, 104, 1000


def report(folder, trace, *options):
    return judge.must((judge.METHODBEAT, 'report', '--show=trust', '--top=1000', *options, trace), cwd=folder).stdout


def facts_of(folder, trace):
    return json.loads(report(folder, trace, '--format=json'))


def calls_of(folder, trace):
    return {row['name']: row['calls'] for row in facts_of(folder, trace)['methods']}


class Server:
    """The program while it waits; its exit is judged too."""

    def __init__(self, folder, *options, java='java', count=0):
        self.process = subprocess.Popen((java, *options, *PROGRAM, 'serve', str(count)), cwd=folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.count = count
        judge.check(self.process.stdout.readline() == 'ready\n', 'the program starts')

    def load(self, options):
        """What the agent says to these options: the word that reaches those who attach."""
        judge.must(('jcmd', str(self.process.pid), 'VM.version'))  # the JVM listens from then on
        with socket.socket(socket.AF_UNIX) as door:
            door.connect(f'/tmp/.java_pid{self.process.pid}')
            door.sendall('\0'.join(('1', 'load', AGENT, 'true', options, '')).encode())
            answer = b''.join(iter(lambda: door.recv(999), b'')).decode()
        return int(re.search(r'return code: (\d+)|\Z', answer)[1] or -1)

    def end(self, what):
        out, errors = self.process.communicate('\n', timeout=60)
        judge.check((self.process.returncode, out) == (0, f'{self.count}\n'), f'{what}: {self.process.returncode} {out} {errors[:500]}')
        return errors


def judge_base(folder):
    """A runtime without any module but java.base, as containers have: by run, and by attach more than once."""
    judge.must(('jlink', '--add-modules', 'java.base', '--output', 'base'), cwd=folder)
    java = os.path.join(folder, 'base', 'bin', 'java')
    done = judge.run((*RUNS, 'file=base.mbtrace', '--', java, *PROGRAM, 'names'), cwd=folder)
    judge.check(done.returncode == 0 and calls_of(folder, 'base.mbtrace') == NAMES, f'java.base by run: {done.stderr}')
    server = Server(folder, java=java)
    for number in range(2):
        done = judge.run((*ATTACH, '--for', '1', '--trace', 'base.mbtrace', str(server.process.pid)), cwd=folder)
        judge.check(done.returncode == 0 and calls_of(folder, 'base.mbtrace').get('Odd.request', 0) > 50,
                    f'java.base by attach {number}: {done.stderr}')
    judge.check('methodbeat:' not in server.end('java.base'), 'nothing is amiss without other modules')


def judge_names(folder):
    """Classes without a name, or with one as the JDK gives, have probes; what the JDK makes has none."""
    done = judge.run((*RUNS, 'file=names.mbtrace', '--', 'java', '-Dsun.reflect.inflationThreshold=1', *PROGRAM, 'names'), cwd=folder)
    judge.check(done.returncode == 0 and calls_of(folder, 'names.mbtrace') == NAMES,
                f'names: {calls_of(folder, "names.mbtrace")} {done.stderr}')
    judge.check(facts_of(folder, 'names.mbtrace')['weaving']['classes'] == 4, 'names: Odd, two nested and the numbered one')
    done = judge.run((*RUNS, 'file=alone.mbtrace', '--', 'java', '-Djava.system.class.loader=Alone', *PROGRAM, 'serve', '0'), cwd=folder,
                     input='\n')
    judge.check(done.returncode == 0 and calls_of(folder, 'alone.mbtrace').get('Odd.serve') == 1,
                f'a loader without a parent: {done.stderr}')


def judge_boot(folder):
    """Classes that the boot loader brings beside the JDK's have no probes, and count; those of before the agent too."""
    for name in ('Early', 'boot/Late'):
        path = os.path.join(folder, 'boots', name + '.java')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(('package boot; ' if '/' in name else '') + f'public class {os.path.basename(name)} '
                       '{ public static void main(String[] words) { System.out.println(words.length + 1); } }')
        judge.must(('javac', '-d', os.path.join(folder, 'boot'), path))
    for name in ('Early', 'boot.Late'):
        done = judge.run((*RUNS, 'file=boot.mbtrace', '--', 'java', f'-Xbootclasspath/a:{folder}/boot', *PROGRAM[:-1], name), cwd=folder)
        judge.check(done.returncode == 0 and 'are of -Xbootclasspath/a' in done.stderr, f'boot: {name} {done}')


FULL = """
public class Full {
    public static void main(String[] words) {
        for (int k = 0; k < 9; k++) {
            parse("2");
        }
    }

    static int parse(String text) {
        return Integer.parseInt(text) + 1;
    }
}
"""
SIZES = {3: 5, 4: 5, 5: 9, 6: 9, 7: 3, 8: 3, 9: 5, 10: 5, 11: 5, 12: 5, 15: 4, 16: 3, 17: 5, 18: 5, 19: 3, 20: 3}


def fill_pool(path):
    """Numbers at the end of its constant pool, up to the last that it can have."""
    with open(path, 'rb') as file:
        data = file.read()
    count = struct.unpack('>H', data[8:10])[0]
    end, index = 10, 1
    while index < count:
        tag = data[end]
        end += 3 + struct.unpack('>H', data[end + 1:end + 3])[0] if tag == 1 else SIZES[tag]
        index += 2 if tag in (5, 6) else 1
    more = b''.join(struct.pack('>BI', 3, number) for number in range(0xffff - count))
    with open(path, 'wb') as file:
        file.write(data[:8] + b'\xff\xff' + data[10:end] + more + data[end:])


def judge_full(folder):
    """A class that instrument wove and whose pool has no room records by its own probes, and counts."""
    source = os.path.join(folder, 'Full.java')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(FULL)
    judge.must(('javac', '-d', os.path.join(folder, 'pool'), source))
    judge.instrument('--output', os.path.join(folder, 'woven'), os.path.join(folder, 'pool'))
    fill_pool(os.path.join(folder, 'woven', 'pool', 'Full.class'))
    done = judge.run((*RUNS, 'file=full.mbtrace', '--', 'java', '-cp', 'woven/pool', 'Full'), cwd=folder)
    calls = calls_of(folder, 'full.mbtrace')
    weaving = facts_of(folder, 'full.mbtrace')['weaving']
    judge.check(done.returncode == 0 and calls == {'Full.main': 1, 'Full.parse': 9}, f'full pool: {calls} {done.stderr}')
    judge.check((weaving['classes'], weaving['damagedClasses']) == (1, 0), f'full pool: {weaving}')


def judge_cache(folder):
    """Classes that the JVM has linked before it starts, from a cache of the program's own."""
    judge.must(('jar', '--create', '--file', 'odd.jar', '-C', 'classes', '.'), cwd=folder)
    words = '-cp', 'odd.jar', 'Odd', 'names'
    done = judge.run(('java', '-XX:AOTCacheOutput=odd.aot', *words), cwd=folder)
    if not os.path.exists(os.path.join(folder, 'odd.aot')):
        print('no AOT cache by this JVM: not judged')
        return
    done = judge.run((*RUNS, 'file=cache.mbtrace', '--', 'java', '-XX:AOTCache=odd.aot', *words), cwd=folder)
    judge.check(done.returncode == 0 and calls_of(folder, 'cache.mbtrace') == NAMES,
                f'AOT cache: {calls_of(folder, "cache.mbtrace")} {done.stderr}')


def judge_ends(folder):
    """Names of classes that come and go are bounded, and ids are; what has no probes for that is told."""
    more = 500
    done = judge.run((*RUNS, 'file=churn.mbtrace', '--', 'java', '-Xmx64m', *PROGRAM, 'churn', str(MOST_LOADERS + more)), cwd=folder)
    weaving = facts_of(folder, 'churn.mbtrace')['weaving']
    judge.check(done.returncode == 0 and weaving['crowdedClasses'] == more, f'churn: {weaving} {done.stderr}')
    text = ' '.join(report(folder, 'churn.mbtrace').split())
    judge.check('500 of packages with classes of 10,000 loaders' in text, f'churn is told: {text}')
    with open(os.path.join(folder, 'high.txt'), 'w', encoding='utf-8') as file:
        file.write('1048572,1,none.Other other ()V\n')
    done = judge.run(('java', f'-agentpath:{AGENT}=file=high.mbtrace,base-method-map=high.txt', *PROGRAM, 'names'), cwd=folder)
    weaving = facts_of(folder, 'high.mbtrace')['weaving']
    text = ' '.join(report(folder, 'high.mbtrace').split())
    judge.check(done.returncode == 0 and weaving['classesWithoutIds'] == 4, f'ids: {weaving} {done.stderr}')
    judge.check('4 for lack of method ids' in text, f'the end of ids is told: {text}')
    judge.check(text.startswith('4 of 5 classes have no probes'), f'most of the program has no probes: {text[:200]}')


def judge_many(folder):
    """The JVM stands still some 64 times, however many classes it has, and for none that is out of focus."""
    options = [f'-Xlog:redefine+class+{what}=info:file={what}.log' for what in ('timer', 'load')]
    server = Server(folder, *options, count=8000)
    trace = os.path.join(folder, 'ends.mbtrace')
    begun = time.monotonic()
    server.load(f'file={trace}')
    since = time.monotonic()
    time.sleep(1)
    server.load('detach=on')
    slack = (time.monotonic() - begun - 1) / 3
    seconds = max(row['endNs'] - row['startNs'] for row in facts_of(folder, trace)['threads']) / 1e9
    judge.check(seconds < 1 + slack, f'{seconds} s recorded, probes went in for {since - begun} s')
    changed = judge.read(os.path.join(folder, 'load.log')).count('redefined name=')
    done = judge.run((*ATTACH, '--for', '1', '--focus', 'Odd', '--trace', 'focus.mbtrace', str(server.process.pid)), cwd=folder)
    focused = judge.read(os.path.join(folder, 'load.log')).count('redefined name=') - changed
    judge.check(done.returncode == 0 and focused <= 6, f'out of focus: {focused} classes were changed, {done.stderr}')
    done = judge.run((*ATTACH, '--for', '1', '--trace', 'many.mbtrace', str(server.process.pid)), cwd=folder)
    stops = judge.read(os.path.join(folder, 'timer.log')).count('vm_op:')
    print(f'{stops} stops for 8,000 classes, in and out twice')
    judge.check(done.returncode == 0 and stops <= 4 * 66 + 4, f'{stops} stops')
    server.end('many')


def judge_settings(folder):
    """Settings are those of one attach; a bad one is refused before anything is changed, and named by its place."""
    server = Server(folder, '-Xcheck:jni')
    trace = os.path.join(folder, 'set.mbtrace')
    for text, answer in (
            ('detach=on', NOT_ATTACHED), (f'file={trace},words=x', BAD_SETTING + 1), ('nonsense=1', BAD_SETTING),
            (f'file={trace},focus=Odd,max_threads=99999999999999999999', BAD_SETTING + 2), ('file', BAD_SETTING),
            (f'file={trace},threads=lunar', BAD_SETTING + 1), ('flavour=mapped', BAD_SETTING), ('detach=on,file=x', BAD_SETTING),
            (f'{"n" * 300}=1', BAD_SETTING), ('file=/absent/x.mbtrace', NO_TRACE), ('detach=on', NOT_ATTACHED)):
        found = server.load(text)
        judge.check(found == answer and not os.path.exists(trace), f'{text[:60]}: {found}')
    for setting, has_profile in (('profile=off', False), ('tick_ms=5', True)):
        found = server.load(f'file={trace},{setting}'), server.load('detach=on')
        judge.check(found == (DONE, DONE) and facts_of(folder, trace).get('profile', False) == has_profile, f'{setting}: {found}')
        os.remove(trace)
    errors = server.end('settings')
    judge.check('local refs' not in errors and 'FATAL' not in errors, f'-Xcheck:jni: {errors[:2000]}')


def main():
    folder = judge.scratch_folder('odd')
    judge.compile_java(os.path.join(folder, 'classes'), (SOURCE,))
    judge_base(folder)
    judge_names(folder)
    judge_boot(folder)
    judge_full(folder)
    judge_cache(folder)
    judge_ends(folder)
    judge_many(folder)
    judge_settings(folder)
    judge.finish()


main()
