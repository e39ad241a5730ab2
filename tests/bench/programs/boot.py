"""A Spring Boot jar that others have published, Zipkin's server with all its libraries, started, asked and stopped:
what costs most of its start and the greatest totals, beside async-profiler's samples by the wall clock of the same run.
Shares are of the time below main: what the pools wait for depends on how long the server is asked. The JDK's
URLClassPath catches what the jar's own loader throws, 2,500 times and more. By hand: minutes, and a port.

usage: boot.py METHODBEAT RUNTIME_JAR LIBRARY [finally | catch]
"""
import collections
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import jfr
import profile
from workloads import corpus, must

METHODBEAT, RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[1:4])
MODE = sys.argv[4] if len(sys.argv) > 4 else 'catch'
THROWS = 'JarUrlConnection.throwFileNotFound'
STARTS = 'JarLauncher.main'
ROWS = 12


def free_port():
    with socket.socket() as found:
        found.bind(('127.0.0.1', 0))
        return found.getsockname()[1]


def ask(port, path):
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(f'http://127.0.0.1:{port}{path}', timeout=5) as answer:
            return answer.read()
    except (urllib.error.URLError, OSError):
        return b''


def serve(folder, jar):
    """The trace and the samples of a run that was asked a few times."""
    options, target = jfr.wall_options(folder, MODE)
    options = [option.replace(',jfr,', ',collapsed,') for option in options]
    trace, port = os.path.join(folder, 'boot.mbtrace'), free_port()
    settings = {'library': LIBRARY, 'file': trace, 'threads': 'all',
                'mapping': os.path.join(folder, 'methodMapping.txt')}
    command = ('java', f'-Xbootclasspath/a:{RUNTIME}', *(f'-Dmethodbeat.{name}={value}' for name, value in settings.items()),
               *options, '-jar', jar)
    with subprocess.Popen(command, cwd=folder, env={**os.environ, 'QUERY_PORT': str(port)},
                          stdout=subprocess.DEVNULL) as server:
        end = time.monotonic() + 120
        while b'UP' not in ask(port, '/health') and time.monotonic() < end:
            time.sleep(1)
        for path in ('/api/v2/services', '/zipkin/', '/api/v2/traces') * 5:
            ask(port, path)
        server.terminate()
    return trace, target


def read_samples(path, ids, muted, outermost):
    """id -> (total, own), as jfr.Samples.shares, of stacks with such an outermost method; lines name no descriptors:
    overloads are one method."""
    by_name = {f'{key[0]}.{key[1]}': id_ for key, id_ in ids.items()}
    total, own, count = collections.Counter(), collections.Counter(), 0
    with open(path, encoding='utf-8') as lines:
        for stack, number in (line.rsplit(' ', 1) for line in lines):
            names = (frame.partition('_[')[0].replace('/', '.') for frame in stack.split(';'))
            chain = [by_name[name] for name in names if name in by_name]
            if not outermost.isdisjoint(chain[:1]):
                count += int(number)
                total.update(dict.fromkeys(chain, int(number)))
                own[next((id_ for id_ in reversed(chain) if id_ not in muted), chain[0])] += int(number)
    return {id_: (total[id_] / count, own[id_] / count) for id_ in total}, count


def print_table(column, title, ours, sampled, names):
    print(f'{title:>8} sampled  method')
    for id_ in sorted(ours, key=lambda id_: -ours[id_][column])[:ROWS]:
        print(f'{ours[id_][column]:8.1%} {sampled.get(id_, (0, 0))[column]:7.1%}  {names[id_]}')


def main():
    with tempfile.TemporaryDirectory() as folder:
        jar = corpus('zipkin')
        must(METHODBEAT, 'instrument', f'--exceptions={MODE}', '--output', folder, jar)
        trace, target = serve(folder, os.path.join(folder, os.path.basename(jar)))
        ids = jfr.read_map(os.path.join(folder, 'methodMapping.txt'))
        names = {id_: f'{key[0].rpartition(".")[2]}.{key[1]}' for key, id_ in ids.items()}
        recorded = profile.Profile(trace)
        starts = {id_ for id_, name in names.items() if name == STARTS}
        sampled, count = read_samples(target, ids, recorded.mutes, starts)
        ours = recorded.shares(running=False, outermost=starts)
        print(f'{MODE}: {count} samples')
        print_table(1, 'own', ours, sampled, names)
        print_table(0, 'total', ours, sampled, names)
        order = sorted(ours, key=lambda id_: -ours[id_][1])
        throws = next(id_ for id_ in order if names[id_] == THROWS)
        print(f'{THROWS}: number {order.index(throws) + 1} by own time, {ours[throws][1]:.2%}, sampled '
              f'{sampled.get(throws, (0, 0))[1]:.2%}')
        print(must(METHODBEAT, 'report', '--method-map', os.path.join(folder, 'methodMapping.txt'), trace))
        sys.exit(order.index(throws) < 20)


if __name__ == '__main__':
    main()
