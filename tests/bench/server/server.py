"""A server under load, recorded at default settings and not recorded, in turn.

usage: server.py METHODBEAT RUNTIME_JAR LIBRARY LOAD_LUA [--seconds N] [--rounds N] [--server NAME,...] [--agent FILE]
       server.py ... --pairs N [--seconds N]
       server.py ... --attach [--rounds N] [--seconds N]

NAME: tomcat, jetty, or virtual (Tomcat with a virtual thread for each request; JDK 21 and later). Each round
warms both up, as long as they get faster, and then loads them for N seconds. Printed: requests a second and
CPU time for each, with their ratios, resident memory by quarters of the time, and what the report says of
losses and threads. On a machine that has other things to do, CPU time is the better judge. --agent: the files
stay as they are, and the agent FILE puts the probes in.

--pairs keeps both servers running, warm, and loads them in turn N times: the minimum of CPU time for a request
and the median of the ratios of requests a second are what other work on the machine disturbs least. Then
async-profiler samples the CPU time of the recorded one: the share of samples with a frame of the probes in them.

--attach starts a server for each round and asks it at a moderate pace: the longest request of N seconds, and of N
seconds in which `methodbeat attach --for 5` puts probes in and takes them out, in a JVM where it is new and again.
"""
import argparse
import collections
import contextlib
import glob
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'support'))
import judge  # noqa: E402

CONNECTIONS = 64
PACED_CONNECTIONS, PACE_MS = 16, 20  # a machine with time left, as servers have it
WARM_SLICES = 15
HEAP = '256m'  # fixed and touched beforehand, so that what grows is not the heap
PORT = re.compile(r'^port (\d+)|Started ServerConnector.*:(\d+)}', re.M)
WEB_XML = '''<web-app xmlns="http://xmlns.jcp.org/xml/ns/javaee" version="3.1">
<servlet><servlet-name>p</servlet-name><servlet-class>shop.Page</servlet-class></servlet>
<servlet-mapping><servlet-name>p</servlet-name><url-pattern>/page</url-pattern></servlet-mapping>
</web-app>
'''
LOG = 'org.eclipse.jetty.util.log'
PROBES = re.compile(r'methodbeat[./](MethodBeat|Ring|NativeProbes|Library|VirtualCalls|Lane)|\$MethodBeat|beat_')
LOSSES = ('exitsWithoutEntry', 'entriesWithoutExit', 'missingRecords', 'endedBeforeStart')


def make_war(class_path, guava):
    classes = judge.compile_java(judge.scratch('classes'), (os.path.join(HERE, 'Page.java'),),
                                 '-cp', ':'.join((*class_path, guava)), '--release', '8',
                                 '-Xlint:-options')
    path = judge.scratch('in', 'shop.war')
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as war:
        war.writestr('WEB-INF/web.xml', WEB_XML)
        war.write(guava, 'WEB-INF/lib/guava.jar')
        for name, data in judge.classes(classes):
            war.writestr('WEB-INF/classes/' + name, data)
    return path


class Server:
    """One of the kinds, its original and its instrumented files."""

    def __init__(self, kind, by_agent):
        self.kind = kind
        self.jars = [judge.corpus('jetty-runner')] if kind == 'jetty' else sorted(glob.glob(os.path.join(judge.corpus('tomcat'), '*')))
        self.war = make_war(self.jars, judge.corpus('guava'))
        if kind != 'jetty':
            self.jars.append(judge.compile_java(judge.scratch('serve'),
                                                (os.path.join(HERE, 'Serve.java'),),
                                                '-cp', ':'.join(self.jars)))
        self.probed = None
        if not by_agent:
            self.probed = judge.scratch_folder(kind + ' probed')
            judge.instrument('--output', self.probed, self.war, *self.jars)

    def names(self):
        """Options of report, for the names of methods; the agent's are in the trace."""
        return () if self.probed is None else ('--method-map', os.path.join(self.probed, 'methodMapping.txt'))

    def command(self, folder):
        def path(name):
            return name if folder is None else os.path.join(folder, os.path.basename(name))
        if self.kind == 'jetty':
            return (f'-D{LOG}.class={LOG}.StdErrLog', '-jar', path(self.jars[0]), '--host', '127.0.0.1',
                    '--port', '0', path(self.war))
        threads = '0' if self.kind == 'virtual' else str(CONNECTIONS)
        return ('-cp', ':'.join(path(jar) for jar in self.jars), 'Serve', path(self.war),
                judge.scratch_folder('base of probed' if folder else 'base'), threads)


