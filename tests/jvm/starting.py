"""The README's ways to start a recorded program work as they stand there, and record it.

usage: starting.py METHODBEAT RUNTIME_JAR LIBRARY
"""
import json
import os
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'support'))
import judge  # noqa: E402

RUNTIME, LIBRARY = (os.path.abspath(path) for path in sys.argv[2:4])
SOURCES = {
    'app/module-info.java': 'module app { }',
    'app/app/Main.java': '''package app;
public class Main {
    static int work(int n) { return n < 2 ? n : work(n - 1) + work(n - 2); }
    public static void main(String[] args) { System.out.println("fib " + work(15)); }
}''',
    # A container: what it runs sees the JDK and itself.
    'server/Server.java': '''import java.net.*;
public class Server {
    public static void main(String[] args) throws Exception {
        URL[] urls = {new java.io.File(args[0]).toURI().toURL()};
        new URLClassLoader(urls, null).loadClass("app.Main").getMethod("main", String[].class)
                .invoke(null, (Object) new String[0]);
    }
}''',
}
WAYS = 4
CALLS = 1973  # of work(15)


def make_program():
    """A folder as the README has it: app.jar below out with probes, the runtime, a container."""
    home = judge.scratch_folder('home')
    for name, text in SOURCES.items():
        with open(judge.scratch('home', 'source', name), 'w', encoding='utf-8') as file:
            file.write(text)
    for name in ('app', 'server'):
        judge.compile_java(os.path.join(home, 'classes', name), (os.path.join(home, 'source', name),))
    judge.must(('jar', '--create', '--file', 'app.jar', '--main-class', 'app.Main', '-C',
                'classes/app', '.'), cwd=home)
    judge.instrument('--output', 'out', '--exceptions=finally', 'app.jar', cwd=home)
    shutil.copy(RUNTIME, os.path.join(home, 'methodbeat-runtime.jar'))
    server = judge.scratch('home', 'bin', 'server')
    with open(server, 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\nexec java -cp classes/server Server "$@"\n')
    os.chmod(server, 0o755)
    return home


def readme_ways():
    """The shell block that exports the settings: those, and its lines."""
    for block in re.findall(r'```sh\n(.*?)```', judge.read(os.path.join(judge.ROOT, 'samples', 'java', 'README.md')), re.S):
        lines = [line for line in block.splitlines() if not line.startswith('#')]
        if lines[0].startswith('export METHODBEAT_LIBRARY='):
            return lines
    return []


def judge_way(home, settings, line):
    trace = os.path.join(home, 'app.mbtrace')
    if os.path.exists(trace):
        os.unlink(trace)
    command = settings.replace('/usr/local/lib/libmethodbeat.so', LIBRARY) + '\n' + line
    done = judge.run(('sh', '-c', command), cwd=home, env={**os.environ, 'METHODBEAT_THROTTLE': 'off'})
    told = [text for text in done.stderr.splitlines()  # newer JVMs warn that a library is loaded
            if not text.startswith(('WARNING: ', 'Picked up JAVA_TOOL_OPTIONS')) and text]
    judge.check((done.returncode, done.stdout, told) == (0, 'fib 610\n', []),
                f'{line}: {done.returncode} {done.stdout!r} {done.stderr[:500]!r}')
    if judge.check(os.path.exists(trace), f'{line}: no trace'):
        report = json.loads(judge.must((judge.METHODBEAT, 'report', '--method-map',
                                        'out/methodMapping.txt', '--format=json', 'app.mbtrace'),
                                       cwd=home).stdout)
        calls = {method['name']: method['calls'] for method in report['methods']}
        judge.check(calls == {'app.Main.main': 1, 'app.Main.work': CALLS}, f'{line}: {calls}')


def main():
    home = make_program()
    settings, *ways = readme_ways() or ['']
    judge.check(len(ways) == WAYS, f'samples/java has {WAYS} ways to start a program: {ways}')
    for line in ways:
        judge_way(home, settings, line)
    print(f'{len(ways)} ways')
    judge.finish()


main()
