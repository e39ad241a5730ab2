"""methodbeat attach: a JVM that runs gets probes, is recorded, and is as it was afterwards.

usage: attach.py METHODBEAT AGENT
"""
import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'attach')
AGENT_SIZE = os.path.getsize(AGENT)
ATTACH = judge.METHODBEAT, 'attach', '--agent', AGENT


class Server:
    """The program; its exit is judged too."""

    def __init__(self, folder, *options, within=(), jar=None, program=('Server',), java='java'):
        program = ('-jar', jar) if jar else ('-cp', 'classes', *program)
        self.process = subprocess.Popen((*within, java, *options, *program), cwd=folder, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        judge.check(self.process.stdout.readline() == 'ready\n', 'the program starts')

    def end(self, what):
        out, errors = self.process.communicate('\n', timeout=60)
        judge.check((self.process.returncode, out) == (7, 'ended\n'), f'{what}: {self.process.returncode} {out} {errors[:500]}')
        return errors


def attach(folder, pid, *options):
    return judge.run((*ATTACH, *options, str(pid)), cwd=folder)


def report(folder, trace):
    return json.loads(judge.must((judge.METHODBEAT, 'report', '--format', 'json', trace), cwd=folder).stdout)


def calls_of(folder, trace):
    return {row['name']: row['calls'] for row in report(folder, trace)['methods']}


def judge_inside(folder, trace):
    """The workers are in serve and in what its lambda is, main in main, and so they are in each attach."""
    weaving = report(folder, trace)['weaving']
    judge.check(weaving['classes'] == 1 and weaving['refusedClasses'] == 0, f'{trace}: {weaving}')
    judge.check(weaving['threadsInside'] == 5 and 9 <= weaving['callsInside'] <= 17, f'{trace}: {weaving}')


def judge_recording(folder):
    """Twice, with other classes, and once more after a process was killed in the middle."""
    server = Server(folder)
    done = attach(folder, server.process.pid, '--for', '2', '--trace', 'one.mbtrace')
    judge.check(done.returncode == 0 and 'Server.fib' in done.stdout, f'attach: {done.stdout} {done.stderr}')
    calls = calls_of(folder, 'one.mbtrace')
    judge.check(calls.get('Server.request', 0) > 100 and calls.get('Server.refuse', 0) > 10, f'attach: {calls}')
    judge.check('Server.serve' not in calls, 'a method entered before is never seen')
    told = judge.must((judge.METHODBEAT, 'report', '--show=trust', 'one.mbtrace'), cwd=folder).stdout
    judge.check('on 5 threads were already' in ' '.join(told.split()), f'what was entered before is told: {told}')
    judge_inside(folder, 'one.mbtrace')
    done = attach(folder, server.process.pid, '--for', '1', '--focus', 'No*', '--trace', 'none.mbtrace')
    judge.check(done.returncode == 1 and '--focus matches no class' in done.stderr and
                not os.path.exists(os.path.join(folder, 'none.mbtrace')), f'focus: {done.stdout} {done.stderr}')
    with subprocess.Popen((*ATTACH, '--for', '60', str(server.process.pid)), cwd=folder, stderr=subprocess.PIPE,
                          text=True) as child:
        judge.await_line(child.stderr, 'recording for')
        child.send_signal(signal.SIGKILL)
    done = attach(folder, server.process.pid, '--for', '1', '--trace', 'two.mbtrace')
    judge.check(done.returncode == 0 and calls_of(folder, 'two.mbtrace').get('Server.request', 0) > 50,
                f'after a killed one: {done.stdout} {done.stderr}')
    judge_inside(folder, 'two.mbtrace')
    server.end('recorded')


def judge_main(folder):
    """Main is the program's first thread, whoever calls first; the one that attaches is none of the program's."""
    for program, main in ((('Loops',), 'main'), (('Loops', 'ends'), 'worker')):
        server = Server(folder, program=program)
        for settings, wanted in (((), {main, 'worker'}), (('threads=main',), {main})):
            done = judge.run((*ATTACH, '--for', '1', '--trace', 'main.mbtrace', str(server.process.pid), *settings), cwd=folder)
            threads = {thread['name']: thread for thread in report(folder, 'main.mbtrace')['threads'] if thread['records']}
            judge.check(done.returncode == 0 and set(threads) == wanted and threads[main]['main'],
                        f'{program} {settings}: {threads} {done.stderr}')
        server.end('main')


def judge_interrupt(folder):
    """Ctrl-C ends the recording, not the report."""
    server = Server(folder)
    with subprocess.Popen((*ATTACH, '--for', '60', str(server.process.pid)), cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as child:
        judge.await_line(child.stderr, 'recording for')
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        out, errors = child.communicate(timeout=60)
    judge.check(child.returncode == 0 and 'Server.request' in out, f'interrupted: {out} {errors}')
    server.end('interrupted')


def judge_outputs(folder):
    """A device as output stays; a folder that cannot be written is said, and the trace is kept."""
    server = Server(folder)
    for option in ('--trace', '-o'):
        attach(folder, server.process.pid, '--for', '1', option, '/dev/null')
    judge.check(os.path.exists('/dev/null') and not os.path.isfile('/dev/null'), 'the null device is there')
    done = attach(folder, server.process.pid, '--for', '1', '--trace', '/proc/absent/trace')
    kept = re.search(r'/tmp/methodbeat-\d+-\d+\.mbtrace', done.stderr)
    judge.check(done.returncode == 1 and '/proc/absent' in done.stderr and
                kept and calls_of(folder, kept[0]).get('Server.request', 0) > 50, done.stderr)
    if kept:
        os.remove(kept[0])
    server.end('outputs')


def left_of(server):
    return [path for name in ('.methodbeat-*', 'methodbeat-*', 'libmethodbeat-agent-*')
            for path in glob.glob(f'/proc/{server.process.pid}/root/tmp/{name}') if f'-{server.process.pid}-' in path]


def judge_going_in(folder):
    """A signal ends attach also while probes go in; they come out again, and the next attach has a whole recording."""
    server = Server(folder, program=('Crowd', '8000'))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        with subprocess.Popen((*ATTACH, '--for', '60', str(server.process.pid)), cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            time.sleep(.3)
            begin = time.monotonic()
            child.send_signal(number)
            errors = child.communicate(timeout=60)[1]
        if 'recording for' in errors:
            print(f'probes were in before {number}')
            continue
        judge.check(child.returncode == 1 and time.monotonic() - begin < 3 and 'interrupted' in errors and
                    'takes its probes out again' in errors, f'{number}: {child.returncode} {errors}')
    done = attach(folder, server.process.pid, '--for', '1', '--trace', 'crowd.mbtrace')
    judge.check(done.returncode == 0 and sum(calls_of(folder, 'crowd.mbtrace').values()) > 50, f'afterwards: {done}')
    judge.check(not left_of(server), f'afterwards: {left_of(server)}')
    server.end('going in')


def judge_unfit(folder):
    """Classes that the JVM cannot change keep no other from its probes, nor its batch small."""
    server = Server(folder, '-Xlog:redefine+class+timer=info:file=unfit.log', program=('Crowd', '4000'))
    done = attach(folder, server.process.pid, '--for', '1', '--trace', 'unfit.mbtrace')
    weaving = report(folder, 'unfit.mbtrace')['weaving']
    server.end('unfit')
    stops = pathlib.Path(folder, 'unfit.log').read_text(encoding='utf-8').count('vm_op:')
    print(f'{stops} stops for 4,000 classes, in and out')
    judge.check(done.returncode == 0 and weaving['classes'] > 4000 and weaving['refusedClasses'] == 0, f'unfit: {weaving} {done.stderr}')
    judge.check(stops <= 2 * 66, f'unfit: {stops} stops')


def judge_late(folder):
    """What takes too long is given up by itself, and taken back; the JVM answers others meanwhile."""
    server = Server(folder, program=('Crowd', '40000'))
    with subprocess.Popen((*ATTACH, '--for', '60', '--timeout', '1', str(server.process.pid)), cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as child:
        stacks = judge.run(('jstack', str(server.process.pid)), timeout=20)
        out, errors = child.communicate(timeout=60)
    judge.check('"methodbeat attach"' in stacks.stdout, f'jstack: {stacks.stdout[:500]}')
    judge.check(child.returncode == 1 and re.search(r'\d+ of (0|40\d{3}) classes have probes after 1 s: --focus', errors) and
                'takes its probes out again' in errors, f'late: {child.returncode} {out} {errors}')
    done = attach(folder, server.process.pid, '--for', '1', '--focus', 'Crowd$Part000*', '--trace', 'late.mbtrace')
    weaving = report(folder, 'late.mbtrace')['weaving']
    judge.check(done.returncode == 0 and 90 <= weaving['classes'] <= 100, f'focus after that: {weaving} {done.stderr}')
    server.end('late')


def judge_killed(folder):
    """top takes over what a killed attach left, and ends it; jvms takes away what the process leaves."""
    server = Server(folder)
    for _ in range(2):
        with subprocess.Popen((*ATTACH, '--for', '60', str(server.process.pid)), cwd=folder, stderr=subprocess.PIPE,
                              text=True) as child:
            judge.await_line(child.stderr, 'recording for')
            child.send_signal(signal.SIGKILL)
        judge.check(len(left_of(server)) == 1, f'a killed one leaves: {left_of(server)}')
        done = judge.run((judge.METHODBEAT, 'top', '--count', '2', str(server.process.pid)), cwd=folder)
        judge.check(done.returncode == 0 and 'Server.request' in done.stdout and 'putting probes' in done.stderr, f'top: {done}')
        lines = judge.must((judge.METHODBEAT, 'jvms')).stdout.splitlines()
        state = [line.split()[-1] for line in lines if line.split()[0] == str(server.process.pid)]
        judge.check(state == ['ready'] and not left_of(server), f'after top: {lines} {left_of(server)}')
    server.end('killed')


def judge_closed(folder):
    """Whether the JVM lets others attach is decided as it decides it; a refused one gets no signal."""
    for name, text in (('options', '-XX:+DisableAttachMechanism'), ('flags', '+DisableAttachMechanism')):
        pathlib.Path(folder, name).write_text(text + '\n', encoding='utf-8')
    on, off = '-XX:-DisableAttachMechanism', '-XX:+DisableAttachMechanism'
    for options, variables, is_closed in (
            (('@options',), {}, True), (('-XX:VMOptionsFile=options',), {}, True), (('-XX:Flags=flags',), {}, True),
            ((on, '-XX:Flags=flags'), {}, False), ((off, on), {}, False), ((on, off), {}, True), ((), {'JAVA_OPTS': off}, False),
            ((), {'JAVA_TOOL_OPTIONS': off}, True), ((on,), {'JAVA_TOOL_OPTIONS': off}, False),
            ((), {'JDK_JAVA_OPTIONS': f'-Dx=y {off}'}, True), ((off,), {'_JAVA_OPTIONS': on}, False),
            (('-Dchild=' + off,), {}, False)):
        within = ('env', *(f'{name}={value}' for name, value in variables.items()))
        server = Server(folder, *options, within=within, program=('Server', off))
        done = attach(folder, server.process.pid, '--for', '1')
        refused = done.returncode == 1 and 'DisableAttachMechanism' in done.stderr
        judge.check(refused == is_closed and (refused or done.returncode == 0), f'{options} {variables}: {done}')
        judge.check('Full thread dump' not in server.end('closed'), f'{options} {variables}: it printed its threads')


def judge_reasons(folder):
    """What the JVM says against the library is repeated, at once, whatever its version."""
    server = Server(folder)
    pathlib.Path(folder, 'broken.so').write_bytes(b'text' + pathlib.Path(AGENT).read_bytes()[4:])
    for more in ((), ('--leave',)):
        begin = time.monotonic()
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', 'broken.so', '--for', '20', *more, str(server.process.pid)),
                         cwd=folder)
        judge.check(done.returncode == 1 and 'invalid ELF header' in done.stderr and time.monotonic() - begin < 10, f'broken: {done}')
    server.end('reasons')


def judge_users(folder):
    """Another user's JVM, which cannot read our library; one in a user namespace, and a /tmp that executes nothing."""
    if os.geteuid() != 0:
        print('not root: other users are not judged')
        return
    private = os.path.join(folder, 'private')
    os.mkdir(private, 0o700)
    library = shutil.copy(AGENT, private)
    ids = 'setpriv', '--reuid=1234', '--regid=1234', '--clear-groups'
    for within in (ids, (*ids, 'unshare', '-Ur')):
        if judge.run((*within, 'true')).returncode != 0:
            print(f'{within}: not to be had here')
            continue
        server = Server(folder, within=within)
        for _ in range(2):
            done = judge.run((judge.METHODBEAT, 'attach', '--agent', library, '--for', '1', str(server.process.pid)), cwd=folder)
            judge.check(done.returncode == 0 and 'Server.request' in done.stdout, f'{within}: {done}')
            judge.check(not left_of(server), f'{within}: {left_of(server)}')
        server.end('users')


def judge_places(folder):
    """A /tmp that executes nothing keeps only a copy of our library out; file capabilities keep all but root out."""
    mounts = ('mount --bind . /mnt && mount -t tmpfs -o noexec,mode=1777 none /tmp && cd /mnt && '
              'exec setpriv --reuid=1234 --regid=1234 --clear-groups "$@"')
    within = 'unshare', '--mount', 'sh', '-c', mounts, 'sh'
    if os.geteuid() != 0 or judge.run((*within, 'true')).returncode != 0:
        print('no mounts of our own: no /tmp that executes nothing')
        return
    place = tempfile.mkdtemp(prefix='methodbeat-place-', dir='/var/tmp')
    library = shutil.copy(AGENT, place)
    for mode, code, words in ((0o700, 1, 'noexec'), (0o755, 0, '')):
        os.chmod(place, mode)
        server = Server(folder, within=within)
        done = judge.run((judge.METHODBEAT, 'attach', '--agent', library, '--for', '1', str(server.process.pid)), cwd=folder)
        judge.check(done.returncode == code and words in done.stderr and not left_of(server), f'noexec {mode:o}: {done}')
        server.end('noexec')
    judge_capable(folder, place)
    shutil.rmtree(place)


def judge_capable(folder, place):
    """A launcher with capabilities looks for libraries where the system says only."""
    java = os.path.join(place, 'jre', 'bin', 'java')
    judge.must(('jlink', '--add-modules', 'java.base', '--output', os.path.join(place, 'jre')))
    judge.must(('setcap', 'cap_net_bind_service+ep', java))
    with open(os.path.join(place, 'conf'), 'w', encoding='utf-8') as file:
        file.write(f'{place}/jre/lib\n')
    judge.must(('ldconfig', '-f', f'{place}/conf', '-C', f'{place}/cache'))
    mounts = f'mount --bind {place}/cache /etc/ld.so.cache && exec setpriv --reuid=1234 --regid=1234 --clear-groups "$@"'
    server = Server(folder, within=('unshare', '--mount', 'sh', '-c', mounts, 'sh'), java=java)
    for user, code, words in ((1234, 1, 'run this as root'), (0, 0, 'Server.request')):
        done = judge.run((*ATTACH, '--for', '1', '--trace', '/dev/null' if user else 'capable.mbtrace', str(server.process.pid)),
                         cwd=folder, user=user, group=user, extra_groups=())
        judge.check(done.returncode == code and words in done.stdout + done.stderr, f'capable, user {user}: {done}')
    server.end('capable')


def judge_end(folder):
    """A process that ends meanwhile leaves its recording."""
    server = Server(folder)
    with subprocess.Popen((*ATTACH, '--for', '60', '--trace', 'ended.mbtrace', str(server.process.pid)), cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        judge.await_line(child.stderr, 'recording for')
        time.sleep(1)
        server.process.stdin.write('\n')
        server.process.stdin.close()
        out, errors = child.communicate(timeout=30)
    judge.check(child.returncode == 0 and 'Server.request' in out, f'ended: {out} {errors}')
    server.process.wait()


def judge_often(folder):
    """Probes go in and out, and no request fails."""
    server = Server(folder)
    for number in range(8):
        done = attach(folder, server.process.pid, '--for', '1', '--trace', 'often.mbtrace')
        judge.check(done.returncode == 0 and calls_of(folder, 'often.mbtrace').get('Server.request', 0) > 50,
                    f'attach {number}: {done.stdout} {done.stderr}')
    judge.check('Exception' not in server.end('often'), 'often')


def judge_muted(folder):
    """What one recording muted, the next one can have."""
    server = Server(folder)
    done = attach(folder, server.process.pid, '--for', '2', '--trace', 'muted.mbtrace')
    muted = {row['name']: row['calls'] for row in report(folder, 'muted.mbtrace')['muted']}
    judge.check(done.returncode == 0 and muted.get('Server.fib', 0) > 1000, f'muted: {muted} {done.stderr}')
    judge.must((*ATTACH, '--for', '1', '--trace', 'unmuted.mbtrace', str(server.process.pid), 'throttle=off'), cwd=folder)
    unmuted = report(folder, 'unmuted.mbtrace')
    calls = calls_of(folder, 'unmuted.mbtrace')
    # fib(16) makes 3,193 calls, and nine of ten requests make one of it.
    judge.check(unmuted['muted'] == [], f'unmuted: {unmuted["muted"]}')
    judge.check(calls.get('Server.fib', 0) > 300 * calls.get('Server.request', 1 << 30), f'unmuted: {calls}')
    server.end('muted')


def container():
    """A process behind it has a /tmp of its own and does not see our library; () if it cannot be had."""
    empty = judge.scratch_folder('empty')
    mounts = (f'mount --bind "{empty}" "{os.path.dirname(AGENT)}" && mount --bind . /mnt && '
              'mount -t tmpfs none /tmp && cd /mnt && exec "$@"')
    within = 'unshare', '--mount', 'sh', '-c', mounts, 'sh'
    return within if os.geteuid() == 0 and judge.run((*within, 'true')).returncode == 0 else ()


def judge_container(folder):
    within = container()
    if not within:
        print('no mounts of our own: not judged in a container')
        return
    server = Server(folder, within=within)
    for trace in ('first.mbtrace', 'second.mbtrace'):
        done = attach(folder, server.process.pid, '--for', '1', '--trace', trace)
        judge.check(done.returncode == 0 and calls_of(folder, trace).get('Server.request', 0) > 50,
                    f'{trace} of a container: {done.stdout} {done.stderr}')
    judge.check(not left_of(server), f'nothing stays: {left_of(server)}')
    server.end('container')


def judge_root(folder):
    """In a root of its own, from inside and from outside, and once more after an attach there that was killed."""
    root = judge.scratch_folder('root')
    script = 'mount --rbind / "$0" && exec chroot "$0" sh -c \'cd "$0" && exec "$@"\' "$@"'
    within = 'unshare', '--mount', 'sh', '-c', script, root, folder
    if os.geteuid() != 0 or judge.run((*within, 'true')).returncode != 0:
        print('no mounts of our own: no other root')
        return
    server = Server(folder, within=within)
    inside = 'nsenter', '--target', str(server.process.pid), '--mount', '--root', '--wd', *ATTACH
    for command in (*inside, '--for', '1', '--trace', 'inside.mbtrace'), (*ATTACH, '--for', '1', '--trace', 'outside.mbtrace'):
        done = judge.run((*command, str(server.process.pid)), cwd=folder)
        judge.check(done.returncode == 0 and calls_of(folder, command[-1]).get('Server.request', 0) > 50, f'root: {command}: {done}')
    with subprocess.Popen((*inside, '--for', '60', str(server.process.pid)), stderr=subprocess.PIPE, text=True) as child:
        judge.await_line(child.stderr, 'recording for')
        child.send_signal(signal.SIGKILL)
    done = attach(folder, server.process.pid, '--for', '1', '--trace', 'after.mbtrace')
    judge.check(done.returncode == 0 and not left_of(server), f'root: {done} {left_of(server)}')
    server.end('root')


def judge_refusals(folder):
    with subprocess.Popen(('sleep', '60')) as other:
        for pid, words in ((other.pid, 'not a HotSpot JVM'), (2 ** 22 + 1, 'no process')):
            done = attach(folder, pid, '--for', '1')
            judge.check(done.returncode == 1 and words in done.stderr and done.stderr.count('\n') == 1, f'{pid}: {done.stderr}')
        judge.check(other.poll() is None, 'a process that is no JVM lives on')
        other.kill()
    server = Server(folder, '-XX:+DisableAttachMechanism')
    done = attach(folder, server.process.pid, '--for', '1')
    judge.check(done.returncode == 1 and 'DisableAttachMechanism' in done.stderr, f'disabled: {done.stderr}')
    server.end('disabled')
    server = Server(folder)
    done = attach(folder, server.process.pid, '--blacklist', 'none.txt')
    judge.check(done.returncode == 1, f'no blacklist: {done.stdout} {done.stderr}')
    done = attach(folder, server.process.pid, '--for', '1', '--trace', 'mended.mbtrace')
    judge.check(done.returncode == 0 and calls_of(folder, 'mended.mbtrace').get('Server.request', 0) > 50,
                f'after a wrong option: {done.stdout} {done.stderr}')
    server.end('no blacklist')
    for name in ('nobody', 'erver '):
        done = judge.run((*ATTACH, name), cwd=folder)
        judge.check(done.returncode == 1 and done.stderr.startswith(f'methodbeat: {name}: no JVM') and
                    'methodbeat jvms' in done.stderr and done.stderr.count('\n') == 1, done.stderr)
    for name, words in (('', 'the name of a program is needed'), ('1', 'cannot be seen' if os.geteuid() == 0 else 'another user')):
        done = judge.run((*ATTACH, name), cwd=folder)
        judge.check(done.returncode != 0 and words in done.stderr and done.stderr.count('\n') == 1, f'{name!r}: {done.stderr}')
    done = judge.run(ATTACH, cwd=folder)
    judge.check(done.returncode == 2 and 'number of a process' in done.stderr, done.stderr)


PLAIN = """
public class Plain {
    static final class Value {
        int value;
    }

    public static void main(String[] words) throws Exception {
        Value value = new Value();
        System.out.println("ready");
        while (System.in.available() == 0) {
            Thread.sleep(10);
            value.value = times(value.value);
        }
        System.out.println("ended");
        System.exit(7);
    }

    static int times(int value) {
        return value * Integer.parseInt("3");
    }
}
"""


def judge_taken(folder):
    """Probes are taken out of the classes that have some, and no other goes through the JVM again."""
    pathlib.Path(folder, 'Plain.java').write_text(PLAIN, encoding='utf-8')
    judge.compile_java(os.path.join(folder, 'classes'), (os.path.join(folder, 'Plain.java'),))
    server = Server(folder, '-Xlog:redefine+class+load=info:file=redefined.log', program=('Plain',))
    done = attach(folder, server.process.pid, '--for', '1', '--trace', 'plain.mbtrace')
    judge.check(done.returncode == 0 and calls_of(folder, 'plain.mbtrace').get('Plain.times', 0) > 10, f'taken: {done}')
    server.end('taken')
    log = pathlib.Path(folder, 'redefined.log').read_text(encoding='utf-8')
    counts = [log.count(f'name={name},') for name in ('Plain', 'Plain$Value')]
    judge.check(counts == [2, 1], f'taken: {counts} {log}')


def judge_names(folder):
    """The whole name first, then a part that only one has."""
    with open(os.path.join(folder, 'manifest'), 'w', encoding='utf-8') as file:
        file.write('Main-Class: Server\n')
    one = f'only-one-{os.getpid()}'  # another run of this test may be here
    for name in (f'{one}.jar', f'{one}-more.jar'):
        judge.must(('jar', 'cfm', name, 'manifest', '-C', 'classes', '.'), cwd=folder)
    first, second = (Server(folder, jar=name) for name in (f'{one}.jar', f'./{one}-more.jar'))
    for name, server in ((f'{one}.jar', first), (one, first), (f'{one[-3:]}-mor', second), (f'{one}-more', second),
                         (f'./{one}-more.jar', second)):
        done = attach(folder, name, '--for', '1')
        judge.check(done.returncode == 0 and glob.glob(f'{folder}/methodbeat-{server.process.pid}-*'), f'{name}: {done.stderr}')
        for path in glob.glob(f'{folder}/methodbeat-*-*.mbtrace'):
            os.remove(path)
    done = attach(folder, one[1:], '--for', '1')
    numbers = [line.split()[0] for line in done.stderr.splitlines()[2:]]
    judge.check(done.returncode == 1 and 'several' in done.stderr.splitlines()[0] and
                sorted(numbers) == sorted(str(server.process.pid) for server in (first, second)), f'several: {done.stderr}')
    first.end('names')
    second.end('names')


def judge_second(folder):
    """While one of ours records, another is refused; what the program records itself is left alone."""
    server = Server(folder)
    with subprocess.Popen((*ATTACH, '--for', '60', '--trace', 'first.mbtrace', str(server.process.pid)), cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        judge.await_line(child.stderr, 'recording for')
        done = attach(folder, server.process.pid, '--for', '1')
        judge.check(done.returncode == 1 and f'process {child.pid}' in done.stderr and done.stderr.count('\n') == 1,
                    f'a second: {done.stderr}')
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        out, errors = child.communicate(timeout=60)
    judge.check(child.returncode == 0 and 'Server.request' in out, f'the first goes on: {out} {errors}')
    done = attach(folder, server.process.pid, '--leave')
    judge.check(done.returncode == 0, f'leave: {done.stderr}')
    done = attach(folder, server.process.pid, '--for', '1', '--trace', 'left.mbtrace')
    judge.check(done.returncode == 0 and calls_of(folder, 'left.mbtrace').get('Server.request', 0) > 50, f'left: {done.stderr}')
    server.end('second')
    server = Server(folder, f'-agentpath:{AGENT}', '-Dmethodbeat.file=own.mbtrace')
    done = attach(folder, server.process.pid, '--for', '1')
    time.sleep(1)
    judge.check(done.returncode == 1 and 'own.mbtrace' in done.stderr and done.stderr.count('\n') == 1, f'own: {done.stderr}')
    server.end('own recording')
    judge.check(calls_of(folder, 'own.mbtrace').get('Server.request', 0) > 10, 'own recording')


def judge_full(folder):
    """No room for the library or for the trace: a line about it, and the process goes on."""
    within = container()
    if not within:
        print('no mounts of our own: no full disk')
        return
    for left, words in ((0, 'No space left'), (100, 'No space left'), (AGENT_SIZE // 1024 + 200, 'trace cannot be created')):
        server = Server(folder, within=within)
        tmp = f'/proc/{server.process.pid}/root/tmp'
        judge.must(('nsenter', f'--mount=/proc/{server.process.pid}/ns/mnt', 'mount', '-o', 'remount,size=2000k', '/tmp'))
        free = os.statvfs(tmp).f_bavail * os.statvfs(tmp).f_frsize // 1024
        pathlib.Path(tmp, 'filler').write_bytes(b'x' * (max(free - left, 0) * 1024))
        done = attach(folder, server.process.pid, '--for', '2', '--trace', 'full.mbtrace')
        judge.check(done.returncode == 1 and words in done.stderr and done.stderr.count('\n') == 1,
                    f'{left} KB left: {done.returncode} {done.stdout} {done.stderr}')
        os.remove(f'{tmp}/filler')
        judge.must(('nsenter', f'--mount=/proc/{server.process.pid}/ns/mnt', 'mount', '-o', 'remount,size=200m', '/tmp'))
        done = attach(folder, server.process.pid, '--for', '1', '--trace', 'roomy.mbtrace')
        judge.check(done.returncode == 0 and calls_of(folder, 'roomy.mbtrace').get('Server.request', 0) > 50,
                    f'{left} KB, then room: {done.stderr}')
        server.end('full')


def main():
    folder = judge.scratch_folder('attach')
    os.chmod(os.path.dirname(folder), 0o755)
    judge.compile_java(os.path.join(folder, 'classes'), (SOURCE,))
    judge_recording(folder)
    judge_main(folder)
    judge_interrupt(folder)
    judge_outputs(folder)
    judge_going_in(folder)
    judge_unfit(folder)
    judge_late(folder)
    judge_killed(folder)
    judge_closed(folder)
    judge_reasons(folder)
    judge_users(folder)
    judge_places(folder)
    judge_end(folder)
    judge_often(folder)
    judge_muted(folder)
    judge_container(folder)
    judge_root(folder)
    judge_full(folder)
    judge_names(folder)
    judge_taken(folder)
    judge_second(folder)
    judge_refusals(folder)
    judge.finish()


main()