@contextlib.contextmanager
def running(server, options, folder):
    """The server's process and port; it gets a signal at the end, as from whoever stops it."""
    command = ('java', f'-Xms{HEAP}', f'-Xmx{HEAP}', '-XX:+AlwaysPreTouch', *options,
               *server.command(folder))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               cwd=judge.scratch_folder('cwd'))
    said = collections.deque(maxlen=50)
    port = None
    for line in process.stdout:
        said.append(line)
        found = PORT.search(line)
        if found:
            port = int(found[1] or found[2])
            break
    if port is None:
        raise SystemExit(f'{server.kind} does not start: {"".join(said)}')
    drain = threading.Thread(target=lambda: said.extend(process.stdout), daemon=True)
    drain.start()
    try:
        yield process.pid, port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=120)
        drain.join()
        complaints = [line for line in said if line.startswith('methodbeat')]
        if complaints:
            print('said:', ''.join(complaints[:5]))


def resident(pid):
    """Anonymous and shared or file memory, in MB."""
    text = judge.read(f'/proc/{pid}/status')
    return sum(int(re.search(rf'^{name}:\s+(\d+)', text, re.M)[1])
               for name in ('RssAnon', 'RssFile', 'RssShmem')) / 1024


def cpu_seconds(pid):
    fields = judge.read(f'/proc/{pid}/stat').rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def load(port, seconds, lua):
    """Requests a second."""
    done = judge.must(('wrk', '-t1', f'-c{CONNECTIONS}', f'-d{seconds}s', '-s', lua,
                       f'http://127.0.0.1:{port}/'), timeout=seconds + 60)
    asked, failed = map(int, re.search(r'(\d+) requests in(?s:.*)responses: (\d+)', done.stdout).groups())
    assert abs(failed / asked - 1 / 5) < .01, done.stdout  # one of load.lua's paths is missing
    return float(re.search(r'Requests/sec:\s+([\d.]+)', done.stdout)[1])


def watch(pid, over, samples):
    while not over.wait(0.5):
        with contextlib.suppress(OSError, TypeError):
            samples.append(resident(pid))


