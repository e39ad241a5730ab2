"""methodbeat run: the program's output, exit code and signals are its own, and its traces are reported.

usage: run.py METHODBEAT AGENT
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

AGENT = os.path.abspath(sys.argv[2])
SOURCES = {
    'module-info.java': 'module app { }',
    'app/Main.java': '''package app;
public class Main {
    static int work(int n) { return n < 2 ? n : work(n - 1) + work(n - 2); }
    static void waitForEver() throws InterruptedException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("ended")));
        System.out.println("ready");
        Thread.sleep(600_000);
    }
    public static void main(String[] args) throws Exception {
        System.out.println("fib " + work(15) + " " + System.getenv("TZ"));
        if (args.length > 0 && args[0].equals("wait")) {
            waitForEver();
        }
        System.exit(args.length);
    }
}''',
}
STARTER = '''package starter;
public class Starter {
    public static void main(String[] words) throws Exception {
        System.exit(new ProcessBuilder(words).inheritIO().start().waitFor());
    }
}'''
ARGUMENTS = {
    'module.args': '# -m other/other.Main\n-p "out/app.jar"\n-m\n  "app/app.Main"\n',
    'jar.args': "-Xshare:auto\n-jar 'out/app.jar'\n",
}
JAVA = shutil.which('java')
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
OWN = (judge.METHODBEAT, 'run', '--agent', AGENT)


def make_program():
    home = judge.scratch_folder("it's home")
    for name, text in SOURCES.items():
        with open(judge.scratch("it's home", 'source', name), 'w', encoding='utf-8') as file:
            file.write(text)
    judge.compile_java(os.path.join(home, 'classes'), (os.path.join(home, 'source'),))
    with open(judge.scratch("it's home", 'Starter.java'), 'w', encoding='utf-8') as file:
        file.write(STARTER)
    judge.compile_java(os.path.join(home, 'starter'), (os.path.join(home, 'Starter.java'),))
    judge.must(('jar', '--create', '--file', 'app.jar', '--main-class', 'app.Main', '-C', 'classes',
                '.'), cwd=home)
    judge.instrument('--output', 'out', '--exceptions=finally', 'app.jar', cwd=home)
    os.makedirs(os.path.join(home, 'out', 'server', 'lib'))
    shutil.copy(os.path.join(home, 'out', 'app.jar'), os.path.join(home, 'out', 'server', 'lib'))
    with open(os.path.join(home, 'server'), 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\ncd /\njava -cp "$OLDPWD/out/app.jar" app.Main\n'
                   'java -jar "$OLDPWD/out/app.jar" 1 2 3\n')
    os.chmod(os.path.join(home, 'server'), 0o755)
    shutil.copy(os.path.join(home, 'server'), os.path.join(home, 'out', 'server', 'start'))
    for name, text in ARGUMENTS.items():
        with open(os.path.join(home, name), 'w', encoding='utf-8') as file:
            file.write(text)
    return home


def run(home, *arguments, **more):
    return judge.run((*OWN, *arguments), cwd=home, **more)


def judge_ways(home):
    """What is started, the exit code, and how many traces are reported."""
    environment = {**os.environ, 'TZ': 'Asia/Kathmandu'}
    for command, code, traces in (
            (('--', 'java', '-cp', 'out/app.jar', 'app.Main'), 0, 1),
            (('java', '-jar', 'out/app.jar', '1', '2'), 2, 1),
            (('threads=main', '--agent', AGENT, 'tick_ms=2', 'java', '-jar', 'app.jar'), 0, 1),
            (('flavour=native', '--', 'java', '-p', 'out/app.jar', '-m', 'app/app.Main'), 0, 1),
            (('file=it.mbtrace', '--', 'java', '-p', 'out/app.jar', '--module', 'app/app.Main'), 0, 1),
            (('file=auto', '--', 'java', '@module.args'), 0, 1),
            (('--', 'java', '@jar.args', '1'), 1, 1),
            (('file=a b%p.t', '--', './server'), 3, 2)):
        done = run(home, *command, env=environment)
        judge.check(done.returncode == code, f'{command}: exit code {done.returncode}')
        judge.check(done.stdout == 'fib 610 Asia/Kathmandu\n' * traces, f'{command}: {done.stdout}')
        reports = done.stderr.count('\nmethodbeat report ')
        judge.check(reports == 1 and done.stderr.count('app.Main.main') >= traces and
                    (traces == 1 or f'\n{traces} processes, ' in done.stderr),
                    f'{command}: {reports} reports: {done.stderr[:3000]}')
    print('8 ways to start')


def judge_printed(home):
    """What is printed is what a shell takes, and gives the report again."""
    link = os.path.join(home, 'methodbeat')
    if not os.path.exists(link):
        os.symlink(judge.METHODBEAT, link)
    path = {**os.environ, 'PATH': home + ':' + os.environ['PATH'], 'BROWSER': 'true'}
    for name in ('file=plain.mbtrace', "file=it's $HOME%p", 'file=-x\x1b[31m', 'file=sub/a\\b'):
        os.makedirs(os.path.join(home, 'sub'), exist_ok=True)
        done = judge.run((*OWN, name, 'java', '-jar', 'out/server/lib/app.jar'), cwd=home)
        line = [line for line in done.stderr.splitlines() if line.startswith('methodbeat report ')]
        judge.check(len(line) == 1 and line[0].isprintable(), f'{name}: {done.stderr[:1000]}')
        again = judge.run(('bash', '-c', line[0]), cwd=home, env=path)
        judge.check(again.returncode == 0 and 'app.Main.main' in again.stdout, f'{name}: {again}')
    again = judge.run(('bash', '-c', line[0] + ' --format json'), cwd=home, env=path)
    judge.check(again.returncode == 0 and 'app.Main' in again.stdout, f'{again}')


def judge_versions(home):
    """What a script reads of a JVM is as without us; no trace is left."""
    for option in ('-version', '--version', '-help', '-X', '--list-modules'):
        plain = judge.run(('java', option), cwd=home)
        for command in (('java', option), ('sh', '-c', f'unset JAVA_TOOL_OPTIONS; java {option}')):
            done = run(home, 'file=version-%p', *command)
            told = [line for line in done.stderr.splitlines() if not line.startswith('methodbeat run: nothing was recorded')]
            judge.check((done.returncode, done.stdout, told) == (plain.returncode, plain.stdout, plain.stderr.splitlines()),
                        f'{command}: {done}')
    done = run(home, 'file=version-%p', 'sh', '-c', 'java -version; java -jar app.jar')
    judge.check('processes, ' not in done.stderr and done.stderr.count('methodbeat report version-') == 1 and 'recorded: ' not in done.stderr,
                f'-version has no row: {done}')
    left = [name for name in os.listdir(home) if name.startswith('version-')]
    judge.check(len(left) == 1, f'-version leaves {left}')


def judge_paths(home):
    """Folders of any bytes, whatever the locale."""
    jar = os.path.join(home, 'app.jar')
    for name in ('caf\u00e9'.encode(), b'\xff\xfe', b'100%pure', b'%p%%', b"q'u \"o,t=e"):
        folder = os.path.join(os.fsencode(home), b'names', name)
        os.makedirs(folder)
        for number, command in enumerate((('java', '-jar', jar), ('sh', '-c', 'cd /; exec java -jar "$0"', jar))):
            for trace in ('it-%p.mbtrace', os.fsdecode(b'e\xcc\x81\xff.mbtrace'), 'sub/'):
                done = subprocess.run((*OWN, '--trace', trace, '--', *command), cwd=folder, check=False, capture_output=True,
                                      env={**os.environ, 'LC_ALL': ('C', 'C.UTF-8')[number]})
                judge.check(done.returncode == 0 and b'app.Main.main' in done.stderr and b'cannot' not in done.stderr,
                            f'{name} {trace}: {done}')
        left = sorted(os.listdir(folder))
        judge.check(len(left) == 4 and os.fsencode('e\u0301') + b'\xff.mbtrace' in left and b'sub' in left, f'{name}: {left}')


def judge_children(home):
    """The JVM itself has its option from its command; those that it starts have it from the variable, and only those that
    are asked for record."""
    child = (JAVA, '-cp', 'classes', 'app.Main', '1')
    for options, traces, picked in (((), 2, 1), (('--only', '*.Main'), 1, 1),
                                    (('--only', 'starter.*:x'), 1, 1), (('--only', 'app.Main:starter.jar'), 1, 1)):
        done = run(home, *options, 'file=child-%p', 'java', '-cp', 'starter', 'starter.Starter', *child)
        rows = [name for name in os.listdir(home) if name.startswith('child-')]
        judge.check(done.returncode == 1 and len(rows) == traces and done.stderr.count('Picked up') == picked,
                    f'{options}: {rows} {done}')
        judge.check((traces == 2) == ('\n2 processes, ' in done.stderr) and done.stderr.count('recorded: process') == 0,
                    f'{options}: {done}')
        for name in rows:
            os.remove(os.path.join(home, name))
    done = run(home, '--only', '*.Main', 'java', '-jar', 'app.jar')
    judge.check('app.Main.main' in done.stderr, f'a jar by its main class: {done}')


def judge_liar(place):
    """What a process of another user says of itself is read in bounds, and a file of its own alone is a trace of it."""
    tell = 'import os; os.setuid(1234); f = os.open(os.environ["METHODBEAT_RUN"] + "/%s", os.O_WRONLY | os.O_CREAT, 0o600); os.write(f, %s)'
    for name, note, words in (('77', b'Lliar\0T/etc/shadow\0', 'its trace is no file of its user'), ('77', b'Lliar', 'no probe was called'),
                              ('77', b'x' * (2 << 20), 'no JVM loaded the agent')):
        done = judge.run((judge.METHODBEAT, 'run', '--agent', AGENT, '--', 'python3', '-c', tell % (name, note if len(note) < 99 else 'b"x" * (2 << 20)')),
                         cwd=place)
        judge.check(done.returncode == 0 and words in done.stderr, f'{note[:99]}: {done}')


def judge_users(home):
    """A JVM that may not read the agent, or map it, starts all the same; one that may not write is told of."""
    if os.geteuid() != 0:
        print('not root: other users are not judged')
        return
    place = tempfile.mkdtemp(prefix='methodbeat-run-', dir='/var/tmp')
    shutil.copytree(os.path.join(home, 'classes'), os.path.join(place, 'classes'))
    os.mkdir(os.path.join(place, 'agent'))
    agent = shutil.copy(AGENT, os.path.join(place, 'agent'))
    os.chmod(place, 0o755)
    program = 'java', '-cp', os.path.join(place, 'classes'), 'app.Main', 'one'
    ids = 'setpriv', '--reuid=1234', '--regid=1234', '--clear-groups'
    script = 'sh', '-c', 'exec "$@"', 'sh', *ids
    cache = 'unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o "$0" none /var/cache && exec "$@"'
    traces = os.path.join(place, 'traces')
    os.mkdir(traces)
    os.chmod(traces, 0o1777)
    recorded, denied = ('--trace', os.path.join(traces, 'x.mbtrace')), ('--trace', os.path.join(place, 'x.mbtrace'))
    for mode, options, change, more, words in (
            (0o700, 'rw', ids, recorded, 'app.Main.main'), (0o700, 'rw', script, recorded, 'app.Main.main'),
            (0o755, 'ro', script, recorded, 'app.Main.main'), (0o755, 'ro', script, denied, 'trace: Permission denied'),
            (0o700, 'ro', script, recorded, 'others may not read the agent')):
        os.chmod(os.path.join(place, 'agent'), mode)
        done = judge.run((*cache, options, judge.METHODBEAT, 'run', '--agent', agent, *more, *change, *program), cwd=place)
        judge.check(done.returncode == 1 and done.stdout.startswith('fib 610') and words in done.stderr and
                    'no JVM loaded' not in done.stderr, f'{mode:o} {options} {change} {words}: {done}')
    judge_liar(place)
    mount = f'mount -t tmpfs -o noexec none {place}/agent && cp {AGENT} {place}/agent && exec "$@"'
    within = 'unshare', '--mount', 'sh', '-c', mount, 'sh'
    if judge.run((*within, 'true')).returncode == 0:
        done = judge.run((*within, judge.METHODBEAT, 'run', '--agent', agent, *program), cwd=place)
        judge.check(done.returncode == 1 and 'fib 610' in done.stdout and 'nothing can be executed' in done.stderr, f'noexec: {done}')
    shutil.rmtree(place)


def judge_nested(home):
    """The inner one of two runs reports; the outer one knows of no JVM."""
    done = run(home, 'file=nested-%p', 'sh', '-c', 'exec "$@"', 'sh', *OWN, 'java', '-jar', 'app.jar')
    judge.check(done.returncode == 0 and done.stderr.count('methodbeat report nested-') == 1 and
                done.stderr.count('recorded: ') == 1 and 'no JVM loaded the agent' in done.stderr, f'nested: {done}')


def obey_signals():
    """Whatever we were started with: a JVM leaves a signal that is ignored alone."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def judge_signals(home):
    for number in SIGNALS:
        with subprocess.Popen([str(word) for word in (*OWN, '--', 'java', '-jar', 'out/app.jar',
                                                      'wait')], cwd=home, text=True, preexec_fn=obey_signals,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while process.stdout.readline() not in ('ready\n', ''):
                pass
            process.send_signal(number)
            out, told = process.communicate(timeout=120)
        judge.check(out == 'ended\n' and process.returncode == 128 + number
                    and 'app.Main.main' in told, f'{number}: {process.returncode} {out} {told}')


def judge_kill(home):
    """The program itself, so that nobody stops its recorder."""
    with subprocess.Popen([str(word) for word in (*OWN, '--', 'java', '-jar', 'out/app.jar', 'wait')],
                          cwd=home, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while process.stdout.readline() not in ('ready\n', ''):
            pass
        child = judge.read(f'/proc/{process.pid}/task/{process.pid}/children').split()[0]
        os.kill(int(child), signal.SIGKILL)
        _, told = process.communicate(timeout=120)
    judge.check(process.returncode == 128 + signal.SIGKILL and 'app.Main.main' in told,
                f'killed: {process.returncode} {told}')


def judge_failures(home):
    for arguments, code, told in (
            (('--', '/no/such/program'), 127, 'No such file or directory'),
            (('--', './out'), 126, 'Permission denied'),
            (('--', './\x1b[31mred'), 127, './\\x1b[31mred: cannot be started'),
            (('file=-%p.mbtrace', '--', 'java', '-jar', 'out/app.jar'), 0, 'app.Main.main'),
            ((), 2, 'a command is needed'),
            (('threads=all',), 2, 'a command is needed'),
            (('threads=all', '-x', 'true'), 2, 'there is no option -x'),
            (('--', 'true'), 0, 'nothing was recorded: no JVM loaded the agent'),
            (('--', 'sh', '-c', 'kill -9 $$'), 137, 'nothing was recorded: no JVM loaded the agent'),
            (('--', 'env', '-i', JAVA, '-jar', 'app.jar'), 0, 'nothing was recorded: no JVM loaded the agent'),
            (('--', 'java', '-no-such-option'), 1, 'nothing was recorded: the JVM ended before it loaded the agent'),
            (('--', 'java', 'no.Program'), 1, "(no.Program): it loaded no class but the JDK's"),
            (('--focus', 'other/**', '--', 'java', '-jar', 'app.jar'), 0,
             '(app.jar): --focus other/** matches no class with methods to record: it loaded 1'),
            (('--only', 'b*:*.Other', '--', 'java', '-jar', 'app.jar'), 0, '(app.jar): --only leaves it out'),
            (('file=/none/x', '--', 'java', '-jar', 'app.jar'), 1, '/none/: the trace cannot be written there: No such'),
            (('--blacklist', 'server', '--', 'java', '-jar', 'app.jar'), 0, '(app.jar): nothing is recorded: '),
            (('--agent', '/no/such', '--', 'true'), 1, '/no/such: cannot find'),
            (('thraeds=all', '--', 'java', '-jar', 'out/app.jar'), 2, "there is no setting 'thraeds': did you mean threads?")):
        done = run(home, *arguments)
        judge.check(done.returncode == code and told in done.stderr,
                    f'{arguments}: {done.returncode} {done.stderr[:1000]}')


def main():
    home = make_program()
    judge_ways(home)
    judge_printed(home)
    judge_versions(home)
    judge_paths(home)
    judge_children(home)
    judge_users(home)
    judge_nested(home)
    judge_signals(home)
    judge_kill(home)
    judge_failures(home)
    judge.finish()


main()