def warm_up(port, seconds, lua):
    """Until two slices are hardly faster than the best before, or as long as all that follows."""
    best = slower = 0
    for _ in range(WARM_SLICES):
        rate = load(port, max(seconds // WARM_SLICES, 5), lua)
        slower = slower + 1 if rate < best * 1.05 else 0
        best = max(best, rate)
        if slower == 2:
            break


def measure(server, options, folder, seconds, lua):
    """Requests a second, CPU microseconds for each, and resident memory by quarters of the time."""
    with running(server, options, folder) as (pid, port):
        warm_up(port, seconds, lua)
        samples, over = [], threading.Event()
        watcher = threading.Thread(target=watch, args=(pid, over, samples))
        watcher.start()
        before = cpu_seconds(pid)
        rate = load(port, seconds, lua)
        cpu_us = (cpu_seconds(pid) - before) * 1e6 / (rate * seconds)
        over.set()
        watcher.join()
    quarter = max(len(samples) // 4, 1)
    memory = [max(samples[at:at + quarter]) for at in range(0, 4 * quarter, quarter) if samples[at:]]
    return rate, cpu_us, memory


def tell_report(server, trace):
    done = judge.must((judge.METHODBEAT, 'report', '--format=json', '--top=10', *server.names(), trace))
    found = json.loads(done.stdout)
    names = collections.Counter(re.sub(r'\d+', '*', thread['name']) for thread in found['threads'])
    lost = {name: sum(thread.get(name, 0) for thread in found['threads']) for name in LOSSES}
    lapped = sum(thread['overwrittenRecords'] for thread in found['threads'])
    print(f'  threads {dict(names)}')
    print(f'  lost {lost}, overwritten in rings {lapped}')
    print(f'  trace {os.stat(trace).st_blocks * 512 / 1e6:.0f} MB on disk')
    text = judge.must((judge.METHODBEAT, 'report', *server.names(), trace)).stdout
    print(''.join('  | ' + line for line in text.splitlines(True)[:24]))


# ---- Attaching ----

def longest(port, seconds, lua):
    """Milliseconds of the longest request, of connections that pause after each."""
    done = judge.must(('wrk', '-t1', f'-c{PACED_CONNECTIONS}', f'-d{seconds}s', '--timeout', '30s', '-s', lua,
                       f'http://127.0.0.1:{port}/', '--', str(PACE_MS)), timeout=seconds + 60)
    number, unit = re.search(r'Latency +\S+ +\S+ +([\d.]+)([a-z]+)', done.stdout).groups()
    return float(number) * {'us': 0.001, 'ms': 1, 's': 1000}[unit]


def longest_while_attached(pid, port, seconds, lua):
    command = (judge.METHODBEAT, 'attach', '--for', '5', '--trace', judge.scratch('attach.mbtrace'), str(pid))
    with subprocess.Popen(('sh', '-c', 'sleep 2; exec "$@"', 'attach', *command), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as attach:
        found = longest(port, seconds, lua)
        said = attach.communicate(timeout=120)[0]
    if attach.returncode != 0:
        raise SystemExit(f'attach: {said}')
    return found


def judge_attach(kind, seconds, rounds, lua):
    server = Server(kind, True)
    ratios = {'new': [], 'again': []}
    for _ in range(rounds):
        with running(server, (), None) as (pid, port):
            warm_up(port, WARM_SLICES * 5, lua)
            for name, so_far in ratios.items():
                usual, meanwhile = longest(port, seconds, lua), longest_while_attached(pid, port, seconds, lua)
                so_far.append(meanwhile / usual)
                print(f'{kind} longest request: {usual:.1f} ms, {meanwhile:.1f} ms with attach, {name}', flush=True)
    for name, found in ratios.items():
        print(f'{kind} {name}: x {min(found):.1f} at least, {statistics.median(found):.1f} in the median of {rounds} '
              '(goal 5)')


# ---- Pairs ----

def load_once(pid, port, seconds, lua):
    """Requests a second, CPU microseconds for each."""
    before = cpu_seconds(pid)
    rate = load(port, seconds, lua)
    return rate, (cpu_seconds(pid) - before) * 1e6 / (rate * seconds)


def sample(pid, port, seconds, lua):
    """Stacks of CPU time under load, each with its number of samples."""
    library, out = judge.scratch('libasyncProfiler.so'), judge.scratch(f'samples-{pid}.txt')
    with zipfile.ZipFile(judge.corpus('async-profiler')) as jar, open(library, 'wb') as file:
        file.write(jar.read('linux-x64/libasyncProfiler.so'))
    def ask(command): # jcmd takes NAME=VALUE without quotes for its own
        judge.must(('jcmd', str(pid), 'JVMTI.agent_load', library, f'"{command}"'))
    ask('start,event=ctimer,interval=1ms,threads')
    load(port, seconds, lua)
    ask(f'stop,collapsed,threads,file={out}')
    with open(out, encoding='utf-8') as file:
        return [(line.rsplit(' ', 1)[0], int(line.rsplit(' ', 1)[1])) for line in file]


def print_share(kind, stacks):
    for whose, rows in (('workers', [row for row in stacks if 'exec-' in row[0].split(';')[0]]), ('all threads', stacks)):
        count = sum(number for _, number in rows)
        probes = collections.Counter()
        for stack, number in rows:
            found = PROBES.search(stack.partition(';')[2])
            if found:
                probes[found[0]] += number
        if count:
            print(f'{kind} {whose}: {sum(probes.values()) / count:.1%} of {count} samples in frames of probes; outermost '
                  f'{", ".join(f"{name} {number / count:.1%}" for name, number in probes.most_common(5))}', flush=True)


def judge_pairs(kind, by_agent, options, seconds, pairs, lua):
    server = Server(kind, by_agent)
    found = collections.defaultdict(list)
    with running(server, (), None) as plain, running(server, options, server.probed) as probed:
        both = {'plain': plain, 'probed': probed}
        for pid, port in both.values():
            warm_up(port, WARM_SLICES * 5, lua)
        for number in range(pairs):
            for name in sorted(both, reverse=number % 2 == 1):
                found[name].append(load_once(*both[name], seconds, lua))
        stacks = sample(*probed, 3 * seconds, lua)
    cpu = {name: min(us for _, us in rows) for name, rows in found.items()}
    rates = [ours[0] / theirs[0] for ours, theirs in zip(found['probed'], found['plain'])]
    print(f'{kind}: CPU a request, minimum of {pairs}: {cpu["plain"]:.1f} us plain, {cpu["probed"]:.1f} us recorded, '
          f'x {cpu["probed"] / cpu["plain"]:.3f}; requests, median of ratios {statistics.median(rates):.3f}', flush=True)
    print_share(kind, stacks)


def judge_server(kind, by_agent, options, seconds, rounds, lua):
    server = Server(kind, by_agent)
    trace = judge.scratch('server.mbtrace')
    ratios = []
    for round_number in range(rounds):
        pair = {}
        for name in ('plain', 'probed') if round_number % 2 == 0 else ('probed', 'plain'):
            pair[name] = measure(server, options if name == 'probed' else (),
                                 server.probed if name == 'probed' else None, seconds, lua)
        for name, (rate, cpu_us, memory) in sorted(pair.items()):
            print(f'{kind} {name}: {rate:.0f} requests/s, {cpu_us:.0f} us of CPU each, resident MB by quarters '
                  f'{[round(size) for size in memory]}', flush=True)
        ratios.append(pair['probed'][0] / pair['plain'][0])
        memory = pair['probed'][2]
        print(f'  throughput {ratios[-1]:.3f}, CPU x {pair["probed"][1] / pair["plain"][1]:.2f}, resident '
              f'+{max(memory) - max(pair["plain"][2]):.0f} MB, grown by {memory[-1] - memory[0]:.0f} MB since '
              'the warm-up', flush=True)
    tell_report(server, trace)
    print(f'{kind}: throughput {statistics.median(ratios):.3f} of not recorded (goal 0.85)')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tools', nargs=4)
    parser.add_argument('--seconds', type=int, default=300)
    parser.add_argument('--rounds', type=int, default=1)
    parser.add_argument('--server', default='tomcat,jetty')
    parser.add_argument('--set', action='append', default=[])
    parser.add_argument('--pairs', type=int)
    parser.add_argument('--attach', action='store_true')
    parser.add_argument('--agent', help='its library')
    arguments = parser.parse_args()
    _, runtime, library, lua = (os.path.abspath(path) for path in arguments.tools)
    settings = (f'file={judge.scratch("server.mbtrace")}', *arguments.set)
    if arguments.agent:
        options = (f'-agentpath:{os.path.abspath(arguments.agent)}={",".join(settings)}',)
    else:
        options = (f'-Xbootclasspath/a:{runtime}', f'-Dmethodbeat.library={library}',
                   *(f'-Dmethodbeat.{text}' for text in settings))
    for kind in arguments.server.split(','):
        if arguments.attach:
            judge_attach(kind, arguments.seconds, arguments.rounds, lua)
        elif arguments.pairs:
            judge_pairs(kind, bool(arguments.agent), options, arguments.seconds, arguments.pairs, lua)
        else:
            judge_server(kind, bool(arguments.agent), options, arguments.seconds, arguments.rounds, lua)
    judge.finish()


if __name__ == '__main__':
    main()
